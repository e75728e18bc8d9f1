// @vitest-environment node
import { expect, test } from "vitest"

import { smallMap } from "../src/views/head_list"

test("a byte is the share of the largest weight, rounded half to even", () => {
  const { shape, cells } = smallMap({ weights: Float32Array.of(0, 0.25, 0.125, 0.0625), shape: [2, 2] })
  expect([shape, [...cells]]).toEqual([[2, 2], [0, 255, 128, 64]])
  expect([...smallMap({ weights: Float32Array.of(102, 1), shape: [1, 2] }).cells]).toEqual([255, 2])
})

test("large maps show the largest weight of each block", () => {
  const weights = new Float32Array(100 * 60)
  weights[99 * 60 + 59] = 0.5
  weights[2] = 1
  const { shape, cells } = smallMap({ weights, shape: [100, 60] })
  expect(shape).toEqual([34, 20])
  expect([cells[0], cells[33 * 20 + 19], cells.reduce((sum, cell) => sum + cell, 0)]).toEqual([255, 128, 383])
})

test("a map of zeros is empty", () => {
  expect([...smallMap({ weights: new Float32Array(4), shape: [2, 2] }).cells]).toEqual([0, 0, 0, 0])
})
