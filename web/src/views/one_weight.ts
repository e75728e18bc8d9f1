/** One attention weight explained: in a sentence, as a table of products, and as a softmax over all keys. */

import { type Pointed, calledIn, linkTokens, placeOf } from "../core/brushing"
import { type Choosable, ChoosingView, type Chosen, type Control } from "../core/choosing"
import type { Theme } from "../core/colour"
import { mounting } from "../core/component"
import controlsStyle from "../core/controls.css"
import { Choices } from "../core/controls"
import { dataText, element, tokenIn } from "../core/dom"
import type { Languages } from "../core/labels"
import { threeDigits } from "../core/numbers"
import { type Bytes, unpack } from "../core/payload"
import { buildScroll, buildTable } from "../core/table"
import style from "./one_weight.css"

/* The payload of `one_weight`: see views/components/one_weight.py. */

type Four = readonly [layers: number, heads: number, rows: number, length: number]

/** How products become the scores of one layer. */
export interface ScoreForm {
  scaling: number
  plain: boolean // the factor is the usual one, and there is nothing else
  softcap: number // 0 for none
  biased: boolean // something was added to the scores, so that the recorded ones are shown
  sinks: readonly number[] // the score of the sink of each head
  allowed: number // index of the mask that hides keys; -1 for none
}

/** Explanations of a weight, by case. */
export interface WeightTexts {
  products: string
  softmax: string
  score: string
  maskedScore: string
  plain: string
  formed: string
  hidden: string
  later: string
  sink: string
}

/** What the browser is sent about one kind of attention, without numbers. */
interface KindFields {
  kind: string
  causal: boolean
  places: boolean // queries and keys are positions in a picture
  languages: Languages
  labels: readonly [queries: readonly string[], keys: readonly string[]]
  pair: readonly [query: string, key: string] // names of the controls of query and key
  names: readonly [layers: readonly string[], heads: readonly string[]]
  heads: readonly [layers: readonly string[], heads: readonly string[]] // those in the payload
  texts: WeightTexts
  forms: readonly ScoreForm[]
  masks: number
  hues: readonly [negative: string, positive: string]
}

/** The numbers of one kind: of queries, keys and scores by layer and head, and for each mask its cells. */
interface KindNumbers {
  queries: Float32Array
  keys: Float32Array
  scores: Float32Array
  masks: readonly Uint8Array[]
}

/** The shapes of the arrays; null for one that was not recorded. */
interface KindShapes {
  queries: Four | null
  keys: Four | null
  scores: Four | null
}

export type Kind = KindFields & KindShapes & { numbers: KindNumbers }

interface WeightWords {
  products: string
  softmax: string
  dimension: string
  query: string
  key: string
  product: string
  soFar: string
  score: string
  exponential: string
  weight: string
  masked: string
  sink: string
  sum: string
  options: string // the fold of controls
}

interface Header extends Choosable {
  controls: readonly Control[]
  theme: Theme
  most: number // rows of the softmax table
  rest: Readonly<Record<number, string>> // so many keys that are left out, in words
  words: WeightWords
}

export type Payload = Header & { kinds: Readonly<Record<string, Kind>> }

/** A payload with the numbers of each kind. */
export function decodeWeights(bytes: Bytes): Payload {
  const [header, arrays] = unpack<Header & { kinds: Record<string, KindFields> }>(bytes)
  const kinds = Object.entries(header.kinds).map(([name, fields]): [string, Kind] => {
    const floats = (field: string) => arrays.floats(`${name} ${field}`)
    const shape = (field: string) => (arrays.has(`${name} ${field}`) ? (arrays.shape(`${name} ${field}`) as Four) : null)
    const shapes = { queries: shape("queries"), keys: shape("keys"), scores: shape("scores") }
    const numbers = { queries: floats("queries"), keys: floats("keys"), scores: floats("scores") }
    const masks = Array.from({ length: fields.masks }, (_, mask) => arrays.bytes(`${name} mask ${mask}`))
    return [name, { ...fields, ...shapes, numbers: { ...numbers, masks } }]
  })
  return { ...header, kinds: Object.fromEntries(kinds) }
}

/* Prose of the page with numbers and tokens in it. */

const PARTS = /\*\*(.+?)\*\*|\[(.+?)\]\((\S+) "(.*?)"\)|\{(\w+)\}|[^*[{]+|./gs

/** Functions that make the elements for placeholders. */
export type Fillers = Readonly<Record<string, () => Node>>

/** Writes prose into an element: bold text, links with titles, and placeholders, which `values` fill. */
export function writeProse(parent: HTMLElement, text: string, values: Fillers = {}): void {
  for (const [whole, bold, linked, address, title, name] of text.matchAll(PARTS)) {
    if (bold) writeProse(element("b", "", parent), bold, values)
    else if (linked) {
      const link = element("a", "", parent)
      link.setAttribute("target", "_blank")
      link.href = address ?? ""
      link.title = new DOMParser().parseFromString(title ?? "", "text/html").body.textContent
      writeProse(link, linked, values)
    } else parent.append((name && values[name]?.()) || whole)
  }
}

/* Recomputes one attention weight in double precision, like model/lessons/one_weight.py. */

const LEAST = -1.7e38 // half of float32's smallest number: recorded scores below it were masked

type QueryPlace = readonly [layer: number, head: number, query: number]

/** A query vector, and any key vector with their products. */
export interface Vectors {
  query: Float32Array
  keyOf: (key: number) => Float32Array
  products: (key: number) => number[]
}

/** The softmax of one query over all keys, and the inputs of its scores. */
export interface Softmax {
  form: ScoreForm | undefined
  vectors: Vectors | undefined // if queries and keys were recorded
  raw: readonly number[] // scores, those of masked keys included
  scores: readonly number[] // minus infinity where masked
  exponentials: readonly number[]
  sink: number // the exponential of the attention sink; 0 for none
  total: number // of all exponentials
  weights: readonly number[]
}

export function softmaxOf(kind: Kind, [layer, head, query]: QueryPlace): Softmax {
  const count = kind.labels[1].length
  const form = kind.forms[layer]
  const recorded = recordedScores(kind, [layer, head, query])
  const vectors = form && vectorsOf(kind, [layer, head, query])
  const raw = Array.from({ length: count }, (_, key) => {
    if (!form || !vectors || form.biased) return recorded[key]!
    const score = sumOf(vectors.products(key)) * form.scaling
    return form.softcap ? Math.tanh(score / form.softcap) * form.softcap : score
  })
  const mask = form && kind.numbers.masks[form.allowed]
  const attends = (key: number) => (form ? !mask || mask[query * count + key] : raw[key]! >= LEAST)
  const scores = raw.map((score, key) => (attends(key) ? score : -Infinity))
  const most = Math.max(...scores)
  const exponentials = scores.map((score) => Math.exp(score - most))
  const sink = form?.sinks.length ? Math.exp(form.sinks[head]! - most) : 0
  const total = sumOf(exponentials) + sink
  return { form, vectors, raw, scores, exponentials, sink, total, weights: exponentials.map((each) => each / total) }
}

function recordedScores({ scores, numbers, labels }: Kind, [layer, head, query]: QueryPlace): Float32Array {
  const [, heads, rows] = scores ?? [0, 0, 0, 0]
  return vectorAt(numbers.scores, (layer * heads + head) * rows + query, labels[1].length)
}

function vectorsOf({ queries, keys, numbers }: Kind, [layer, head, place]: QueryPlace): Vectors | undefined {
  if (!queries || !keys) return undefined
  const [, heads, rows, length] = queries
  const [, groups, columns] = keys
  const group = Math.floor((head * groups) / heads) // grouped-query attention: several heads may share their keys
  const query = vectorAt(numbers.queries, (layer * heads + head) * rows + place, length)
  const keyOf = (key: number) => vectorAt(numbers.keys, (layer * groups + group) * columns + key, length)
  const products = (key: number) => {
    const vector = keyOf(key)
    return Array.from(query, (number, dimension) => number * vector[dimension]!)
  }
  return { query, keyOf, products }
}

function vectorAt(numbers: Float32Array, place: number, length: number): Float32Array {
  return numbers.subarray(place * length, (place + 1) * length)
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

/** The dimensions of a product, the largest products first. */
export function bySize(products: readonly number[]): number[] {
  return [...products.keys()].sort((a, b) => Math.abs(products[b]!) - Math.abs(products[a]!))
}

/** The keys of a table in order: the `most` strongest and the selected one; and those that are left out. */
export function splitKeys(weights: readonly number[], most: number, selected: number): [shown: number[], left: number[]] {
  const order = [...weights.keys()].sort((a, b) => weights[b]! - weights[a]!)
  const shown = [...new Set([...order.slice(0, most), selected])].sort((a, b) => a - b)
  return [shown, order.filter((place) => !shown.includes(place))]
}

/* The tables of one weight, whose numbers are bars too. */

/** The heading of a row and its cells. */
export type WeightRow = readonly [title: string | Node, ...cells: (string | Node)[]]

/** Writes a table into `holder`, and returns the elements of its rows. */
export function fillTable(holder: HTMLElement, titles: readonly string[], rows: readonly WeightRow[]): HTMLTableRowElement[] {
  holder.replaceChildren()
  const table = buildTable(
    holder,
    titles.map((title) => [title, ""]),
    rows.map(() => [""]),
    "",
  )
  table.setAttribute("aria-label", holder.getAttribute("aria-label") ?? "")
  const lines = [...table.querySelectorAll<HTMLTableRowElement>("tbody tr")]
  rows.forEach(([title, ...cells], row) => {
    const line = lines[row]!
    line.cells[0]!.append(title)
    for (const cell of cells) element("td", "", line).append(cell)
  })
  return lines
}

/** A number on a bar; `most` has the longest one. */
export function buildBar(value: number, most: number, [negative, positive]: readonly [string, string]): HTMLSpanElement {
  const bar = element("span", "bar-of")
  const share = Math.min(100, (100 * Math.abs(value)) / (most || 1))
  const fill = `color-mix(in srgb, ${value >= 0 ? positive : negative} 40%, transparent)`
  bar.style.background = `linear-gradient(to right, ${fill} ${share}%, transparent ${share}%)`
  bar.textContent = threeDigits(value)
  return bar
}

/** The elements that are filled for a weight. */
interface Built {
  explained: HTMLElement
  products: HTMLElement | null // if queries and keys were recorded
  softmax: HTMLElement
}

class OneWeight extends ChoosingView<Bytes, Payload> {
  private readonly choices = new Choices(this)
  private sheet: (Payload & Kind) | undefined // the payload with the selected kind
  private built: Built | undefined
  private at: readonly [query: number, key: number] = [0, 0]
  private lines = new Map<number, HTMLTableRowElement>() // of the softmax, by key
  private drawn = ""
  private announce: (...at: Pointed[]) => void = () => {}

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".one-weight")
  }

  show(bytes: Bytes): void {
    if (!this.isNew(bytes)) return
    this.drawn = ""
    this.take(decodeWeights(bytes))
  }

  protected override build(): void {
    if (!this.sheet) return
    const { words, texts, queries } = this.sheet
    for (const built of [...this.root.children]) if (built !== this.choices.root) built.remove()
    const explained = element("div", "explained", this.root)
    explained.setAttribute("aria-live", "polite")
    const columns = element("div", "columns", this.root)
    const column = (text: string) => {
      const node = element("div", "", columns)
      writeProse(element("p", "", node), text)
      return node
    }
    const left = column(texts.products)
    const products = queries && buildScroll(left, words.products)
    this.built = { explained, products, softmax: buildScroll(column(texts.softmax), words.softmax) }
    this.announce = linkTokens(this.root, (at) => this.markLinked(at))
  }

  /** The selected kind, if it is in the payload. */
  private kindOf({ kind }: Chosen): Kind | undefined {
    const kinds = this.payload?.kinds ?? {}
    return kind ? kinds[kind] : Object.values(kinds)[0]
  }

  /** The options of a list that exist for the selected kind. */
  availableIn(name: string): readonly string[] | undefined {
    const kind = this.kindOf(this.chosen ?? {}) ?? this.sheet
    if (!kind) return undefined
    if (name.endsWith("_piece")) return kind.pair.includes(name) ? undefined : []
    if (name === "layer") return kind.names[0]
    return name === "head" ? kind.names[1] : undefined
  }

  /** Falls back to the first layer and head if the kind has fewer. */
  protected override restricted(chosen: Chosen): Chosen {
    const kind = this.kindOf(chosen)
    if (!kind) return chosen
    const one = (value: string | undefined, names: readonly string[]) =>
      value !== undefined && names.includes(value) ? value : names[0]!
    return { ...chosen, layer: one(chosen.layer, kind.names[0]), head: one(chosen.head, kind.names[1]) }
  }

  protected override waits(): boolean {
    const kind = this.kindOf(this.chosen ?? {})
    return !kind || placeIn(kind, this.chosen ?? {}).includes(-1)
  }

  /** Draws the selected weight, unless it is on the screen, or not yet sent by the server. */
  protected arrange(chosen: Chosen): void {
    const { payload } = this
    if (!payload) return
    const drawn = JSON.stringify(chosen)
    const kind = this.kindOf(chosen)
    if (kind && !this.waits() && this.drawn !== drawn) {
      this.sheet = { ...payload, ...kind }
      this.fit([kind.labels, payload.words, kind.texts, Boolean(kind.queries)], payload.theme)
      this.draw(this.sheet, chosen)
      this.drawn = drawn
      this.root.dataset.drawn = drawn
    }
    this.choices.fit(payload)
    this.choices.show(chosen)
  }

  private draw(sheet: Payload & Kind, chosen: Chosen): void {
    if (!this.built) return
    const [query, key] = sheet.pair.map((name) => {
      const options = sheet.controls.find((control) => control.name === name)?.options ?? []
      return options.findIndex(([id]) => id === chosen[name])
    }) as [number, number]
    const [layer, head] = placeIn(sheet, chosen)
    const one = softmaxOf(sheet, [layer, head, query])
    const strongest = one.weights.indexOf(Math.max(...one.weights))
    this.at = [query, key ? key - 1 : strongest] // the first option is the strongest key
    this.explain(sheet, one, this.built.explained)
    if (this.built.products) this.drawProducts(sheet, one, this.built.products)
    this.drawSoftmax(sheet, one, this.built.softmax)
  }

  private explain(sheet: Payload & Kind, one: Softmax, explained: HTMLElement): void {
    const [query, key] = this.at
    const { form, vectors, raw } = one
    const numbers: Record<string, number> = {
      exponential: one.exponentials[key]!,
      total: one.total,
      score: raw[key]!,
      weight: one.weights[key]!,
      sink: one.sink,
    }
    if (form && vectors) {
      const products = vectors.products(key)
      const product = sumOf(products)
      const added = raw[key]! - product * form.scaling
      Object.assign(numbers, { product, root: Math.sqrt(products.length), scaling: form.scaling, added })
    }
    const written = Object.entries(numbers).map(([name, number]) => [name, () => dataText(threeDigits(number), "number")])
    const values: Fillers = {
      ...(Object.fromEntries(written) as Fillers),
      d_k: () => dataText(String(vectors?.query.length), "number"),
      query: () => named(sheet, 0, query),
      key: () => named(sheet, 1, key),
    }
    explained.replaceChildren()
    const texts = explanations(sheet.texts, one, key, sheet.causal && key > query)
    for (const text of texts) writeProse(element("p", "", explained), text, values)
  }

  private drawProducts({ words, hues }: Payload & Kind, { vectors }: Softmax, holder: HTMLElement): void {
    if (!vectors) return
    const key = this.at[1]
    const [products, keyVector] = [vectors.products(key), vectors.keyOf(key)]
    const order = bySize(products)
    const most = Math.abs(products[order[0] ?? 0] ?? 0)
    let sum = 0
    const rows = order.map((place): WeightRow => [
      String(place + 1),
      threeDigits(vectors.query[place]!),
      threeDigits(keyVector[place]!),
      buildBar(products[place]!, most, hues),
      threeDigits((sum += products[place]!)),
    ])
    fillTable(holder, [words.dimension, words.query, words.key, words.product, words.soFar], rows)
  }

  /** The strongest keys and the selected one; the others are summed up. */
  private drawSoftmax(sheet: Payload & Kind, one: Softmax, holder: HTMLElement): void {
    const { words, rest, most, labels, places, hues } = sheet
    const { scores, exponentials, weights, sink, total } = one
    const key = this.at[1]
    const [shown, left] = splitKeys(weights, most, key)
    const rows = shown.map((place): WeightRow => [
      places ? labels[1][place]! : dataText(labels[1][place]!, tokenIn(sheet.languages[1])),
      scores[place] === -Infinity ? words.masked : threeDigits(scores[place]!),
      threeDigits(exponentials[place]!),
      buildBar(weights[place]!, 1, hues),
    ])
    const of = (numbers: readonly number[]) => sumOf(left.map((place) => numbers[place]!))
    if (left.length) {
      rows.push([rest[left.length] ?? "", "", threeDigits(of(exponentials)), buildBar(of(weights), 1, hues)])
    }
    if (sink) rows.push([words.sink, "", threeDigits(sink), buildBar(sink / total, 1, hues)])
    rows.push([words.sum, "", threeDigits(total), buildBar(sumOf(weights) + sink / total, 1, hues)])
    const lines = fillTable(holder, [words.key, words.score, words.exponential, words.weight], rows)
    const keys = sheet.controls.find(({ name }) => name === sheet.pair[1])
    this.lines = new Map(shown.map((place, row) => [place, lines[row]!]))
    for (const [place, line] of this.lines) {
      line.classList.toggle("chosen", place === key)
      line.onclick = () => keys && this.set({ [keys.name]: keys.options[place + 1]![0] })
      line.onpointerenter = () => this.pointAt(calledIn(labels[1], place, places))
      line.onpointerleave = () => this.pointAt()
    }
  }

  private pointAt(...at: Pointed[]): void {
    this.markLinked(at)
    this.announce(...at)
  }

  private markLinked(at: readonly Pointed[]): void {
    if (!this.sheet) return
    const marked = placeOf([...at].reverse(), this.sheet.labels[1], this.sheet.places)
    for (const [place, line] of this.lines) line.classList.toggle("at", place === marked)
  }
}

/** Indices of layer and head among those in the payload; -1 if only the server has them. */
function placeIn({ heads: [layers, heads] }: Kind, { layer = "", head = "" }: Chosen): [layer: number, head: number] {
  return [layers.indexOf(layer), heads.indexOf(head)]
}

/** The texts that explain a weight; `later`: its key is not generated yet. */
function explanations(texts: WeightTexts, { form, scores, sink }: Softmax, key: number, later: boolean): string[] {
  const masked = scores[key] === -Infinity
  if (!form) return [masked ? texts.maskedScore : texts.score]
  if (masked) return [later ? texts.later : texts.hidden]
  if (form.plain) return [texts.plain]
  return sink ? [texts.formed, texts.sink] : [texts.formed]
}

/** A token in quotes with its number, or a patch of a picture. */
function named({ labels, places, languages }: Kind, side: 0 | 1, place: number): HTMLElement {
  const label = element("b", "")
  const text = labels[side][place]!
  label.append(places ? text : dataText(`\u201c${text}\u201d`, tokenIn(languages[side])))
  if (places) return label
  const whole = element("span", "")
  whole.append(label, ` (${place + 1})`)
  return whole
}

export default mounting(OneWeight, controlsStyle + style)
