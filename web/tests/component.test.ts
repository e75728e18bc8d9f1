import { beforeEach, expect, it, vi } from "vitest"

import { element } from "../src/core/dom"
import { mounting, View } from "../src/core/component"

/** Draws each of its data, as buttons, and has a mark. */
class Letters extends View<string> {
  shown: string[] = []

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".root")
    views.push(this)
  }

  show(data: string): void {
    this.shown.push(data)
  }

  override leave(): void {
    super.leave()
    left()
  }
}

const left = vi.fn()
let views: Letters[]
let parentElement: HTMLElement
const mount = mounting(Letters, "")
const update = (data: string) => mount({ data, parentElement, setTriggerValue: vi.fn(), setStateValue: vi.fn() })

beforeEach(() => {
  left.mockClear()
  views = []
  parentElement = element("div", "", document.body)
  element("div", "root", parentElement)
})

// Streamlit starts an update while the one before is on its way, and then ends that one, before or after the later one is shown.
it.each([["before"], ["after"]])("an update that a later one overtakes and that is ended %s it leaves the view alone", (order) => {
  const end = update("one")
  if (order === "before") end()
  const endLast = update("two")
  if (order === "after") end()
  expect([views.length, views[0]!.shown, left.mock.calls.length]).toEqual([1, ["one", "two"], 0])
  parentElement.remove()
  endLast()
  expect(left).toHaveBeenCalledOnce()
})
