/**
 * A ranked list of heads, and the large map of the selected one. One option per head, each with a small canvas of one pixel
 * per cell. Order, kind and head are selected here and drawn without the server.
 */

import { type Choosable, ChoosingView, type Chosen, type Control, type PlaceWords, placeInWords } from "../core/choosing"
import { type Theme, lookupTable, packed } from "../core/colour"
import { mounting } from "../core/component"
import controlsStyle from "../core/controls.css"
import { Choices } from "../core/controls"
import { element, filled, keyHandler, setAttributes } from "../core/dom"
import mapStyle from "../core/heatmap.css"
import { Heatmap, type MapPicture, type ShownMap } from "../core/heatmap"
import { type Languages, cellNodes, tokensIn } from "../core/labels"
import { clamp, full, largest, threeDigits, threeDigitsOfHalf } from "../core/numbers"
import { type Shape, type Underlay, layUnder, paintCells } from "../core/painting"
import { type Arrays, type Bytes, sizeOf, unpack } from "../core/payload"
import style from "./head_list.css"

/* The small map of a head: a pattern, not numbers. */

const MOST_CELLS = 48 // a side; larger maps show the largest weight of each block of cells

/** One byte per cell, 255 for the largest weight. */
export interface SmallMap {
  shape: Shape
  cells: Uint8Array
}

/** The same rule as `small_map` in views/components/head_list.py. */
export function smallMap({ weights, shape: [queries, keys] }: { weights: Float32Array; shape: Shape }): SmallMap {
  const block = Math.ceil(Math.max(queries, keys) / MOST_CELLS)
  const shape = [Math.ceil(queries / block), Math.ceil(keys / block)] as const
  const most = new Float64Array(shape[0] * shape[1])
  weights.forEach((weight, cell) => {
    const place = Math.floor(Math.floor(cell / keys) / block) * shape[1] + Math.floor((cell % keys) / block)
    most[place] = Math.max(most[place]!, weight)
  })
  const top = most.reduce((one, other) => Math.max(one, other), 0) || 1
  return { shape, cells: Uint8Array.from(most, (weight) => clamp(roundHalfToEven((weight / top) * 255), 256)) }
}

function roundHalfToEven(value: number): number {
  const whole = Math.round(value)
  return whole - value === 0.5 && whole % 2 ? whole - 1 : whole
}

const FIRST = "first" // the id of the head that is first in the list
const OPEN = "open" // the name of the map that has every digit

/**
 * One head; see `HeadRow` in views/components/head_list.py: kind, layer, head, effect in words, and twice a label, which is
 * its index in `labels` and its score.
 */
type SentRow = string

interface Row {
  id: string
  name: string
  kind: string
  layer: string
  head: string
  effect: number
  effectWords: string
  here: string // its label on this input
  often: string // and on many
  causal: boolean
  small: SmallMap
  map: FullMap | null // null if only the server has it
}

interface Axes {
  heading: string
  queries: readonly string[]
  keys: readonly string[]
  query_axis: string
  key_axis: string
  corner: string
  places: boolean
  languages: Languages
  read: readonly string[] | null // the tokens read at the rows, where their names state more
}

interface Header extends Choosable {
  kinds: readonly string[]
  causal: readonly string[] // of the kinds
  rows: readonly SentRow[]
  labels: readonly string[] // with a placeholder for the score
  opacity: number
  orders: Readonly<Record<string, readonly number[]>> // of the rows, where they are not as sent
  axes: Readonly<Record<string, Axes>>
  roles: Readonly<{ sort: string; shown: string; of?: string }>
  columns: readonly [string, string, string, string]
  title: string
  every: string
  theme: Theme
  largest: number
  open: number // the row whose map has every digit
  controls: readonly Control[]
  scales: Readonly<Record<string, Readonly<Record<Theme, readonly string[]>>>>
  hues: Readonly<Record<string, string>>
  negative: string
  masked: Readonly<Record<Theme, string>>
  words: PlaceWords & Readonly<Record<"read" | "table" | "masked" | "options" | "cell", string>>
}

interface FullMap {
  weights: Float32Array
  shape: Shape
  rounded: boolean
}

type Payload = Omit<Header, "rows"> & Underlay & { rows: readonly Row[]; picture: Uint8Array | null }

/** A payload with every head, its map and its small map. */
function readHeads(bytes: Bytes): Payload {
  const [header, arrays] = unpack<Header>(bytes)
  const { kinds, causal, open, controls, roles } = header
  const named = controls.find(({ name }) => name === roles.shown)?.options.filter(([id]) => id !== FIRST) ?? []
  const effects = arrays.floats("effects")
  const whole = kinds.map((kind) => arrays.floats(kind))
  const counted = kinds.map(() => 0)
  const rows = header.rows.map((sent, place): Row => {
    const [number, layer, head, effectWords, ...labels] = sent.split("|") as [string, string, string, string, ...string[]]
    const kind = kinds[Number(number)]!
    const at = counted[Number(number)]!++
    const [id, name] = named[place]!
    const exact = place === open && arrays.has(OPEN)
    const source = exact ? OPEN : kind
    const shape = arrays.shape(arrays.has(kind) ? kind : OPEN).slice(-2) as unknown as Shape
    const weights = exact ? arrays.floats(OPEN) : whole[Number(number)]!.subarray(at * sizeOf(shape), (at + 1) * sizeOf(shape))
    const map = arrays.has(source) ? { weights, shape, rounded: arrays.rounded(source) } : null
    const small = map && arrays.has(kind) ? smallMap(map) : sentSmallMap(arrays, kind, at)
    const here = filled(header.labels[Number(labels[0])]!, { score: labels[1]! })
    const often = filled(header.labels[Number(labels[2])]!, { score: labels[3]! })
    const texts = { layer, head, effectWords, here, often }
    return { id, name, kind, effect: effects[place]!, causal: causal.includes(kind), small, map, ...texts }
  })
  const underlay = arrays.has("picture") ? (arrays.shape("picture").slice(0, 2) as unknown as Shape) : null
  return { ...header, rows, underlay, picture: underlay && arrays.bytes("picture") }
}

function sentSmallMap(arrays: Arrays, kind: string, at: number): SmallMap {
  const shape = arrays.shape(`small ${kind}`).slice(-2) as unknown as Shape
  return { shape, cells: arrays.bytes(`small ${kind}`).subarray(at * sizeOf(shape), (at + 1) * sizeOf(shape)) }
}

class HeadList extends ChoosingView<Bytes, Payload> {
  private options: HTMLDivElement[] = []
  private tables: Record<string, Uint32Array> = {}
  private listed = ""
  private opened: number | null = null
  private built: { choices: Choices; head: HTMLDivElement; list: HTMLDivElement; detail: Heatmap } | undefined

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".list-root")
  }

  show(bytes: Bytes): void {
    if (!this.isNew(bytes)) return
    const header = readHeads(bytes)
    this.listed = ""
    this.opened = null
    const focused = this.options.some((option) => option.matches(":focus"))
    const scrolled = this.built?.list.scrollTop ?? 0
    this.fit([], header.theme)
    this.fill(header)
    this.take(header)
    if (this.built) this.built.list.scrollTop = scrolled
    if (focused) this.options.find((option) => option.tabIndex === 0)?.focus()
    this.root.dataset.drawn = header.rows.map((row) => row.name).join(" ")
  }

  protected override build(): void {
    this.root.replaceChildren()
    const choices = new Choices(this)
    const both = element("div", "with-detail", this.root)
    const ranking = element("div", "ranking", both)
    const head = element("div", "head", ranking)
    head.setAttribute("aria-hidden", "true")
    const list = element("div", "heads", ranking)
    list.setAttribute("role", "listbox")
    this.built = { choices, head, list, detail: new Heatmap(both) }
  }

  private fill(header: Payload): void {
    const { built, theme } = this
    if (!built || !theme) return
    this.root.classList.toggle("once", !header.columns[3])
    built.head.replaceChildren()
    header.columns.forEach((title, place) => {
      element("span", `column-${place}`, built.head).textContent = title
    })
    built.list.setAttribute("aria-label", header.title)
    const tables = Object.entries(header.scales).map(([kind, scale]) => [kind, lookupTable(scale[theme])])
    this.tables = Object.fromEntries(tables) as Record<string, Uint32Array>
    built.list.replaceChildren()
    const grey = packed(header.masked[theme])
    this.options = header.rows.map((row) => {
      const option = this.option(header, row, this.tables[row.kind]!, grey)
      built.list.append(option)
      return option
    })
    layUnder(built.list, header, header.picture ?? new Uint8Array())
  }

  private option(header: Payload, row: Row, colours: Uint32Array, grey: number): HTMLDivElement {
    const option = element("div", "option")
    // the meaning of its numbers
    setAttributes(option, { role: "option", "aria-description": header.columns.slice(1).filter(Boolean).join("; ") })
    Object.assign(option.dataset, { name: row.name, shown: row.id })
    const map = element("span", "map over", option)
    const { shape, cells } = row.small
    const masked = (cell: number) => row.causal && cell % shape[1] > Math.floor(cell / shape[1])
    const canvas = element("canvas", "pixels", map)
    paintCells(canvas, shape, (cell) => (masked(cell) ? grey : colours[cells[cell]!]!))
    const name = element("span", "name", option)
    element("small", "rank", name)
    const called = element("span", "", name)
    called.textContent = row.name
    called.style.borderColor = header.hues[row.kind]!
    const bar = element("span", "effect", option)
    const share = header.largest ? Math.min(100, (100 * Math.abs(row.effect)) / header.largest) : 0
    const colour = row.effect >= 0 ? header.hues[row.kind] : header.negative
    const fill = `color-mix(in srgb, ${colour} 40%, transparent)`
    bar.style.background = `linear-gradient(to right, ${fill} ${share}%, transparent ${share}%)`
    bar.textContent = row.effectWords
    element("span", "label here", option).textContent = row.here
    const over = element("span", "label often", option)
    over.textContent = row.often
    over.dataset.column = header.columns[3]
    option.onclick = () => {
      this.open(header, option)
      this.revealMap()
    }
    option.onkeydown = keyHandler((event) => this.press(event, header, option))
    return option
  }

  /** Draws the selected order of the list and the selected head. */
  protected arrange(chosen: Chosen): void {
    const { payload: header, built } = this
    if (!header || !built) return
    const { sort, of = "", shown } = header.roles
    built.choices.fit(header)
    built.choices.show(chosen)
    const wanted = [undefined, header.every]
    const sorted = header.orders[chosen[sort]!] ?? [...header.rows.keys()]
    const order = sorted.filter((place) => [...wanted, header.rows[place]!.kind].includes(chosen[of]))
    if (order.join() !== this.listed) {
      this.listed = order.join()
      built.list.replaceChildren(...order.map((place) => this.options[place]!))
      order.forEach((place, rank) => {
        this.options[place]!.querySelector(".rank")!.textContent = String(rank + 1)
      })
    }
    const opened = chosen[shown] === FIRST ? (order[0] ?? -1) : header.rows.findIndex(({ id }) => id === chosen[shown])
    this.select(opened, order[0] ?? -1)
    const row = header.rows[opened]
    if (opened === this.opened || !row?.map) return
    this.opened = opened
    built.detail.show(this.inputOf(header, row, row.map))
  }

  /** Whether only the server has the map of the selected head. */
  protected override waits(): boolean {
    return !this.payload?.rows[this.options.findIndex((option) => option.ariaSelected === "true")]?.map
  }

  /** The selected map as input of `Heatmap`. */
  private inputOf(header: Payload, row: Row, { weights, shape, rounded }: FullMap): ShownMap {
    const { words } = header
    const about = header.axes[row.kind]!
    const [height, width] = shape
    const top = largest(weights)
    const colours = this.tables[row.kind]!
    const name = filled(about.heading, { map: placeInWords(words, row.layer, row.head) })
    const kinds = about.places ? (["", ""] as const) : tokensIn(about.languages)
    return {
      name,
      label: filled(words.read, { name, rows: height, columns: width }),
      shape,
      values: weights.map((weight, cell) => (row.causal && cell % width > Math.floor(cell / width) ? -Infinity : weight)),
      rows: about.queries,
      columns: about.keys,
      read: about.read,
      row_title: about.query_axis,
      column_title: about.key_axis,
      kindOf: (_, side) => kinds[side],
      colours,
      shade: (weight) => Math.round(Math.min(1, weight / (top || 1)) * 255),
      grey: packed(header.masked[this.theme ?? "light"]),
      drawScale: (scale) => {
        scale.paint(colours)
        scale.low.textContent = "0"
        scale.high.textContent = threeDigits(top)
      },
      pair: (query, key) => cellNodes(words.cell, about.queries[query]!, about.keys[key]!, kinds),
      write: rounded ? threeDigitsOfHalf : full,
      masked: words.masked,
      table: words.table,
      corner: about.corner,
      numbered: !about.places,
      places: about.places,
      picture: this.pictureOf(header),
    }
  }

  private pictureOf({ picture, underlay, opacity }: Payload): MapPicture | undefined {
    return picture && underlay ? { pixels: picture, size: underlay, opacity } : undefined
  }

  private open(header: Payload, option: HTMLElement): void {
    this.set({ [header.roles.shown]: option.dataset.shown ?? FIRST })
  }

  /** On a small screen the large map is above a long list: a tap in the list scrolls to it. */
  private revealMap(): void {
    const shown = this.built?.detail.root
    if (!shown || shown.getBoundingClientRect().bottom > innerHeight / 4) return
    const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth"
    shown.scrollIntoView({ behavior, block: "start" })
  }

  private press(event: KeyboardEvent, header: Payload, option: HTMLElement): void {
    const shown = [...(option.parentElement?.children ?? [])]
    const place = shown.indexOf(option)
    const steps: Record<string, number> = { ArrowUp: place - 1, ArrowDown: place + 1, Home: 0, End: shown.length - 1 }
    const next = steps[event.key]
    if (event.key === "Enter" || event.key === " ") this.open(header, option)
    else if (next !== undefined) (shown[clamp(next, shown.length)] as HTMLElement).focus()
    else return
    event.preventDefault()
  }

  /** The selected head need not be in the list; then the Tab key reaches the first one. */
  private select(opened: number, first: number): void {
    const known = this.options[opened]?.isConnected
    this.options.forEach((option, place) => {
      option.setAttribute("aria-selected", String(place === opened))
      option.tabIndex = place === (known ? opened : first) ? 0 : -1
    })
  }
}

export default mounting(HeadList, controlsStyle + mapStyle + style)
