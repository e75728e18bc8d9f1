/** Base class of the panels of a step view. A panel is painted once and then follows the sliders. */

import { type Theme, lookupTable } from "../../core/colour"
import { button, dataText, element, filled, followDrag, markData, measureTextScale, svgElement } from "../../core/dom"
import { Heatmap, type ShownMap, isLabelHidden } from "../../core/heatmap"
import { drawn, grouped } from "../../core/numbers"
import { buildScroll } from "../../core/table"
import type { Tip } from "../../core/tooltip"
import {
  type Axis,
  type BarColumn,
  type BarsHeader,
  type Content,
  type FormulaHeader,
  type HeatmapHeader,
  type PanelHeader,
  type Places,
  type RibbonHeader,
  type Words,
  labelOf,
  signedDigits,
} from "./content"

/* Texts of a step view with placeholders for numbers and labels, which follow the sliders. */

/** A text, the number of an array, or an axis's position as its label or as a number from 1. */
type FormulaPart = { text: string } | { array: string } | { axis: string; counted: boolean }

/** The parts of a formula: `{key of an array}`, `{id of an axis}`, `{id#}`; anything else is text. */
export function formulaParts(text: string, { numbers, axes }: Pick<Content, "numbers" | "axes">): FormulaPart[] {
  return text.split(/(\{[^{}]+\})/).map((part) => {
    const name = part.startsWith("{") ? part.slice(1, -1) : ""
    if (name in numbers) return { array: name }
    if (name in axes) return { axis: name, counted: false }
    return name.endsWith("#") ? { axis: name.slice(0, -1), counted: true } : { text: part }
  })
}

/** What a text with placeholders shows at the moment. */
export interface Values {
  content: () => Content
  place: (axis: string) => number
  written: (array: string) => string
}

/** Writes a text into `parent`; returns what writes its numbers and labels anew. */
export function writeFormula(parent: HTMLElement, text: string, values: Values): () => void {
  const shown: (readonly [node: HTMLElement, write: () => string])[] = []
  for (const part of formulaParts(text, values.content())) {
    if ("text" in part) parent.append(part.text)
    else if ("array" in part) {
      shown.push([markData(element("b", "", parent), "number"), () => values.written(part.array)])
    } else {
      const axis = values.content().axes[part.axis]
      const kind = (!part.counted && axis?.said) || "number"
      const write = () => {
        const place = values.place(part.axis)
        return part.counted || !axis ? String(place + 1) : labelOf(axis, place)
      }
      shown.push([markData(element("b", "", parent), kind), write])
    }
  }
  return () => {
    for (const [node, write] of shown) node.textContent = write()
  }
}

/* The slider of one axis of a step view, with buttons for one step. */

export class StepSlider {
  private readonly at: HTMLElement
  private readonly shown: HTMLElement
  private readonly input: HTMLInputElement
  private readonly back: HTMLButtonElement
  private readonly forward: HTMLButtonElement

  constructor(
    private readonly view: SteppedView,
    private readonly axis: Axis,
    private readonly words: Words,
    parent: ParentNode,
  ) {
    const group = element("div", "slider", parent)
    const head = element("label", "", group)
    this.at = element("span", "at", head)
    this.shown = markData(element("b", "", head), axis.said || "number")
    this.input = markData(element("input", "", head), axis.said)
    Object.assign(this.input, { type: "range", min: 1, max: axis.count, step: 1 })
    this.input.dataset.axis = axis.id
    const follow = () => view.move({ [axis.id]: Number(this.input.value) - 1 })
    followDrag(view, this.input, follow, () => view.tellPlaces())
    this.back = this.stepper(group, "\u2039", words.back, -1)
    this.forward = this.stepper(group, "\u203a", words.forward, 1)
    group.hidden = axis.count < 2
  }

  private get place(): number {
    return this.view.places[this.axis.id] ?? 0
  }

  private stepper(parent: ParentNode, sign: string, word: string, by: number): HTMLButtonElement {
    const node = button(parent, sign, () => this.view.move({ [this.axis.id]: this.place + by }, true))
    node.setAttribute("aria-label", filled(word, { title: this.axis.title }))
    return node
  }

  follow(): void {
    const { axis, place, words } = this
    const { title, count } = axis
    this.input.value = String(place + 1)
    this.back.disabled = place === 0
    this.forward.disabled = place === count - 1
    const at = axis.values.length ? title : filled(words.at, { title, place: place + 1, count })
    this.at.textContent = at
    this.shown.textContent = axis.labels.length ? labelOf(axis, place) : ""
    this.input.setAttribute("aria-valuetext", `${at} ${this.shown.textContent}`.trim())
  }
}

/** What panels and sliders need of their view. */
export interface SteppedView {
  readonly places: Places
  readonly theme: Theme | undefined
  readonly tip: Tip | undefined
  readonly unsent: AbortController | undefined
  move: (places: Places, tell?: boolean) => void
  tellPlaces: () => void
}

export abstract class StepPanel<About extends PanelHeader> {
  readonly root: HTMLElement
  /** Writes the numbers of the title anew. */
  readonly followTitle: () => void

  /** `content` and `about` are replaced when a new payload has the same layout. */
  constructor(
    protected readonly view: SteppedView,
    public content: Content,
    public about: About,
    parent: ParentNode,
  ) {
    this.root = element("figure", about.is, parent)
    this.root.classList.toggle("wide", about.wide)
    const finding = "finding" in about ? about.finding : ""
    const caption = finding || about.name ? element("figcaption", "", this.root) : undefined
    if (caption && !finding) caption.textContent = about.name ?? "" // may be a user's text: no placeholders
    this.followTitle = caption && finding ? this.writeText(caption, finding) : () => {}
  }

  /** Writes a text with placeholders into `parent`; returns what writes them anew. */
  protected writeText(parent: HTMLElement, text: string): () => void {
    return writeFormula(parent, text, {
      content: () => this.content,
      place: (axis) => this.view.places[axis] ?? 0,
      written: (array) => this.written(array, this.number(array)),
    })
  }

  /** Shows the sliders' positions. */
  abstract follow(): void

  paint(): void {}

  fit(): void {}

  /** The number at the sliders' positions, some replaced by `places`; NaN if there is none. */
  protected number(key: string, places: Places = {}): number {
    return this.content.numbers[key]?.at({ ...this.view.places, ...places }) ?? NaN
  }

  /** A number as text; `nothing` if there is none. */
  protected written(key: string, value: number, nothing = ""): string {
    if (Number.isNaN(value) && nothing) return nothing
    return this.content.header.whole.includes(key) ? grouped(value) : signedDigits(value)
  }

  /** The positions of an array's axes that are not drawn; the picture depends on these only. */
  protected undrawnPlaces(key: string, drawn: readonly string[]): string {
    const undrawn = this.content.numbers[key]?.dims.filter((dim) => !drawn.includes(dim)) ?? []
    return undrawn.map((dim) => this.view.places[dim]).join()
  }
}

/** The labels of an axis that are written next to what is drawn along it. */
export function buildLabels(parent: ParentNode, axis: Axis): HTMLSpanElement[] {
  return (axis.beside ? axis.labels : []).map((label) => {
    const node = markData(element("span", "", parent), axis.said)
    node.textContent = label
    return node
  })
}

/* Tables of bars of a step view: a row for each position of one axis, a bar and a number for each array. */

/** Start and length of a bar in per cent of its track; a bar of both signs starts in the middle. */
export function barExtent(value: number, { top, signed }: Pick<BarColumn, "top" | "signed">): [left: number, width: number] {
  const share = Math.min(1, Math.abs(value) / top) * (signed ? 50 : 100)
  return [signed ? (value < 0 ? 50 - share : 50) : 0, share || 0]
}

interface Cell {
  bar: HTMLElement
  number: HTMLElement
}

interface Line {
  line: HTMLTableRowElement
  cells: Cell[]
}

export class BarsPanel extends StepPanel<BarsHeader> {
  private readonly axis: Axis
  private readonly lines: Line[]

  constructor(view: SteppedView, content: Content, about: BarsHeader, parent: ParentNode) {
    super(view, content, about, parent)
    this.axis = content.axes[about.along]!
    const name = about.name || this.axis.title
    const table = element("table", "", buildScroll(this.root, name))
    table.setAttribute("aria-label", name)
    const head = element("tr", "", element("thead", "", table))
    for (const title of [this.axis.title, ...about.columns.map((column) => column.name)]) {
      const cell = element("th", "", head)
      cell.scope = "col"
      cell.textContent = title
    }
    const body = element("tbody", "", table)
    this.lines = Array.from({ length: this.axis.count }, (_, place) => this.buildLine(place, body))
  }

  private buildLine(place: number, body: ParentNode): Line {
    const { about, axis } = this
    const line = element("tr", "", body)
    const heading = element("th", "", line)
    heading.scope = "row"
    const label = markData(element(place === about.taken ? "b" : "span", "", heading), axis.said || "number")
    label.textContent = labelOf(axis, place)
    if (place === about.taken) {
      label.className = "taken"
      label.style.background = `color-mix(in srgb, ${about.hue} 38%, transparent)`
    }
    if (axis.slider) line.onclick = () => this.view.move({ [about.along]: place }, true)
    return { line, cells: about.columns.map((column) => buildCell(column, line)) }
  }

  override follow(): void {
    const { about, axis, view } = this
    this.lines.forEach(({ line, cells }, place) => {
      line.classList.toggle("chosen", axis.slider && view.places[about.along] === place)
      about.columns.forEach((column, index) => {
        const value = this.number(column.numbers, { [about.along]: place })
        const { bar, number } = cells[index]!
        const [left, width] = barExtent(value, column)
        bar.style.width = `${width}%`
        bar.style.left = `${left}%`
        bar.style.background = column.hues[value < 0 ? 0 : 1]
        number.textContent = this.written(column.numbers, value, column.nothing)
        number.classList.toggle("nothing", Number.isNaN(value))
      })
    })
  }
}

function buildCell(column: BarColumn, line: ParentNode): Cell {
  const cell = element("td", "", line)
  const track = element("span", "track", cell)
  track.hidden = !column.bar
  const bar = element("span", "bar", track)
  return { bar, number: markData(element("span", "number", cell), "number") }
}

/* Formulas of a step view: a line of text with placeholders for numbers and labels. */

export class FormulaPanel extends StepPanel<FormulaHeader> {
  private readonly write: () => void

  constructor(view: SteppedView, content: Content, about: FormulaHeader, parent: ParentNode) {
    super(view, content, about, parent)
    this.write = this.writeText(this.root, about.text)
  }

  override follow(): void {
    this.write()
  }
}

/* A ribbon of a step view: its width at a position is a number, and it ends at the slider's position. */

const WIDEST = 72 // pixels of the ribbon for the number `top`
const THINNEST = 1 // pixels, so that a ribbon that is nearly nothing is seen
const HEIGHT = 96 // pixels
const NUMBER = 46 // pixels of a number with its gap

/** The outline of a ribbon through points with a width each, as the path of an SVG; it runs level to both edges. */
export function ribbonPath(widths: readonly number[], step: number): string {
  const across = (place: number) => (place + 0.5) * step
  const middle = HEIGHT / 2
  const edge = (sign: number) => widths.map((width, place) => [across(place), middle + (sign * width) / 2] as const)
  const upper = edge(-1)
  const lower = edge(1).reverse()
  const [first, last] = [upper[0], upper.at(-1)]
  if (!first || !last) return ""
  const end = drawn(widths.length * step, 1)
  const points = [[0, first[1]], ...upper, [end, last[1]], [end, HEIGHT - last[1]], ...lower, [0, HEIGHT - first[1]]]
  return `M${points.map((point) => point.map((each) => drawn(Number(each), 1)).join(" ")).join("L")}Z`
}

/** Whether a number has no room next to that of the slider's position and those before it. */
export function isNumberHidden(place: number, now: number, step: number): boolean {
  const every = Math.ceil(NUMBER / step)
  return place !== now && (place % every !== 0 || Math.abs(place - now) < every)
}

export class RibbonPanel extends StepPanel<RibbonHeader> {
  private readonly axis: Axis
  private readonly picture: SVGSVGElement
  private readonly whole: SVGPathElement
  private readonly read: SVGPathElement
  private readonly numbers: HTMLElement[]
  private readonly labels: HTMLElement[]
  private width = 0 // of the picture in pixels

  constructor(view: SteppedView, content: Content, about: RibbonHeader, parent: ParentNode) {
    super(view, content, about, parent)
    this.axis = content.axes[about.along]!
    const above = element("div", "over-ribbon", this.root)
    this.numbers = Array.from({ length: this.axis.count }, () => markData(element("span", "", above), "number"))
    this.picture = svgElement("svg", { role: "img", height: HEIGHT, preserveAspectRatio: "none" }, this.root)
    const names = { name: about.name, along: this.axis.title }
    this.picture.setAttribute("aria-label", filled(content.header.words.chart, names))
    this.picture.setAttribute("class", "ribbon-picture")
    this.whole = svgElement("path", { class: "ribbon-outline" }, this.picture)
    this.read = svgElement("path", { class: "ribbon-filled" }, this.picture)
    this.picture.onclick = (event) => this.clicked(event)
    this.labels = buildLabels(element("div", "under", this.root), this.axis)
  }

  override paint(): void {
    this.fit()
  }

  override fit(): void {
    this.width = this.picture.getBoundingClientRect().width
    if (!this.width) return
    this.picture.setAttribute("viewBox", `0 0 ${this.width} ${HEIGHT}`)
    for (const list of [this.labels, this.numbers]) {
      list.forEach((label, place) => (label.style.left = `${(100 * (place + 0.5)) / this.axis.count}%`))
    }
  }

  override follow(): void {
    if (!this.width) this.fit()
    if (!this.width) return
    const { along, numbers, top, hue } = this.about
    const now = this.view.places[along] ?? 0
    const values = Array.from({ length: this.axis.count }, (_, place) => this.number(numbers, { [along]: place }))
    const widths = values.map((value) => Math.max(THINNEST, (WIDEST * value) / top))
    const step = this.width / this.axis.count
    const room = step / measureTextScale()
    this.whole.setAttribute("d", ribbonPath(widths, step))
    this.read.setAttribute("d", ribbonPath(widths.slice(0, now + 1), step))
    this.read.style.fill = hue
    this.numbers.forEach((number, place) => {
      number.textContent = this.written(numbers, values[place]!)
      number.hidden = place > now || isNumberHidden(place, now, room)
    })
    this.labels.forEach((label, place) => {
      label.classList.toggle("chosen", place === now)
      label.hidden = isLabelHidden(place, now, room)
    })
  }

  private clicked(event: MouseEvent): void {
    const box = this.picture.getBoundingClientRect()
    const place = Math.floor(((event.clientX - box.left) / box.width) * this.axis.count)
    this.view.move({ [this.about.along]: place }, true)
  }
}

/* Heatmaps of a step view: two dimensions of an array as colours, with the sliders' positions marked. */

const ROW = 18 // pixels per row with labels
const MOST_HEIGHT = 440 // pixels into which many rows are compressed
const WIDEST_CELL = 30 // pixels
const BLANK = { light: 0xf3f3f3, dark: 0x2b2b2b } as const // pixels of rows that are not reached

/** Width and height of a cell in pixels, where all columns have `room` pixels. */
export function cellSize(rows: number, columns: number, room: number): readonly [width: number, height: number] {
  return [Math.min(WIDEST_CELL, room / columns), Math.min(ROW, Math.max(2, MOST_HEIGHT / rows))]
}

export class HeatmapPanel extends StepPanel<HeatmapHeader> {
  private readonly rows: Axis
  private readonly columns: Axis
  private readonly map: Heatmap
  private painted: string | undefined // positions of the sliders that the picture depends on

  constructor(view: SteppedView, content: Content, about: HeatmapHeader, parent: ParentNode) {
    super(view, content, about, parent)
    this.rows = content.axes[about.rows]!
    this.columns = content.axes[about.columns]!
    const pick = (row: number, column: number) => view.move({ [this.about.rows]: row, [this.about.columns]: column }, true)
    this.map = new Heatmap(this.root, { pick })
  }

  /** The sliders' positions on the axes that are not drawn. */
  private undrawn(): string {
    const { numbers, rows, columns, grows } = this.about
    return [this.undrawnPlaces(numbers, [rows, columns]), grows ? this.view.places[rows] : ""].join()
  }

  /** The number of columns that are drawn. */
  private get width(): number {
    return this.about.most ? Math.min(this.about.most, this.columns.count) : this.columns.count
  }

  override paint(): void {
    this.painted = this.undrawn()
    this.map.show(this.shown(), this.root.clientWidth)
    this.follow()
  }

  private shown(): ShownMap {
    const { about, rows, columns, width } = this
    const theme = this.view.theme ?? "light"
    const last = about.grows ? (this.view.places[about.rows] ?? 0) : rows.count
    const colours = lookupTable(about.scales[theme])
    const low = about.signed ? -about.top : 0
    const inWords = (axis: Axis, place: number) => [`${axis.title} `, dataText(labelOf(axis, place), axis.said)]
    return {
      name: "",
      label: filled(this.content.header.words.map, { name: about.name, rows: rows.title, columns: columns.title }),
      shape: [rows.count, width],
      values: Float32Array.from({ length: rows.count * width }, (_, cell) => {
        const row = Math.floor(cell / width)
        return row > last ? -Infinity : this.at(row, cell % width)
      }),
      rows: rows.beside ? rows.labels : [],
      columns: columns.beside ? columns.labels.slice(0, width) : [],
      row_title: "",
      column_title: `${rows.title} \u2193 \u2002 ${columns.title} \u2192`,
      kindOf: (_, side) => [rows, columns][side]!.said,
      colours,
      shade: (value) => Math.round(255 * Math.min(1, Math.max(0, (value - low) / (about.top - low)))),
      grey: BLANK[theme],
      drawScale: (scale) => {
        scale.paint(colours)
        scale.low.textContent = signedDigits(low)
        scale.high.textContent = signedDigits(about.top)
      },
      pair: (row, column) => [...inWords(rows, row), ", ", ...inWords(columns, column)],
      write: signedDigits,
      masked: this.content.header.words.unread,
      places: false,
      cellSize: (room) => cellSize(rows.count, width, room),
    }
  }

  private at(row: number, column: number): number {
    return this.number(this.about.numbers, { [this.about.rows]: row, [this.about.columns]: column })
  }

  override fit(): void {
    if (this.root.clientWidth) this.map.fit(this.root.clientWidth)
  }

  override follow(): void {
    const title = this.root.querySelector("figcaption")?.textContent
    if (title) this.map.root.dataset.title = title // in the whole screen, where the caption is not
    if (this.painted !== this.undrawn()) return this.paint()
    const { rows, columns, about } = this
    const place = ({ slider }: Axis, id: string) => (slider ? (this.view.places[id] ?? 0) : -1)
    const column = place(columns, about.columns)
    this.map.keep(place(rows, about.rows), column < this.width ? column : -1)
  }
}
