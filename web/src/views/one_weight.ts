/** One attention weight explained: in a sentence, as a table of products, and as a softmax over all keys. */

import { calledIn, linkTokens, placeOf, type Pointed } from "../core/brushing"
import { ChoosingView, type Chosen } from "../core/choosing"
import { mounting } from "../core/component"
import { Choices } from "../core/controls"
import controlsStyle from "../core/controls.css"
import { dataText, element, tokenIn } from "../core/dom"
import { threeDigits } from "../core/numbers"
import type { Bytes } from "../core/payload"
import { buildScroll } from "../core/table"
import style from "./one_weight.css"
import { decodeWeights, type Kind, type Payload, type WeightTexts } from "./one_weight/payload"
import { writeProse, type Fillers } from "./one_weight/prose"
import { bySize, softmaxOf, splitKeys, sumOf, type Softmax } from "./one_weight/softmax"
import { buildBar, fillTable, type WeightRow } from "./one_weight/tables"

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
