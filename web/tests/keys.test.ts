import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test, vi } from "vitest"

import { keyHandler } from "../src/core/dom"

const SOURCES = "src"
// Any key ends what they do: it shows that the user does something.
const OF_ANY_KEY = ["embedding/initial.ts", "page/experiment_scroll.ts", "views/player.ts"]

test.each(["Enter", "Escape", "ArrowLeft", "l", "Process"])("%s is a key of the page, unless a text is composed with it", (key) => {
  const handle = vi.fn((event: KeyboardEvent) => event.key)
  const onKey = keyHandler(handle)
  expect(onKey(new KeyboardEvent("keydown", { key, isComposing: true }))).toBeUndefined()
  expect(onKey(new KeyboardEvent("keydown", { key, keyCode: 229 }))).toBeUndefined()
  expect(handle).not.toHaveBeenCalled()
  expect(onKey(new KeyboardEvent("keydown", { key, keyCode: 13 }))).toBe(key)
})

test("every handler of keys is one of these", () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))
  const found = files.filter((name) => !OF_ANY_KEY.includes(name.replaceAll("\\", "/"))).flatMap((name) => {
    const text = readFileSync(join(SOURCES, name), "utf8")
    const added = [...text.matchAll(/addEventListener\("key\w+", (\w+)/g)].map(([, handler]) => handler!)
    const set = [...text.matchAll(/\.onkey\w+ = (\w+|\()/g)].map(([, handler]) => handler!)
    return [...added, ...set].map((handler) => ({ name, ok: handler === "keyHandler" || text.includes(`const ${handler} = keyHandler(`) }))
  })
  expect(found.length).toBeGreaterThan(20)
  expect(found.filter(({ ok }) => !ok)).toEqual([])
})
