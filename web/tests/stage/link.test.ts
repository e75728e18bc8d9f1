import { afterEach, beforeEach, expect, it, vi } from "vitest"

import { CopyLink } from "../../src/views/stage/view"

const words = { copyLink: "Copy link", copied: "Copied", copyThis: "The link" }
let parent: HTMLDivElement

beforeEach(() => {
  history.replaceState(null, "", "/?text=a&pull=b&present=1")
  parent = document.createElement("div")
  document.body.append(parent)
  new CopyLink(parent).show(words)
})
afterEach(() => {
  parent.remove()
  vi.unstubAllGlobals()
})

const press = async (writeText: (text: string) => Promise<void>) => {
  vi.stubGlobal("navigator", { clipboard: { writeText } })
  parent.querySelector("button")!.click()
  await new Promise((later) => setTimeout(later))
}

it("copies the address of the page, without how it is shown", async () => {
  const write = vi.fn<(text: string) => Promise<void>>(() => Promise.resolve())
  await press(write)
  expect(new URL(write.mock.calls[0]![0]).search).toBe("?text=a&pull=b")
  expect(parent.querySelector("[role=status]")!.textContent).toBe("Copied")
})

it("shows the address where the browser refuses", async () => {
  await press(() => Promise.reject(new Error("not allowed")))
  expect(parent.querySelector("input")!.value).toMatch(/\?text=a&pull=b$/)
})
