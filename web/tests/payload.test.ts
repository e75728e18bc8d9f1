import { expect, test } from "vitest"

import { fromHalf, sameBytes, unpack } from "../src/core/payload"
import { pack } from "./packing"

test("a payload at an odd place of a larger buffer is read", () => {
  const numbers = new Float32Array([1.5, -2])
  const bytes = pack({ name: "x", shape: [2] }, numbers)
  const larger = new Uint8Array(bytes.length + 3)
  larger.set(bytes, 3)
  const [header, body] = unpack<{ name: string; shape: number[] }>(larger.subarray(3))
  expect(header).toEqual({ name: "x", shape: [2] })
  expect([...new Float32Array(body)]).toEqual([1.5, -2])
})

test("payloads of equal bytes are the same", () => {
  const bytes = Uint8Array.of(1, 2, 3)
  expect(sameBytes(bytes, Uint8Array.of(1, 2, 3))).toBe(true)
  expect(sameBytes(bytes, Uint8Array.of(1, 2))).toBe(false)
  expect(sameBytes(bytes, Uint8Array.of(1, 2, 4))).toBe(false)
})

test.each([
  [0x0000, 0],
  [0x3c00, 1],
  [0xc000, -2],
  [0x3555, 0.333251953125],
  [0x7bff, 65504],
  [0x0001, 2 ** -24],
  [0x03ff, 1023 * 2 ** -24],
  [0xfc00, -Infinity],
])("the half %i is %d", (bits, value) => {
  expect(fromHalf(Uint16Array.of(bits))[0]).toBe(Math.fround(value))
})
