/**
 * Running text whose tokens are coloured by the attention of the token under the pointer. Where queries and keys are other
 * texts, as in cross-attention, the keys are below. All is read from the payload, without the server.
 */

import { ChoosingView, type Chosen } from "../core/choosing"
import { cssColours, readable } from "../core/colour"
import { mounting } from "../core/component"
import { Choices } from "../core/controls"
import controlsStyle from "../core/controls.css"
import { arrowStep, element, filled, markData } from "../core/dom"
import { clamp, largest } from "../core/numbers"
import { unpack, type Bytes } from "../core/payload"
import {
  axisOptions,
  isMasked,
  readPayload,
  startOf,
  weightText,
  withinAxes,
  type Payload,
  type Sheet,
} from "./attention_grid/sheet"
import style from "./attention_text.css"

const LISTED = 5 // tokens that are named with their weights

type TextWord = "queries" | "keys" | "attends" | "weight" | "nothing"

class AttentionText extends ChoosingView<Bytes, Payload> {
  private texts: Readonly<Record<TextWord, string>> | undefined
  private sheet: Sheet | undefined
  private choices: Choices | undefined
  private queries: HTMLSpanElement[] = []
  private keys: HTMLSpanElement[] = []
  private readout: HTMLElement | undefined
  private locked = -1 // the query that stays chosen; -1 for none
  private drawn = ""

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".text-root")
  }

  show(bytes: Bytes): void {
    if (!this.isNew(bytes)) return
    this.texts = unpack<{ texts: Readonly<Record<TextWord, string>> }>(bytes)[0].texts
    this.drawn = ""
    this.take(readPayload(bytes))
  }

  protected arrange(chosen: Chosen): void {
    const { payload } = this
    if (!payload?.controls) return
    this.choices ??= new Choices(this)
    this.choices.fit({ ...payload, controls: payload.controls })
    this.choices.show(chosen)
    const drawn = JSON.stringify([chosen.kind, chosen.units, chosen.marks, chosen.pair])
    this.sheet = payload.sheet(chosen)
    if (drawn !== this.drawn) this.locked = -1
    if (drawn !== this.drawn) this.rebuild(this.sheet)
    this.drawn = drawn
    this.paint(this.resting)
    this.root.dataset.drawn = `${this.sheet.title}: ${this.sheet.queries.join(" ")}`
  }

  availableIn(name: string): readonly string[] | undefined {
    return this.sheet && axisOptions(this.sheet, name)
  }

  protected override restricted(chosen: Chosen): Chosen {
    return this.payload ? withinAxes(this.payload, chosen) : chosen
  }

  /** The query whose attention is shown while none is pointed at: the locked one, or one in the middle of the text. */
  private get resting(): number {
    return this.locked >= 0 ? this.locked : Math.floor(this.queries.length / 2)
  }

  private rebuild(sheet: Sheet): void {
    for (const built of [...this.root.children]) if (built !== this.choices?.root) built.remove()
    const same = sheet.queries.length === sheet.keys.length && sheet.queries.every((label, at) => label === sheet.keys[at])
    this.queries = this.buildText(this.texts?.queries ?? "", sheet.queries)
    this.keys = same ? this.queries : this.buildText(this.texts?.keys ?? "", sheet.keys)
    this.queries.forEach((token, query) => {
      token.tabIndex = query === 0 ? 0 : -1
      token.setAttribute("role", "button")
      token.onpointerenter = token.onfocus = () => this.paint(query)
      token.onpointerleave = token.onblur = () => this.paint(this.resting)
      token.onclick = () => this.lock(query)
      token.onkeydown = (event) => this.move(event, query)
    })
    this.readout = element("p", "readout", this.root)
    this.readout.setAttribute("aria-live", "polite")
  }

  private buildText(title: string, labels: readonly string[]): HTMLSpanElement[] {
    element("p", "title", this.root).textContent = title
    const text = element("p", "running", this.root)
    return labels.map((label) => {
      const token = markData(element("span", "token", text), "token")
      token.textContent = label
      text.append(" ")
      return token
    })
  }

  private lock(query: number): void {
    this.locked = this.locked === query ? -1 : query
    this.paint(query)
  }

  private move(event: KeyboardEvent, query: number): void {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault()
      return this.lock(query)
    }
    const step = arrowStep(event.key)
    if (!step) return
    event.preventDefault()
    const next = clamp(query + step[0] + step[1], this.queries.length)
    this.queries.forEach((token, place) => (token.tabIndex = place === next ? 0 : -1))
    this.queries[next]!.focus()
  }

  /** Colours the keys by the weights of a query, up to its own largest. */
  private paint(query: number): void {
    const { sheet, chosen, readout, texts } = this
    if (!sheet || !chosen || !readout || !texts) return
    for (const token of [...this.queries, ...this.keys]) token.removeAttribute("style")
    this.queries.forEach((token, place) => {
      token.classList.toggle("asking", place === query)
      token.setAttribute("aria-pressed", String(place === this.locked))
    })
    readout.textContent = query in this.queries ? "" : texts.nothing
    if (!(query in this.queries)) return
    const [row, column] = [sheet.rows.indexOf(chosen.layer ?? ""), sheet.columns.indexOf(chosen.head ?? "")]
    const start = startOf(sheet, row, column) + query * sheet.shape[3]
    const weights = sheet.weights.subarray(start, start + sheet.shape[3])
    const colours = cssColours(sheet.scales[this.theme ?? sheet.theme])
    const top = largest(weights) || 1
    this.keys.forEach((token, key) => {
      if (isMasked(sheet, query, key)) return
      const colour = colours[Math.round((weights[key]! / top) * 255)]!
      Object.assign(token.style, { background: colour, color: readable(colour) })
    })
    const order = [...weights.keys()].filter((key) => !isMasked(sheet, query, key)).sort((a, b) => weights[b]! - weights[a]!)
    const strongest = order.slice(0, LISTED).map((key) => {
      return filled(texts.weight, { token: sheet.keys[key]!, weight: weightText(sheet, weights[key]!) })
    })
    readout.textContent = filled(texts.attends, { token: sheet.queries[query]!, list: strongest.join(", ") })
  }
}

export default mounting(AttentionText, controlsStyle + style)
