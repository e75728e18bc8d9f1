import { expect, test } from "vitest"

import { changes, differs, isEarly, isUserAction, sharedQuery, withChoices } from "../src/page/history"

const SHARED = ["text", "lang"]

function at(path: string): URL {
  return new URL(path, "https://atlas.example")
}

test.each([
  ["/attention?text=a", "/heads?text=a", true], // another page
  ["/attention?text=a", "/attention?text=b", true], // a submitted sentence
  ["/vision?picture=1", "/vision?picture=2", true], // another picture
  ["/attention", "/attention?text=a", false], // the whole address of a page that was opened with a bare path
  ["/attention?text=a", "/attention", false],
  ["/attention?text=a&head=1", "/attention?text=a&head=2", false],
  ["/attention?text=a&text=b", "/attention?text=b", false], // the last of several values counts
])("from %s to %s is a user action: %s", (from, to, expected) => {
  expect(isUserAction(at(from), at(to))).toBe(expected)
})

test("only parameters in both addresses change", () => {
  expect(changes(["text"], at("/?text=a"), at("/?text=b"))).toBe(true)
  expect(changes(["text"], at("/?text="), at("/?text=b"))).toBe(true)
  expect(changes(["text"], at("/?lang=en"), at("/?text=b"))).toBe(false)
  expect(changes(["lang"], at("/?text=a&lang=en"), at("/?text=b&lang=en"))).toBe(false)
})

test("a parameter that one address lacks differs", () => {
  expect(differs(["pull"], at("/?text=a"), at("/?text=a&pull=b"))).toBe(true)
  expect(differs(["pull"], at("/?text=a&pull=b"), at("/?text=b&pull=b"))).toBe(false)
})

test.each([
  ["/attention?text=a&head=1", "/attention?text=a", true], // of the target page, before its path
  ["/attention?text=a&head=1", "/attention?text=b&lang=en", true],
  ["/attention?text=a&head=1", "/attention?text=a&head=2", false], // of the page that is left
  ["/attention?text=a&head=1&layer=2", "/attention?text=a&layer=2", false],
  ["/attention?text=a", "/attention?text=b", false], // has no parameters of its own that could be lost
  ["/?text=a", "/?text=a&kind=cross&layer=3&head=6", true], // the head that the target page opens with
  ["/?text=a", "/?text=a&kind=cross", false], // a choice of the page that is left
  ["/attention?text=a&head=1", "/heads?text=a", false],
])("from %s to %s is early while a page is left: %s", (from, to, expected) => {
  expect(isEarly(at(from), at(to), SHARED)).toBe(expected)
})

test("choices are set, and defaults removed", () => {
  const to = withChoices("https://atlas.example/attention?text=a&head=1&layer=2#x", { head: null, layer: "mean", kind: "b c" })
  expect(to.href).toBe("https://atlas.example/attention?text=a&layer=mean&kind=b+c#x")
})

test("shared parameters of a query, several values included", () => {
  expect(sharedQuery("?text=a+b&head=1&lang=en&lang=fr", SHARED).toString()).toBe("text=a+b&lang=en&lang=fr")
  expect(sharedQuery("", SHARED).toString()).toBe("")
})
