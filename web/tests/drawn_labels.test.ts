/** A script draws a token's text in an element that `markData` marks, isolated and in its language, or within a sentence. */

import { readFileSync, readdirSync } from "node:fs"
import { expect, test } from "vitest"

const NAMED = /\b(?:token|tokens|label|labels|english|french|queries|keys)\b(?!\s*[:({])/
const WRITTEN = /([\w.]+|\))(?:!)?\.(?:textContent|innerText|innerHTML|title|ariaLabel) = (.+?)[,;)]*$|createTextNode\((.+)\)/
const IN_SENTENCE = /\b(?:filled|isolated|labelOf|describe\w*)\(/ // these isolate what they insert
const OF_THE_PAGE: Readonly<Record<string, readonly string[]>> = {
  "core/controls.ts": ["`${label}: ${help}`", "label", "label", "label"], // of options: the server isolates tokens in them
  "views/attention_text.ts": ['query in this.queries ? "" : texts.nothing'],
  "views/course_lesson.ts": ["label"], // of an answer
  "views/picture_strip.ts": ["label"],
  "views/stage/reading.ts": ["label"], // of a link
}

/** Values of a script that are drawn neither in a marked element nor within a sentence. */
function drawnBare(script: string): string[] {
  return script.split("\n").flatMap((line) => {
    const [, target, assigned, node] = WRITTEN.exec(line) ?? []
    const value = assigned ?? node
    if (!value || !NAMED.test(value) || IN_SENTENCE.test(value) || line.includes("markData(")) return []
    const name = /\w+$/.exec(target ?? "")?.[0]
    const isMarked = name !== undefined && new RegExp(`\\b${name}\\b[^\\n]*= markData\\(|markData\\(${name}\\b`).test(script)
    return isMarked ? [] : [value]
  })
}

test("every script writes tokens in marked elements", () => {
  const found = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.startsWith("page"))
    .map((path) => [path.replaceAll("\\", "/"), drawnBare(readFileSync(`src/${path}`, "utf8"))] as const)
  expect(found.length).toBeGreaterThan(50)
  expect(Object.fromEntries(found.filter(([, values]) => values.length))).toEqual(OF_THE_PAGE)
})

test.each([
  ["cell.textContent = token.text", ["token.text"]],
  ["  element(\"td\", \"\", row).textContent = labels[place]!", ["labels[place]!"]],
  ["name.title = sheet.keys[key]!", ["sheet.keys[key]!"]],
  ["row.append(document.createTextNode(french[0]!))", ["french[0]!)"]],
  ["const name = markData(element(\"td\"), \"token\")\nname.textContent = token", []],
  ["live.textContent = filled(words.held, { token })", []],
  ["title.textContent = words.title", []],
])("%s", (script, bare) => {
  expect(drawnBare(script)).toEqual(bare)
})
