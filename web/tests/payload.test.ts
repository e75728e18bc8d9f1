import { expect, test } from "vitest"

import { fromHalf, sameBytes, unpack } from "../src/core/payload"
import { floats, pack } from "./packing"

test("a payload at an odd place of a larger buffer is read", () => {
  const bytes = pack({ title: "x" }, { numbers: ["float32", [2], Float32Array.of(1.5, -2)] })
  const larger = new Uint8Array(bytes.length + 3)
  larger.set(bytes, 3)
  const [header, arrays] = unpack<{ title: string }>(larger.subarray(3))
  expect(header.title).toBe("x")
  expect([arrays.shape("numbers"), [...arrays.floats("numbers")]]).toEqual([[2], [1.5, -2]])
})

test("arrays of any format are found by their names, and one that was not sent is empty", () => {
  const bits = new Uint8Array(Float32Array.of(0.5, 1.5 * 2 ** -100).buffer)
  const [, arrays] = unpack(
    pack({}, {
      picture: ["uint8", [1, 3], Uint8Array.of(1, 2, 3)],
      half: ["float16", [2], Uint16Array.of(0x3c00, 0x3555)],
      rounded: ["float24", [2], bits.filter((_, place) => place % 4)],
    }),
  )
  expect([...arrays.bytes("picture")]).toEqual([1, 2, 3])
  expect([[...arrays.floats("half")], arrays.rounded("half")]).toEqual([[1, 0.333251953125], true])
  expect([[...arrays.floats("rounded")], arrays.rounded("rounded")]).toEqual([[0.5, 1.5 * 2 ** -100], false])
  expect([arrays.has("x"), arrays.shape("x"), arrays.floats("x").length, arrays.bytes("x").length]).toEqual([false, [], 0, 0])
})

test.each([
  [[1, 2, 3, 2], [1, 0.25, 0.75, 0.5, 0.5, 1, 0, 1, 0.125, 0.875], [1, 0, 0.25, 0.75, 0.5, 0.5, 1, 0, 0, 1, 0.125, 0.875]],
  [[2, 3], [1, 0.5, 0.5], [1, 0, 0, 0.5, 0.5, 0]],
])("of a causal array of shape %j the masked weights are not sent", (shape, sent, whole) => {
  const [, arrays] = unpack(pack({}, { weights: ["float32", shape, Float32Array.from(sent), true], next: floats([1], 7) }))
  expect([[...arrays.floats("weights")], [...arrays.floats("next")]]).toEqual([whole, [7]])
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
