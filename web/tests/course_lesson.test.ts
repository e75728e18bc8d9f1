import { beforeEach, expect, test } from "vitest"
import { LessonFigure, type Words, doneLessons, predictions, resultOf, storePrediction, verdictOf } from "../src/views/course_lesson"

beforeEach(() => localStorage.clear())

test("a prediction is stored with its lesson, which is done, next to those of earlier versions", () => {
  localStorage.setItem("lessons-done", "loss-tokens")
  storePrediction("vision-cls", { chosen: "a", verdict: "held", found: "b" })
  expect([...doneLessons()]).toEqual(["loss-tokens", "vision-cls"])
  expect([...predictions()]).toEqual([["vision-cls", { chosen: "a", verdict: "held", found: "b" }]])
})

test("what is stored in another form is ignored", () => {
  for (const stored of ["", "{", "3", "null", '{"a": 1}', '{"a": {"chosen": "x", "verdict": "won", "found": "y"}}']) {
    localStorage.setItem("lessons-predicted", stored)
    expect(predictions().size).toBe(0)
  }
})

test("a prediction holds, is nearly tied, or does not hold", () => {
  const question = { text: "", options: [], right: "1", near: ["2"], found: "found", because: { "1": ["Yes:", "so"] as const } }
  expect(["1", "2", "3"].map((option) => verdictOf(question, option))).toEqual(["held", "nearly", "not"])
  const words = { nearly: "Nearly." } as Words
  expect(["1", "2"].map((option) => resultOf(question, option, words))).toEqual([["Yes:", "so"], ["Nearly.", "found"]])
})

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 20">
  ${[0, 1, 2, 3, 4].map((each) => `<g class="pick" data-option="${each}" data-of="${each === 4 ? "last" : "ask"}" data-name="t${each}" aria-label="token t${each}"><rect y="${each >> 1}"/></g>`).join("")}
</svg>`

test("what can be picked is reached by arrow keys, in rows and columns", () => {
  const place = document.createElement("div")
  document.body.append(place)
  const picked: string[] = []
  const figure = new LessonFigure(place, (option, label) => picked.push(option + label))
  figure.show(SVG, "ask")
  const groups = [...place.querySelectorAll<SVGGElement>(".pick")]
  const press = (key: string, at: number) => groups[at]!.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }))
  expect(groups.map((each) => each.getAttribute("tabindex"))).toEqual(["0", "-1", "-1", "-1", null])
  press("ArrowDown", 0)
  expect(groups.map((each) => each.getAttribute("tabindex"))).toEqual(["-1", "-1", "0", "-1", null])
  press("ArrowDown", 2) // there is none below
  press("Enter", 2)
  expect(picked).toEqual(["2t2"])
  figure.mark("ask", "4", "1")
  expect(groups.map((each) => each.hasAttribute("data-right"))).toEqual([false, true, false, false, false])
  expect(place.querySelector("[data-picked]")).toBeNull() // it is of the other question
  figure.mark("last", "4", "3")
  expect(groups[4]!.hasAttribute("data-picked")).toBe(true)
  figure.show(SVG, "last")
  expect([...place.querySelectorAll("[role=button]")].map((each) => each.getAttribute("data-option"))).toEqual(["4"])
  figure.show(SVG, "")
  expect(place.querySelector("[role=button], [tabindex]")).toBeNull()
})
