/** The lines below the figure: the translation at a weight that is tried and before, the loss, the control, and what a ribbon is. */

import { announceAction } from "../../core/choosing"
import { element, filled, markData } from "../../core/dom"
import { Former } from "./former"
import { ACTIONS, type StagePayload } from "./payload"
import { changedWords } from "./pull"

/** What the browser knows besides the payload. */
interface StageFacts {
  readonly tried: string | null // a translation at a weight that is not set
  readonly control: readonly string[]
  readonly problem: string // why a pull is not shown; empty if there is no problem
  readonly averaged: number // heads whose mean is drawn
}

export class StageTexts {
  private readonly lines: HTMLDivElement
  private readonly notes: HTMLParagraphElement
  private readonly former = new Former()
  private readonly examples: HTMLParagraphElement

  /** `brief`: where a small screen shows the result of a pull. */
  constructor(
    parent: ParentNode,
    private readonly brief: HTMLElement,
  ) {
    const holder = element("div", "texts", parent)
    this.lines = element("div", "lines", holder)
    this.examples = element("p", "examples", holder)
    this.notes = element("p", "note", holder)
  }

  /** Shows the pulls of a payload. */
  show(payload: StagePayload, { tried, control, problem, averaged }: StageFacts): void {
    if (!this.former.changed(payload, tried, problem, averaged, ...control)) return
    const { pulled, words, text } = payload
    this.brief.replaceChildren()
    this.lines.replaceChildren()
    const now = tried ?? pulled?.now
    const before = pulled?.before ?? text
    if (now !== undefined) {
      const changes = changedWords(now, before)
      if (tried !== null) this.line(element("div", "now", this.lines), words.atWeight, changes)
      this.line(element("div", "before", this.lines), words.beforeText, [[before, false]])
      this.line(element("div", "now", this.brief), tried !== null ? words.atWeight : words.nowText, changes)
      element("p", "", this.brief).textContent = pulled && tried === null ? [pulled.forced, ...control.slice(0, 2)].join(" ") : ""
    }
    if (problem) element("p", "problem", this.brief).textContent = problem
    const typed = payload.sentence !== payload.entered // of which nothing can be pulled
    this.showExamples(payload, typed || tried !== null ? "none" : pulled ? "next" : "try")
    for (const sentence of [problem, ...(pulled?.lines ?? []), ...(pulled ? [control.join(" ")] : [])]) {
      if (sentence) element("p", "", this.lines).textContent = sentence
    }
    const mean = averaged > 1 ? [filled(words.meanOfHeads, { heads: averaged })] : []
    const how = now !== undefined || typed ? [] : [words.howToPull]
    this.notes.textContent = [...how, ...(pulled ? [pulled.forced] : []), words.note, ...mean].join(" ")
  }

  /** Proposes pulls: all of the payload, or after a pull the last of them. */
  private showExamples({ examples, words }: StagePayload, proposed: "try" | "next" | "none"): void {
    this.examples.replaceChildren()
    this.examples.hidden = proposed === "none" || !examples.length
    if (this.examples.hidden) return
    this.examples.append(`${proposed === "next" ? words.nextPull : words.tryThis}: `)
    for (const [label, address] of proposed === "next" ? examples.slice(-1) : examples) {
      const link = element("a", "", this.examples)
      link.textContent = label
      link.href = address
      link.onclick = (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        announceAction(ACTIONS)
        history.pushState(null, "", link.href)
        window.dispatchEvent(new PopStateEvent("popstate", { state: null }))
      }
    }
  }

  private line(line: HTMLElement, name: string, text: readonly (readonly [string, boolean])[]): void {
    element("span", "name", line).textContent = name
    const shown = markData(element("span", "sentence", line), "token fr")
    for (const [word, changed] of text) element(changed ? "mark" : "span", "", shown).textContent = word
  }
}
