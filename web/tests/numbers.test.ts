import { expect, test } from "vitest"

import { filled } from "../src/core/dom"
import { clamp, drawn, full, known, largest, onGrid, percent, roundNumber, short, threeDigits, threeDigitsOfHalf } from "../src/core/numbers"

test.each([
  [0, "0"],
  [0.12345, "0.123"],
  [1, "1.00"],
  [12.34, "12.3"],
  [123.4, "123"],
  [12345, "12,300"],
  [999_999, "1.00e6"],
  [0.000_999, "9.99e\u22124"],
  [-0.5, "\u22120.500"],
])("three digits of %d are %s", (value, text) => {
  expect(threeDigits(value)).toBe(text)
})

test.each([
  [0, "0.0\u00a0%"],
  [0.0004, "<\u00a00.1\u00a0%"],
  [0.973_46, "97.3\u00a0%"],
  [0.999_49, "99.9\u00a0%"],
  [0.999_96, ">\u00a099.9\u00a0%"],
  [1 - 2 ** -24, "100.0\u00a0%"],
  [1, "100.0\u00a0%"],
])("%d in per cent is %s", (probability, text) => {
  expect(percent(probability)).toBe(text)
})

test("counts in a text have their digits grouped", () => {
  expect(filled("{count} of {all}, {share}, {step}, {other}", { count: 999, all: 4000, share: 0.12345, step: "3144" })).toBe(
    "999 of 4,000, 0.12345, 3144, {other}",
  )
})

test.each([
  [1, "1 edge is cut"],
  [0, "0 edges are cut"],
  [2000, "2,000 edges are cut"],
])("a text has the plural form of %d", (count, text) => {
  expect(filled("{count} {count:edge is|edges are} cut", { count })).toBe(text)
})

test("a number as long as float32 is", () => {
  expect(full(Math.fround(0.1))).toBe("0.1")
  expect(full(-1 / 3)).toBe("\u22120.3333333")
  expect(full(0)).toBe("0")
})

test("numbers of half precision have three digits from 0.0001 on", () => {
  expect(threeDigitsOfHalf(0.00005)).toBe("< 0.0001")
  expect(threeDigitsOfHalf(-0.25)).toBe("\u22120.250")
})

test("a cell has room for three digits", () => {
  expect([7, -3, 0.0004, -1.234, 123.4].map(short)).toEqual(["7", "\u22123", "\u22480", "\u22121.23", "123"])
  expect([0.5, -0.0123, 0.9996].map(short)).toEqual(["0.500", "\u22120.012", "1.000"])
})

test("a number of which few decimals are known is never written as 0", () => {
  expect([0.4021, 0.996, 0.0049, 0, -0.3, -0.002].map((each) => known(each, 2))).toEqual(["0.40", "1.00", "\u22480", "\u22480", "\u22120.30", "\u22480"])
  expect([0.0003, 2.5].map((each) => known(each, 1))).toEqual(["\u22480", "2.5"])
})

test("round numbers have no zeros that say nothing", () => {
  expect([0.1, 1e-4, -0.5, 1e-7, 0, 3e9].map((each) => roundNumber(each))).toEqual(["0.1", "0.0001", "\u22120.5", "1e\u22127", "0", "3000000000"])
  expect([roundNumber(12_345), roundNumber(12_345, 5), roundNumber(1.0005, 5)]).toEqual(["12,300", "12,345", "1.0005"])
})

test("numbers of drawings and of a grid", () => {
  expect([drawn(1.234, 1), drawn(-0.04, 2)]).toEqual(["1.2", "-0.04"])
  expect([onGrid(0.12349, 3), Object.is(onGrid(-0.0001, 3), 0)]).toEqual([0.123, true])
})

test("the nearest place and the largest value", () => {
  expect([clamp(-1, 3), clamp(5, 3), clamp(1, 3)]).toEqual([0, 2, 1])
  expect(largest([])).toBe(0)
  expect(largest(new Float32Array([0.5, 2, 1]))).toBe(2)
})
