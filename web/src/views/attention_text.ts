/**
 * Running text whose tokens are coloured by the attention of the token under the pointer. Where queries and keys are other
 * texts, as in cross-attention, the keys are below. Pictures are in the text where their parts are. All is read from the
 * payload, without the server.
 */

import { ChoosingView, type Chosen } from "../core/choosing"
import { cssColours, readable } from "../core/colour"
import { mounting } from "../core/component"
import { Choices } from "../core/controls"
import controlsStyle from "../core/controls.css"
import { arrowStep, element, filled, keyHandler, markData, type DataKind } from "../core/dom"
import { isolated, tokensIn, writeSentence } from "../core/labels"
import { clamp, threeDigits } from "../core/numbers"
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
import { buildPicture, largestByGroup, nextPlace, pictureAt, readPictures, type ShownPicture } from "./attention_text/pictures"

const LISTED = 5 // tokens that are named with their weights
const DEEPEST = 85 // per cent of colour over the strongest part of a picture

type TextWord = "queries" | "keys" | "attends" | "weight" | "nothing"
type PictureWord = "attended" | "picture" | "pictures"
type Texts = Readonly<Record<TextWord, string> & Partial<Record<PictureWord, string>>>

class AttentionText extends ChoosingView<Bytes, Payload> {
  private texts: Texts | undefined
  private pictures: readonly ShownPicture[] = []
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
    this.texts = unpack<{ texts: Texts }>(bytes)[0].texts
    this.pictures = readPictures(bytes)
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

  /** The query that is shown while none is pointed at: the locked one, or one of the middle, or the last after pictures. */
  private get resting(): number {
    if (this.locked >= 0) return this.locked
    return this.pictures.length ? this.queries.length - 1 : Math.floor(this.queries.length / 2)
  }

  private rebuild(sheet: Sheet): void {
    for (const built of [...this.root.children]) if (built !== this.choices?.root) built.remove()
    const same = sheet.queries.length === sheet.keys.length && sheet.queries.every((label, at) => label === sheet.keys[at])
    const [ofQueries, ofKeys] = tokensIn(sheet.languages)
    this.queries = this.buildText(this.texts?.queries ?? "", sheet.queries, ofQueries)
    this.keys = same ? this.queries : this.buildText(this.texts?.keys ?? "", sheet.keys, ofKeys)
    this.queries.forEach((token, query) => {
      token.tabIndex = query === 0 ? 0 : -1
      token.setAttribute("role", "button")
      token.onpointerenter = token.onfocus = () => this.paint(query)
      token.onpointerleave = token.onblur = () => this.paint(this.resting)
      token.onclick = () => this.lock(query)
      token.onkeydown = keyHandler((event) => this.move(event, query))
    })
    this.readout = element("p", "readout", this.root)
    this.readout.setAttribute("aria-live", "polite")
  }

  private buildText(title: string, labels: readonly string[], kind: DataKind): HTMLSpanElement[] {
    element("p", "title", this.root).textContent = title
    const text = element("p", "running", this.root)
    const tokens: HTMLSpanElement[] = []
    labels.forEach((label, place) => {
      const picture = pictureAt(this.pictures, place)
      if (picture) buildPicture(text, picture, (cell, own) => (tokens[own] = cell))
      if (tokens[place]) return tokens[place].setAttribute("aria-label", label)
      const token = (tokens[place] = markData(element("span", "token", text), kind))
      token.textContent = label
      text.append(" ")
    })
    return tokens
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
    const next = clamp(nextPlace(this.pictures, query, step), this.queries.length)
    this.queries.forEach((token, place) => (token.tabIndex = place === next ? 0 : -1))
    this.queries[next]!.focus()
  }

  /** Colours the keys by the weights of a query, or by what attends to it; text and pictures each up to their largest. */
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
    const to = chosen.direction === "to"
    const hidden = (place: number) => (to ? isMasked(sheet, place, query) : isMasked(sheet, query, place))
    const weights = this.weightsOf(sheet, chosen, query, to)
    const colours = cssColours(sheet.scales[this.theme ?? sheet.theme])
    const topOf = largestByGroup(this.pictures, weights)
    this.keys.forEach((token, place) => {
      if (hidden(place)) return
      const share = weights[place]! / topOf(place)
      const colour = colours[Math.round(share * 255)]!
      const over = `color-mix(in srgb, ${colours[255]!} ${share * DEEPEST}%, transparent)`
      if (token.classList.contains("part")) token.style.background = over
      else Object.assign(token.style, { background: colour, color: readable(colour) })
    })
    const order = [...weights.keys()].filter((place) => !hidden(place)).sort((a, b) => weights[b]! - weights[a]!)
    const strongest = order.slice(0, LISTED).map((place) => {
      return filled(texts.weight, { token: isolated(sheet.keys[place]!), weight: weightText(sheet, weights[place]!) })
    })
    const sentence = filled((to ? texts.attended : undefined) ?? texts.attends, {
      token: isolated(sheet.queries[query]!),
      list: strongest.join(", "),
    })
    writeSentence(readout, [sentence, ...(to ? [] : this.totals(weights))].join(""))
  }

  /** The row of a query in the chosen map; or its column, what all queries give it as a key. */
  private weightsOf(sheet: Sheet, chosen: Chosen, query: number, to: boolean): Float32Array {
    const [row, column] = [sheet.rows.indexOf(chosen.layer ?? ""), sheet.columns.indexOf(chosen.head ?? "")]
    const [start, keys] = [startOf(sheet, row, column), sheet.shape[3]]
    if (!to) return sheet.weights.subarray(start + query * keys, start + (query + 1) * keys)
    return Float32Array.from({ length: sheet.shape[2] }, (_, place) => sheet.weights[start + place * keys + query]!)
  }

  /** What each picture gets in all, in words. */
  private totals(weights: Float32Array): string[] {
    const text = this.pictures.length > 1 ? this.texts?.pictures : this.texts?.picture
    return this.pictures.map(({ places }, number) => {
      const total = places.reduce((sum, place) => sum + (place < 0 ? 0 : weights[place]!), 0)
      return filled(text ?? "", { number: number + 1, weight: threeDigits(total) })
    })
  }
}

export default mounting(AttentionText, controlsStyle + style)
