/**
 * One large map: tokens on both axes, a read-out of the cell under the pointer or the keyboard cursor, with its row and column
 * marked, and the numbers as a table.
 */

import { calledIn, linkedCell, linkTokens, type Pointed } from "./brushing"
import { arrowStep, element, markData, pointedCell, setAttributes, type DataKind } from "./dom"
import { clamp } from "./numbers"
import { buildLegend, paintCells, paintPicture, type Legend, type Shape } from "./painting"
import { buildTable, Fold } from "./table"
import { buildLiveRegion, Tip } from "./tooltip"

const LABEL = 12 // pixels between two legible labels
const LARGEST_CELL = 44 // pixels
const MARKS = ["row-mark", "column-mark", "cursor"]

type Cell = readonly [row: number, column: number]
type Axis = 0 | 1

/** A picture below a map: red, green and blue of each pixel, its height and width, and how much of it is covered. */
export interface MapPicture {
  pixels: Uint8Array
  size: Shape
  opacity: number
}

/** What a map shows. */
export interface ShownMap {
  name: string // the heading
  label: string // for screen readers
  values: ArrayLike<number> // row by row; minus infinity where masked
  rows: readonly string[]
  columns: readonly string[]
  row_title: string
  column_title: string
  kindOf: (label: string) => DataKind // see `markData`
  colours: ArrayLike<number> // pixels
  shade: (value: number) => number // index of a value's colour
  grey: number // the pixel of a masked cell
  drawScale: (scale: Legend) => void
  pair: (row: number, column: number) => readonly (string | Node)[] // a cell in words
  write: (value: number) => string
  masked: string // the word for a masked cell
  table: string // title of the table
  corner: string
  numbered: boolean // the table numbers its labels
  places: boolean // labels are positions in a picture
  cursor?: Cell // where the arrow keys start
  picture?: MapPicture | undefined
}

export class WeightMap<Shown extends ShownMap = ShownMap> {
  readonly root: HTMLDivElement
  readonly heading: HTMLHeadingElement
  readonly tip: Tip
  protected highest = 720 // pixels of a map
  protected readonly map: HTMLDivElement
  protected readonly canvas: HTMLCanvasElement
  protected shown: Shown | undefined
  protected sides: Shape = [0, 0]
  private at: Cell = [0, 0] // the keyboard cursor
  private under: Uint8Array | undefined
  private readonly columnAxis: HTMLDivElement
  private readonly rowAxis: HTMLDivElement
  private readonly columns: HTMLDivElement
  private readonly rows: HTMLDivElement
  private readonly scale: Legend
  private readonly marked: readonly HTMLDivElement[]
  private readonly liveRegion: HTMLDivElement
  private readonly table: Fold
  private readonly point: (...at: Pointed[]) => void

  /** `onSelect(row, column)` is called with the marked cell, or (-1, -1). */
  constructor(
    holder: ParentNode,
    private readonly onSelect: (row: number, column: number) => void = () => {},
  ) {
    this.root = element("div", "detail", holder)
    this.heading = element("h2", "", this.root)
    this.map = element("div", "map", this.root)
    this.columnAxis = element("div", "key-axis", this.map)
    this.rowAxis = element("div", "query-axis", this.map)
    this.columns = element("div", "keys", this.map)
    this.rows = element("div", "queries", this.map)
    this.canvas = element("canvas", "", this.map)
    this.scale = buildLegend(this.root)
    this.marked = MARKS.map((name) => element("div", name, this.root))
    for (const mark of this.marked) mark.hidden = true
    this.tip = new Tip(this.root, "pair", "value")
    this.liveRegion = buildLiveRegion(this.root)
    this.table = new Fold(this.root, (holder) => this.fill(holder))
    this.point = linkTokens(this.root, (at) => this.markLinked(at))
    this.followLabels(this.rows, 0)
    this.followLabels(this.columns, 1)
    this.followCanvas()
    new ResizeObserver(() => {
      this.leave()
      this.label()
    }).observe(this.canvas)
  }

  private followLabels(list: HTMLElement, axis: Axis): void {
    list.onpointerover = ({ target }) => this.pointLabel([...list.children].indexOf(target as Element), axis)
    list.onpointerleave = () => {
      this.markLinked([])
      this.point()
    }
  }

  private followCanvas(): void {
    const { canvas } = this
    canvas.tabIndex = 0
    canvas.setAttribute("role", "img")
    canvas.onpointermove = (event) => this.pointed(event)
    canvas.onpointerdown = (event) => this.pointed(event)
    canvas.onpointerleave = ({ pointerType }) => {
      if (pointerType !== "touch") this.leave() // after a tap the read-out stays
    }
    canvas.onpointercancel = () => this.leave()
    canvas.onblur = () => this.leave()
    canvas.onkeydown = (event) => this.typed(event)
  }

  show(shown: Shown): void {
    this.shown = shown
    const sides = (this.sides = [shown.rows.length, shown.columns.length])
    this.at = shown.cursor ?? [clamp(this.at[0], sides[0]), clamp(this.at[1], sides[1])]
    const cover = shown.picture ? Math.round(255 * shown.picture.opacity) << 24 : 0xff000000
    paintCells(this.canvas, sides, (cell) => {
      const value = shown.values[cell]!
      const colour = value === -Infinity ? shown.grey : shown.colours[shown.shade(value)]!
      return ((colour & 0xffffff) | cover) >>> 0
    })
    this.layOver(shown.picture)
    shown.drawScale(this.scale)
    this.resize()
    this.table.title.textContent = shown.table
    if (this.heading.textContent && this.heading.textContent !== shown.name) this.liveRegion.textContent = shown.name
    this.heading.textContent = shown.name
    this.heading.dataset.size = sides.join(" \u00d7 ")
    this.rowAxis.textContent = shown.row_title
    this.columnAxis.textContent = shown.column_title
    this.canvas.setAttribute("aria-label", shown.label)
    this.root.dataset.drawn = [...shown.rows, "/", ...shown.columns].join(" ")
    this.leave()
    this.label()
    this.table.follow()
  }

  private resize(): void {
    const [rows, columns] = this.sides
    const ratio = Math.min(2, Math.max(0.5, columns / rows)) // limited, as in the overview
    this.canvas.style.aspectRatio = String(ratio)
    const widest = Math.min(this.highest * ratio, LARGEST_CELL * Math.max(columns, rows * ratio))
    // fits the screen if the page states the height of what is above and below, unless labels would be illegible
    const least = LABEL * rows * ratio
    const whole = `max(${least}px, (var(--window-height, 100vh) - var(--around, -1000vh)) * ${ratio})`
    this.canvas.style.maxWidth = `min(${widest}px, ${whole})`
    this.columns.style.maxWidth = this.canvas.style.maxWidth
  }

  /** Draws the picture below the map, if any. */
  private layOver(picture: MapPicture | undefined): void {
    if (picture?.pixels === this.under) return
    this.under = picture?.pixels
    const canvas = document.createElement("canvas")
    if (picture) paintPicture(canvas, picture.pixels, picture.size)
    this.canvas.style.backgroundImage = picture ? `url(${canvas.toDataURL()})` : ""
  }

  /** Shows as many tokens as are legible. */
  protected label(): void {
    if (!this.shown) return // the numbers have not arrived yet
    const { rows, columns, kindOf } = this.shown
    const write = (list: HTMLElement, names: readonly string[], pixels: number) => {
      const step = Math.max(1, Math.ceil((LABEL * names.length) / Math.max(1, pixels)))
      list.replaceChildren()
      names.forEach((name, number) => {
        markData(element("span", "", list), kindOf(name)).textContent = number % step ? "" : name
      })
    }
    write(this.rows, rows, this.canvas.clientHeight)
    write(this.columns, columns, this.canvas.clientWidth)
  }

  private pointed(event: PointerEvent): void {
    if (!this.shown) return
    const [row, column] = pointedCell(event, this.canvas, this.sides)
    this.read(this.shown, clamp(row, this.sides[0]), clamp(column, this.sides[1]), event.clientX, event.clientY)
  }

  private typed(event: KeyboardEvent): void {
    const step = arrowStep(event.key)
    const { shown, sides } = this
    if (!step || !shown) return
    event.preventDefault()
    const move = (axis: Axis) => clamp(this.at[axis] + step[axis], sides[axis])
    const [row, column] = this.tip.box.hidden ? this.at : [move(0), move(1)]
    const box = this.canvas.getBoundingClientRect()
    const [x, y] = [((column + 0.5) / sides[1]) * box.width, ((row + 0.5) / sides[0]) * box.height]
    this.read(shown, row, column, box.left + x, box.top + y)
    this.liveRegion.replaceChildren(...shown.pair(row, column), `: ${this.valueAt(shown, row, column)}`)
  }

  private read(shown: Shown, row: number, column: number, x: number, y: number): void {
    this.at = [row, column]
    this.tip.show(x, y, shown.pair(row, column), this.valueAt(shown, row, column))
    this.markCell(row, column)
    this.point(called(shown, row, 0), called(shown, column, 1))
    this.onSelect(row, column)
  }

  /** Marks the token of an axis label here and elsewhere. */
  private pointLabel(place: number, axis: Axis): void {
    if (place < 0 || !this.shown) return
    const at = called(this.shown, place, axis)
    this.markLinked([at])
    this.point(at)
  }

  private markLinked(at: readonly Pointed[]): void {
    if (!this.shown) return
    this.tip.hide()
    this.markCell(...linkedCell(at, this.shown.rows, this.shown.columns, this.shown.places))
  }

  /** Marks a cell's row and column with their labels; -1 for none. */
  markCell(row: number, column: number): void {
    const box = this.canvas.getBoundingClientRect()
    const frame = this.root.getBoundingClientRect()
    const [wide, tall] = [box.width / this.sides[1], box.height / this.sides[0]]
    const whole = { left: box.left - frame.left, top: box.top - frame.top, width: box.width, height: box.height }
    const across = { top: whole.top + row * tall, height: tall }
    const down = { left: whole.left + column * wide, width: wide }
    const hidden = [row < 0, column < 0, row < 0 || column < 0]
    const boxes = [{ ...whole, ...across }, { ...whole, ...down }, { ...across, ...down }]
    boxes.forEach((place, number) => {
      const mark = this.marked[number]!
      mark.hidden = hidden[number]!
      for (const [side, pixels] of Object.entries(place)) mark.style.setProperty(side, `${pixels}px`)
    })
    const labels: [HTMLElement, number][] = [
      [this.rows, row],
      [this.columns, column],
    ]
    for (const [list, place] of labels) {
      list.querySelector(".at")?.classList.remove("at")
      list.children[place]?.classList.add("at")
    }
  }

  private valueAt(shown: Shown, row: number, column: number): string {
    const value = shown.values[row * this.sides[1] + column]!
    return value === -Infinity ? shown.masked : shown.write(value)
  }

  private leave(): void {
    if (this.tip.box.hidden) return
    this.tip.hide()
    this.markCell(-1, -1)
    this.point()
    this.onSelect(-1, -1)
  }

  private fill(holder: ParentNode): void {
    const { shown } = this
    if (!shown) return
    const name = (label: string, place: number) => (shown.numbered ? `${place + 1} ${label}` : label)
    const columns = shown.columns.map((label, place): [string, DataKind] => [name(label, place), shown.kindOf(label)])
    const rows = shown.rows.map((label, row): [string, ...string[]] => [
      name(label, row),
      ...shown.columns.map((_, column) => this.valueAt(shown, row, column)),
    ])
    const table = buildTable(holder, [[shown.corner, ""], ...columns], rows, "")
    table.querySelectorAll<HTMLElement>("tbody th").forEach((heading, row) => {
      markData(heading, shown.kindOf(shown.rows[row]!))
    })
    table.querySelectorAll("td").forEach((cell, place) => {
      const value = shown.values[place]!
      // all of a float32's digits
      if (value !== -Infinity) setAttributes(markData(cell, "number"), { title: Number(value.toPrecision(9)) })
    })
  }
}

function called({ rows, columns, places }: ShownMap, place: number, axis: Axis): Pointed {
  return calledIn(axis ? columns : rows, place, places)
}
