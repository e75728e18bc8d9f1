// @vitest-environment happy-dom
import { expect, test } from "vitest"

import { isDark, markPrinting } from "../src/page/printing"

test("colours of both themes, and none", () => {
  expect(["rgb(18, 21, 26)", "rgb(0, 0, 0)", "rgb(255, 255, 255)", "rgb(245, 246, 248)", ""].map(isDark)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})

test("a dark page is marked while it is printed", () => {
  document.body.innerHTML = '<div data-testid="stApp" style="background-color: rgb(18, 21, 26)"></div>'
  const page = document.documentElement
  markPrinting()
  dispatchEvent(new Event("beforeprint"))
  expect(page.hasAttribute("data-prints-dark")).toBe(true)
  dispatchEvent(new Event("afterprint"))
  expect(page.hasAttribute("data-prints-dark")).toBe(false)
  document.querySelector<HTMLElement>("div")!.style.backgroundColor = "rgb(255, 255, 255)"
  dispatchEvent(new Event("beforeprint"))
  expect(page.hasAttribute("data-prints-dark")).toBe(false)
})
