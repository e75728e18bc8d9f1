/**
 * A heatmap: labels on both axes, numbers in cells with room, a read-out of the cell under the pointer or the keyboard cursor
 * with its row and column marked, the numbers as a table; a picture below it, cells that can be chosen or painted.
 */

import { calledIn, linkedCell, linkTokens, type Pointed } from "./brushing"
import { arrowStep, element, keyHandler, pointedCell, measureTextScale } from "./dom"
import { TYPE, writeNumbers } from "./heatmap/ink"
import { AxisLabels } from "./heatmap/labels"
import { CellMarks, type Region } from "./heatmap/marks"
import { buildNumbers } from "./heatmap/numbers_table"
import type { MapActions, MapPicture, ShownMap } from "./heatmap/shown"
import { Strokes, type Cell } from "./heatmap/strokes"
import { fillScreen, WHOLE_SCREEN_LABEL, WHOLE_SCREEN_TYPE } from "./heatmap/screen_size"
import { clamp } from "./numbers"
import { buildLegend, paintCells, paintPicture, type Legend, type Shape } from "./painting"
import { Fold } from "./table"
import { buildLiveRegion, Tip } from "./tooltip"
import { offerWholeScreen } from "./whole_screen"

const LEAST_ROW = 12 // pixels of a row with a legible label, where text has 16
const LARGEST_CELL = 44 // pixels
const HIGHEST = 720 // pixels of a map

type Axis = 0 | 1

export type { MapActions, MapPicture, ShownMap }

export class Heatmap {
  readonly root: HTMLDivElement
  readonly heading: HTMLHeadingElement
  readonly tip: Tip
  readonly canvas: HTMLCanvasElement
  private readonly map: HTMLDivElement
  private shown: ShownMap | undefined
  private sides: Shape = [0, 0]
  private room: number | undefined // pixels in which a map with cells of fixed size is drawn
  private at: Cell = [0, 0] // the keyboard cursor
  private typing = false // the read-out is that of the keyboard cursor
  private under: Uint8Array | undefined
  private ink: HTMLCanvasElement | undefined
  private readonly columnAxis: HTMLDivElement
  private readonly rowAxis: HTMLDivElement
  private readonly columns: AxisLabels
  private readonly rows: AxisLabels
  private readonly scale: Legend
  private readonly marks: CellMarks
  private readonly liveRegion: HTMLDivElement
  private readonly table: Fold
  private readonly strokes: Strokes | undefined
  private readonly point: (...at: Pointed[]) => void

  /** `highest`: pixels of a map that fills its column. */
  constructor(
    holder: ParentNode,
    private readonly actions: MapActions = {},
    private readonly highest = HIGHEST,
  ) {
    this.root = element("div", "detail", holder)
    this.heading = element("h2", "", this.root)
    this.map = element("div", "map", this.root)
    this.columnAxis = element("div", "key-axis", this.map)
    this.rowAxis = element("div", "query-axis", this.map)
    this.columns = new AxisLabels(element("div", "keys", this.map))
    this.rows = new AxisLabels(element("div", "queries", this.map))
    this.canvas = element("canvas", "", this.map)
    this.scale = buildLegend(this.root)
    offerWholeScreen(this.root)
    this.marks = new CellMarks(this.root, this.canvas)
    this.tip = new Tip(this.root, "pair", "value")
    this.liveRegion = buildLiveRegion(this.root)
    this.table = new Fold(this.root, (holder) => {
      if (this.shown) buildNumbers(holder, this.shown, (row, column) => this.valueAt(this.shown!, row, column))
    })
    this.point = linkTokens(this.root, (at) => this.markLinked(at))
    this.followLabels(this.rows, 0)
    this.followLabels(this.columns, 1)
    this.followCanvas()
    if (actions.paint) this.strokes = new Strokes(this, actions.paint)
    new ResizeObserver(() => {
      this.leave()
      this.label()
    }).observe(this.canvas)
    this.root.addEventListener("fullscreenchange", () => this.followScreen())
  }

  private get isWholeScreen(): boolean {
    return this.root.matches(":fullscreen")
  }

  /** Fits the map to the whole screen, or to its column again. */
  private followScreen(): void {
    const whole = this.isWholeScreen
    if (!whole) {
      Object.assign(this.canvas.style, { width: "", height: "" })
      this.columns.list.style.width = ""
    }
    this.resize()
    this.label()
  }

  private followLabels({ list }: AxisLabels, axis: Axis): void {
    list.onpointerover = ({ target }) => this.pointLabel([...list.children].indexOf(target as Element), axis)
    list.onpointerleave = () => {
      this.markLinked([])
      this.point()
    }
  }

  private followCanvas(): void {
    const { canvas } = this
    const { pick, paint } = this.actions
    canvas.tabIndex = 0
    canvas.setAttribute("role", pick || paint ? "application" : "img") // keys choose cells
    canvas.onpointermove = (event) => this.pointed(event)
    canvas.onpointerdown = (event) => this.pointed(event)
    canvas.onpointerleave = ({ pointerType }) => {
      if (pointerType !== "touch") this.leave() // after a tap the read-out stays
    }
    canvas.onpointercancel = () => this.leave()
    canvas.onblur = () => this.leave()
    canvas.onkeydown = keyHandler((event) => this.typed(event))
    if (!pick) return
    canvas.classList.add("picked")
    canvas.onclick = (event) => pick(...this.cellAt(event))
  }

  /** Shows a map; `room` is the width in pixels for a map with cells of fixed size, with its labels. */
  show(shown: ShownMap, room = this.room): void {
    this.shown = shown
    this.room = room
    const sides = (this.sides = shown.shape)
    this.at = shown.cursor ?? [clamp(this.at[0], sides[0]), clamp(this.at[1], sides[1])]
    this.root.classList.toggle("fixed", Boolean(shown.cellSize))
    this.paint(shown)
    this.layOver(shown.picture)
    shown.drawScale(this.scale)
    this.rows.show(shown.rows, (label) => shown.kindOf(label, 0))
    this.columns.show(shown.columns, (label) => shown.kindOf(label, 1))
    this.resize()
    this.table.title.textContent = shown.table ?? ""
    this.table.fold.hidden = !shown.table
    if (this.heading.textContent && this.heading.textContent !== shown.name) this.liveRegion.textContent = shown.name
    this.heading.textContent = shown.name
    this.heading.dataset.size = sides.join(" \u00d7 ")
    this.rowAxis.textContent = shown.row_title
    this.columnAxis.textContent = shown.column_title
    this.canvas.setAttribute("aria-label", shown.label)
    this.root.dataset.drawn = [...shown.rows, "/", ...shown.columns].join(" ")
    const typing = this.strokes && this.typing // the answer to a painted cell does not end the painting
    this.leave()
    this.label()
    this.table.follow()
    if (typing) this.readAt(shown, this.at)
  }

  private paint(shown: ShownMap): void {
    const cover = shown.picture ? Math.round(255 * shown.picture.opacity) << 24 : 0xff000000
    paintCells(this.canvas, this.sides, (cell) => {
      const value = shown.values[cell]!
      const colour = value === -Infinity ? shown.grey : shown.colours[shown.shade(value)]!
      return ((colour & 0xffffff) | cover) >>> 0
    })
  }

  /** Draws a map with cells of fixed size in a width of `room` pixels. */
  fit(room: number): void {
    this.room = room
    this.resize()
    this.label()
  }

  /** Marks a cell where the user marks none; -1 for a side that has none. */
  keep(row: number, column: number): void {
    if (!this.shown) return
    this.shown.cursor = [row, column]
    this.label()
  }

  private resize(): void {
    if (!this.shown) return
    const [rows, columns] = this.sides
    const { style, classList } = this.canvas
    if (this.isWholeScreen) {
      for (const axis of [this.rows, this.columns]) axis.write(Infinity)
      return fillScreen(this, this.columns.list, this.sides, !this.shown.cellSize)
    }
    if (this.shown.cellSize) {
      this.rows.write(Infinity)
      style.width = this.columns.list.style.width = "0" // a map that is too wide for a new room squeezes its labels
      if (this.ink) this.ink.style.width = "0" // and so would its numbers
      const scale = measureTextScale()
      const room = (this.room ?? this.root.clientWidth) - this.rows.list.offsetWidth - 2
      const [width, height] = this.shown.cellSize(room / scale).map((side) => side * scale) as [number, number]
      Object.assign(style, { width: `${columns * width}px`, height: `${rows * height}px` })
      this.columns.list.style.width = style.width
      classList.toggle("fine", width < 1 || height < 1)
      this.columns.list.classList.toggle("across", this.columns.fitAcross(width))
      return
    }
    const ratio = Math.min(2, Math.max(0.5, columns / rows)) // limited, as in the overview
    style.aspectRatio = String(ratio)
    const widest = Math.min(this.highest * ratio, LARGEST_CELL * Math.max(columns, rows * ratio))
    // fits the screen if the page states the height of what is above and below, unless labels would be illegible
    const least = LEAST_ROW * measureTextScale() * rows * ratio
    const whole = `max(${least}px, (var(--window-height, 100vh) - var(--around, -1000vh)) * ${ratio})`
    style.maxWidth = `min(${widest}px, ${whole})`
    this.columns.list.style.maxWidth = style.maxWidth
  }

  /** Draws the picture below the map, if any. */
  private layOver(picture: MapPicture | undefined): void {
    if (picture?.pixels === this.under) return
    this.under = picture?.pixels
    const canvas = document.createElement("canvas")
    if (picture) paintPicture(canvas, picture.pixels, picture.size)
    this.canvas.style.backgroundImage = picture ? `url(${canvas.toDataURL()})` : ""
  }

  /** Writes as many labels and numbers as are legible. */
  private label(): void {
    const { shown, canvas, tip } = this
    if (!shown) return // the numbers have not arrived yet
    const [row, column] = shown.cursor ?? [-1, -1]
    const label = this.isWholeScreen ? WHOLE_SCREEN_LABEL : undefined
    this.rows.write(canvas.clientHeight, row, label)
    this.columns.write(canvas.clientWidth, column, label)
    if (tip.box.hidden) this.markCell(-1, -1)
    if (!shown.text) return
    this.ink ??= element("canvas", "ink", this.map)
    const gap = getComputedStyle(this.root).getPropertyValue("--st-background-color")
    const size = this.isWholeScreen ? WHOLE_SCREEN_TYPE : TYPE * measureTextScale()
    writeNumbers(this.ink, canvas, { ...shown, text: shown.text }, this.sides, gap, size)
  }

  cellAt(event: MouseEvent): Cell {
    const [row, column] = pointedCell(event, this.canvas, this.sides)
    return [clamp(row, this.sides[0]), clamp(column, this.sides[1])]
  }

  private pointed(event: PointerEvent): void {
    if (this.shown) this.read(this.shown, ...this.cellAt(event), event.clientX, event.clientY)
  }

  private typed(event: KeyboardEvent): void {
    const step = arrowStep(event.key)
    const { shown, sides } = this
    if (!shown) return
    if (!step) return this.typedChoice(event)
    event.preventDefault()
    const move = (axis: Axis) => clamp(this.at[axis] + step[axis], sides[axis])
    this.readOut(shown, this.tip.box.hidden ? this.at : [move(0), move(1)])
  }

  private typedChoice(event: KeyboardEvent): void {
    const { shown, strokes } = this
    const { pick } = this.actions
    if (!shown || (event.key !== "Enter" && event.key !== " ") || !(strokes ?? pick)) return
    event.preventDefault()
    if (strokes) {
      strokes.toggle(this.at)
      this.readOut(shown, this.at)
    } else if (!this.tip.box.hidden) pick?.(...this.at)
  }

  /** Reads out a cell at its place. */
  private readAt(shown: ShownMap, [row, column]: Cell): void {
    const box = this.canvas.getBoundingClientRect()
    const [x, y] = [((column + 0.5) / this.sides[1]) * box.width, ((row + 0.5) / this.sides[0]) * box.height]
    this.read(shown, row, column, box.left + x, box.top + y)
    this.typing = true
  }

  /** Reads out a cell, and announces it. */
  private readOut(shown: ShownMap, [row, column]: Cell): void {
    this.readAt(shown, [row, column])
    this.liveRegion.replaceChildren(...shown.pair(row, column), `: ${this.valueAt(shown, row, column)}`)
  }

  private read(shown: ShownMap, row: number, column: number, x: number, y: number): void {
    this.at = [row, column]
    this.typing = false
    this.tip.show(x, y, shown.pair(row, column), this.valueAt(shown, row, column))
    this.markCell(row, column)
    this.point(...called(shown, row, 0), ...called(shown, column, 1))
    this.actions.select?.(row, column)
  }

  /** Whether a cell that can be painted is on. */
  isOn([row, column]: Cell): boolean {
    return this.shown?.values[row * this.sides[1] + column] !== -Infinity
  }

  /** Switches a cell; off is masked. */
  switch([row, column]: Cell, on: boolean): void {
    if (!this.shown) return
    this.shown.values[row * this.sides[1] + column] = on ? 1 : -Infinity
    this.paint(this.shown)
  }

  /** Marks the token of an axis label here and elsewhere. */
  private pointLabel(place: number, axis: Axis): void {
    if (place < 0 || !this.shown) return
    const at = called(this.shown, place, axis)
    this.markLinked(at)
    this.point(...at)
  }

  private markLinked(at: readonly Pointed[]): void {
    if (!this.shown) return
    this.tip.hide()
    const { rows, read, columns, places } = this.shown
    const [row, column] = linkedCell(at, read ?? rows, columns, places)
    this.markCell(rows.length ? row : -1, columns.length ? column : -1)
  }

  /** Marks a cell's row and column with their labels; -1 for none, which marks the kept cell. */
  markCell(row: number, column: number): void {
    if (row < 0 && column < 0) [row, column] = this.shown?.cursor ?? [-1, -1]
    this.marks.mark(row, column, this.sides)
    this.rows.mark(row)
    this.columns.mark(column)
  }

  /** Frames regions of the map. */
  frame(regions: readonly Region[]): void {
    this.marks.frame(regions, this.sides)
  }

  private valueAt(shown: ShownMap, row: number, column: number): string {
    const value = shown.values[row * this.sides[1] + column]!
    return value === -Infinity ? shown.masked : shown.write(value)
  }

  private leave(): void {
    if (this.tip.box.hidden) return
    this.typing = false
    this.tip.hide()
    this.markCell(-1, -1)
    this.point()
    this.actions.select?.(-1, -1)
  }
}

/** What a position of an axis is called; nothing if the axis has no labels. */
function called({ rows, read, columns, places }: ShownMap, place: number, axis: Axis): Pointed[] {
  const labels = axis ? columns : (read ?? rows)
  return labels.length ? [calledIn(labels, place, places)] : []
}
