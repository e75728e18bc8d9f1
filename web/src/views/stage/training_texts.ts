/** What the stage states of a step of training: the translation, the loss of every token, and what the heads do. */

import { element, filled, markData } from "../../core/dom"
import { threeDigits } from "../../core/numbers"
import type { HeadNote } from "./rail"
import type { Focus } from "./reading"
import type { Training } from "./training"

export class TrainingTexts {
  private readonly translation: HTMLParagraphElement
  private readonly title: HTMLParagraphElement
  private readonly losses: HTMLUListElement
  private readonly heads: HTMLParagraphElement
  private readonly note: HTMLParagraphElement

  constructor(parent: ParentNode) {
    const holder = element("div", "texts", parent)
    this.translation = element("p", "translation", holder)
    this.title = element("p", "losses-title", holder)
    this.losses = element("ul", "losses", holder)
    this.heads = element("p", "roles", holder)
    this.note = element("p", "note", holder)
  }

  /** Shows a step; `drawn` is what the head of the drawn map does, `heads` how many are averaged. */
  show(training: Training, at: number, drawn: HeadNote | null, heads: number): void {
    const { words } = training
    const { text, finished, losses, heldout } = training.steps[at]!
    this.translation.replaceChildren(`${finished ? words.ends : words.endless} `)
    const sentence = element("span", "sentence", this.translation)
    if (text) markData(sentence, "token fr").textContent = text
    else sentence.textContent = words.nothing
    this.title.textContent = filled(words.tokenLosses, { mean: threeDigits(training.mean(at)) })
    const { french } = training.payload(at)
    this.losses.replaceChildren()
    losses.forEach((loss, place) => this.buildLoss(french[place]!, loss, loss / training.most))
    const counts = training.counts(at).map(([{ name }, count]) => filled(words.roleCount, { role: name, count }))
    this.heads.textContent = `${filled(words.heldout, { loss: threeDigits(heldout) })} ${counts.join(", ")}.`
    const own = drawn ? filled(words.drawnHead, { label: drawn.label }) : filled(words.meanOfHeads, { heads })
    this.note.textContent = `${own} ${words.note}`
  }

  private buildLoss(token: string, loss: number, share: number): void {
    const item = element("li", "", this.losses)
    markData(element("span", "name", item), "token fr").textContent = token
    element("span", "share", element("span", "track", item)).style.setProperty("--share", String(share))
    element("span", "number", item).textContent = threeDigits(loss)
  }

  /** Marks the loss of the French token that has the attention. */
  mark(focus: Focus | null): void {
    const place = focus?.side === "french" ? focus.place : -1
    for (const [index, item] of [...this.losses.children].entries()) item.classList.toggle("own", index === place)
  }
}
