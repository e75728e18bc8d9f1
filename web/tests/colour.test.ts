import { expect, test } from "vitest"

import { cssColours, lookupTable, pack, packed, readable, rgb } from "../src/core/colour"

test("a colour as channels and as a pixel", () => {
  expect(rgb("#0A80FF")).toEqual([10, 128, 255])
  expect(packed("#0A80FF")).toBe(0xffff800a)
  expect(pack(Uint8Array.of(1, 2, 3))).toBe(0xff030201)
})

test("a scale has 256 shades, ends included, and goes through its middle", () => {
  const shades = cssColours(["#000000", "#0000ff", "#ffffff"])
  expect(shades).toHaveLength(256)
  expect([shades[0], shades[255]]).toEqual(["rgb(0,0,0)", "rgb(255,255,255)"])
  expect(shades[127]).toBe("rgb(0,0,254)")
  expect([...lookupTable(["#000000", "#ffffff"])].every((pixel, shade) => pixel === packed(grey(shade)))).toBe(true)
})

function grey(shade: number): string {
  return `#${shade.toString(16).padStart(2, "0").repeat(3)}`
}

test("text on a colour is black or white by contrast", () => {
  expect(readable("#ffffff")).toBe("#111417")
  expect(readable("rgb(20,20,90)")).toBe("#f4f6f8")
})
