/** What a lesson is sent as; see views/components/course_lesson.py. */

import type { Theme } from "../../core/colour"
import type { Verdict } from "./memory"

/** A question. Its options are buttons, or, without any, what can be picked in the figure. */
export interface Question {
  text: string
  options: readonly (readonly [id: string, label: string])[]
  right: string
  near: readonly string[]
  found: string // where an option has no reason
  because: Readonly<Record<string, readonly [lead: string, rest: string]>> // by option
}

interface Link {
  label: string // of a page, or of what is done there
  address: string
}

export type Words = Readonly<
  Record<
    | "lessons"
    | "place"
    | "done"
    | "next"
    | "end"
    | "note"
    | "more"
    | "misconception"
    | "yours"
    | "right"
    | Verdict
    | "ended"
    | "nothing"
    | "ways",
    string
  >
>

export interface LessonPayload {
  lesson: string // id; "end" for the end of the course
  lessons: readonly (readonly [id: string, title: string, address: string])[]
  end: string // address of the end of the course
  aim: string
  figures: readonly string[] // SVG: before the prediction, after it, after the last question
  ask: Question | null
  misconception: string
  last: Question | null
  links: readonly Link[] // to the reference part, or the ways on
  theme: Theme
  words: Words
}

/** Whether a prediction held. */
export function verdictOf(question: Question, option: string): Verdict {
  if (option === question.right) return "held"
  return question.near.includes(option) ? "nearly" : "not"
}

/** What is said about an option: first words, and the reason for it or what came out. */
export function resultOf(question: Question, option: string, words: Words): readonly [lead: string, rest: string] {
  return question.because[option] ?? [words[verdictOf(question, option)], question.found]
}
