import { expect, test } from "vitest"

import mountDrawing from "../src/views/inline_svg"

function show(parentElement: Element, svg: string): HTMLElement {
  mountDrawing({ data: { svg }, parentElement, setTriggerValue: () => {}, setStateValue: () => {} })
  return parentElement.querySelector<HTMLElement>(".drawing-root")!
}

function parent(): Element {
  const holder = document.createElement("main")
  holder.innerHTML = '<div class="drawing-root"></div>'
  document.body.append(holder)
  return holder
}

const WIDE = '<svg xmlns="http://www.w3.org/2000/svg" width="900" aria-label="Layers"><g/></svg>'
const FLUID = '<svg xmlns="http://www.w3.org/2000/svg"><path/></svg>'

test("a drawing with a width is a region that the keyboard scrolls; one without fills the page", () => {
  const holder = parent()
  const root = show(holder, WIDE)
  expect(root.style.getPropertyValue("--drawn")).toBe("56.25rem")
  expect([root.tabIndex, root.getAttribute("role"), root.getAttribute("aria-label")]).toEqual([0, "region", "Layers"])
  show(holder, FLUID)
  expect(root.style.getPropertyValue("--drawn")).toBe("100%")
  expect([root.hasAttribute("tabindex"), root.hasAttribute("role"), root.children.length]).toEqual([false, false, 1])
})

test("the same drawing is not inserted again", () => {
  const holder = parent()
  const [before] = show(holder, WIDE).children
  expect(show(holder, WIDE).children[0]).toBe(before)
  expect(show(holder, FLUID).children[0]).not.toBe(before)
})
