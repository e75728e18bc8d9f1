/**
 * A heatmap: labels on both axes, numbers in cells with room, a read-out of the cell under the pointer or the keyboard cursor
 * with its row and column marked, the numbers as a table; a picture below it, cells that can be chosen or painted.
 */

import { type Pointed, calledIn, linkTokens, linkedCell } from "./brushing"
import { type DataKind, arrowStep, element, keyHandler, markData, measureTextScale, pointedCell, setAttributes } from "./dom"
import { clamp, short } from "./numbers"
import { type Legend, type Shape, buildLegend, paintCells, paintPicture } from "./painting"
import { Fold, buildTable } from "./table"
import { Tip, buildLiveRegion } from "./tooltip"
import { offerWholeScreen } from "./whole_screen"

/* The numbers in the cells of a heatmap, and the gaps between cells, on a canvas over them. */

export const TYPE = 10 // pixels where text has 16
const NUMBER_WIDTH = 34 // pixels per cell from which on its number is written in it
const NUMBER_HEIGHT = 12
const GAP_SIDE = 10 // pixels per cell from which on cells are separated

/** What is written into cells with room. */
export interface CellText {
  inks: readonly string[] // colour of the text on each shade
  inkOnGrey: string
  masked: string // the text of a masked cell
  bare: boolean // cells have words, which are only read out
  separated: boolean // cells have gaps between them
}

/** Whether cells of so many pixels have room for numbers in type of `size` pixels. */
export function hasRoom(width: number, height: number, size = TYPE): boolean {
  return width * TYPE >= NUMBER_WIDTH * size && height * TYPE >= NUMBER_HEIGHT * size
}

/** Writes the numbers, if there is room, on a canvas of the size of `cells`; `gap` is the colour between cells. */
export function writeNumbers(
  canvas: HTMLCanvasElement,
  cells: HTMLCanvasElement,
  { values, shade, text }: { values: ArrayLike<number>; shade: (value: number) => number; text: CellText },
  [rows, columns]: Shape,
  gap: string,
  size = TYPE,
): void {
  const [width, height, sharp] = [cells.clientWidth, cells.clientHeight, window.devicePixelRatio || 1]
  Object.assign(canvas, { width: width * sharp, height: height * sharp })
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` })
  const [wide, tall] = [width / columns, height / rows]
  const pen = canvas.getContext("2d")!
  pen.scale(sharp, sharp)
  if (text.separated && Math.min(wide, tall) >= GAP_SIDE) {
    pen.fillStyle = gap
    for (let row = 1; row < rows; row++) pen.fillRect(0, row * tall - 1, width, 1)
    for (let column = 1; column < columns; column++) pen.fillRect(column * wide - 1, 0, 1, height)
  }
  if (text.bare || !hasRoom(wide, tall, size)) return
  pen.font = `${size}px ${getComputedStyle(cells).fontFamily}`
  pen.textAlign = "center"
  pen.textBaseline = "middle"
  for (let cell = 0; cell < values.length; cell++) {
    const value = values[cell]!
    const masked = value === -Infinity
    pen.fillStyle = masked ? text.inkOnGrey : text.inks[shade(value)]!
    const [x, y] = [(cell % columns) + 0.5, Math.floor(cell / columns) + 0.5]
    pen.fillText(masked ? text.masked : short(value), x * wide, y * tall)
  }
}

/* The frames over cells of a heatmap: row, column and cell under the pointer or the cursor, and regions. */

const MARKS = ["row-mark", "column-mark", "cursor"]

/** A rectangle of cells. */
export type Region = readonly [row: number, rows: number, column: number, columns: number]

export class CellMarks {
  private readonly marks: readonly HTMLDivElement[]
  private readonly regions: HTMLDivElement

  constructor(
    private readonly root: HTMLElement,
    private readonly canvas: HTMLCanvasElement,
  ) {
    this.marks = MARKS.map((name) => element("div", name, root))
    for (const mark of this.marks) mark.hidden = true
    this.regions = element("div", "regions", root)
  }

  /** Marks a row, a column and their cell; -1 for none. */
  mark(row: number, column: number, sides: Shape): void {
    const [rows, columns] = sides
    const regions: (Region | null)[] = [
      row < 0 ? null : [row, 1, 0, columns],
      column < 0 ? null : [0, rows, column, 1],
      row < 0 || column < 0 ? null : [row, 1, column, 1],
    ]
    regions.forEach((region, number) => {
      const mark = this.marks[number]!
      mark.hidden = !region
      if (region) this.place(mark, region, sides)
    })
  }

  /** Frames regions, which stay until others are framed. */
  frame(regions: readonly Region[], sides: Shape): void {
    this.regions.replaceChildren()
    for (const region of regions) this.place(element("div", "part", this.regions), region, sides)
  }

  private place(mark: HTMLElement, [row, rows, column, columns]: Region, sides: Shape): void {
    const box = this.canvas.getBoundingClientRect()
    const frame = this.root.getBoundingClientRect()
    const [wide, tall] = [box.width / sides[1], box.height / sides[0]]
    Object.assign(mark.style, {
      left: `${box.left - frame.left + column * wide}px`,
      top: `${box.top - frame.top + row * tall}px`,
      width: `${columns * wide}px`,
      height: `${rows * tall}px`,
    })
  }
}

/* The numbers of a heatmap as a table. */

interface Numbers {
  values: ArrayLike<number>
  rows: readonly string[]
  columns: readonly string[]
  kindOf: (label: string, side: 0 | 1) => DataKind
  corner?: string
  numbered?: boolean // labels have numbers
}

/** Builds the table; `textOf` returns the text of a cell. */
export function buildNumbers(holder: ParentNode, shown: Numbers, textOf: (row: number, column: number) => string): void {
  const name = (label: string, place: number) => (shown.numbered ? `${place + 1} ${label}` : label)
  const columns = shown.columns.map((label, place): [string, DataKind] => [name(label, place), shown.kindOf(label, 1)])
  const rows = shown.rows.map((label, row): [string, ...string[]] => [
    name(label, row),
    ...shown.columns.map((_, column) => textOf(row, column)),
  ])
  const table = buildTable(holder, [[shown.corner ?? "", ""], ...columns], rows, "")
  table.querySelectorAll<HTMLElement>("tbody th").forEach((heading, row) => {
    markData(heading, shown.kindOf(shown.rows[row]!, 0))
  })
  table.querySelectorAll("td").forEach((cell, place) => {
    const value = shown.values[place]!
    // all of a float32's digits
    if (value !== -Infinity) setAttributes(markData(cell, "number"), { title: Number(value.toPrecision(9)) })
  })
}

/* What a heatmap shows, and what a user does with it. */

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
  shape: Shape
  values: Float32Array | number[] // row by row; minus infinity where masked
  rows: readonly string[] // labels; none if an axis is only numbered
  columns: readonly string[]
  read?: readonly string[] | null // the tokens by which rows are found in other views, where `rows` state more
  row_title: string
  column_title: string
  kindOf: (label: string, side: 0 | 1) => DataKind // of a row or a column, see `markData`
  colours: ArrayLike<number> // pixels
  shade: (value: number) => number // index of a value's colour
  grey: number // the pixel of a masked cell
  text?: CellText | undefined // written into cells with room
  drawScale: (scale: Legend) => void
  pair: (row: number, column: number) => readonly (string | Node)[] // a cell in words
  write: (value: number) => string
  masked: string // the word for a masked cell
  table?: string // title of the table; none without one
  corner?: string
  numbered?: boolean // the table numbers its labels
  places: boolean // labels are positions in a picture
  cursor?: Cell // marked where nothing else is, and where the arrow keys start
  picture?: MapPicture | undefined
  cellSize?: (room: number) => readonly [width: number, height: number] // pixels; without it the map fills its column
}

/** What a user does with a map. */
export interface MapActions {
  select?: (row: number, column: number) => void // the marked cell, or (-1, -1)
  pick?: (row: number, column: number) => void // a click, Enter or Space
  paint?: (cells: readonly Painted[]) => void // a stroke; see `Strokes`
}

/* Paint mode of a heatmap whose cells are on or off: a drag, a click, a tap, Space or Enter switches cells. */

export type Cell = readonly [row: number, column: number]

/** A switched cell with its new state. */
export type Painted = readonly [row: number, column: number, on: boolean]

/** The heatmap that is painted. */
interface PaintedMap {
  readonly canvas: HTMLCanvasElement
  cellAt: (event: MouseEvent) => Cell
  isOn: (cell: Cell) => boolean
  switch: (cell: Cell, on: boolean) => void
}

/** The cells of one stroke, which all get the state that the first one did not have. */
export class Strokes {
  private stroke: { on: boolean; cells: Painted[] } | undefined

  /** `onPaint` is called with the cells of a stroke when it ends. */
  constructor(
    private readonly map: PaintedMap,
    private readonly onPaint: (cells: readonly Painted[]) => void,
  ) {
    const { canvas } = map
    canvas.classList.add("paint")
    canvas.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "touch") return // dragging a finger scrolls the page; a tap switches a cell
      canvas.setPointerCapture(event.pointerId)
      const cell = map.cellAt(event)
      this.stroke = { on: !map.isOn(cell), cells: [] }
      this.add(cell)
    })
    canvas.addEventListener("pointermove", (event) => this.add(map.cellAt(event)))
    canvas.addEventListener("pointerup", () => this.end())
    canvas.addEventListener("pointercancel", () => this.end())
    canvas.addEventListener("click", (event) => {
      if (event instanceof PointerEvent && event.pointerType === "touch") this.toggle(map.cellAt(event))
    })
  }

  /** Switches one cell. */
  toggle(cell: Cell): void {
    this.stroke = { on: !this.map.isOn(cell), cells: [] }
    this.add(cell)
    this.end()
  }

  private add(cell: Cell): void {
    if (!this.stroke || this.map.isOn(cell) === this.stroke.on) return
    this.map.switch(cell, this.stroke.on)
    this.stroke.cells.push([...cell, this.stroke.on])
  }

  private end(): void {
    if (this.stroke?.cells.length) this.onPaint(this.stroke.cells)
    this.stroke = undefined
  }
}

/* The size of a map in the whole screen. */

export const WHOLE_SCREEN_LABEL = 26 // pixels of a label in the whole screen
export const WHOLE_SCREEN_TYPE = 20 // pixels of the numbers in cells
const LARGEST_SCREEN_CELL = 96 // pixels
const LEGIBLE = 40 // pixels of a row: narrow cells are not made lower than that where there is room

/**
 * Pixels of a cell so that a map of this shape fills a room without leaving it.
 *
 * `square`: cells are as high as wide; else those that are narrow, because there are many, may be higher.
 */
export function wholeScreenCell([rows, columns]: Shape, width: number, height: number, square: boolean): [number, number] {
  const [across, down] = [Math.min(LARGEST_SCREEN_CELL, width / columns), Math.min(LARGEST_SCREEN_CELL, height / rows)]
  const side = Math.min(across, down)
  return square ? [side, side] : [across, Math.min(down, Math.max(across, LEGIBLE))]
}

/** Makes a map as large as the whole screen allows below its heading and next to its labels; `keys` are those of its columns. */
export function fillScreen(
  { root, canvas }: { root: HTMLElement; canvas: HTMLCanvasElement },
  keys: HTMLElement,
  sides: Shape,
  square: boolean,
): void {
  keys.classList.remove("across")
  for (const { style } of [canvas, keys]) style.width = "0"
  canvas.style.height = "0"
  const edge = parseFloat(getComputedStyle(root).paddingLeft)
  const [outside, inside] = [root.getBoundingClientRect(), canvas.getBoundingClientRect()]
  const room = [root.clientWidth - edge - (inside.left - outside.left), root.clientHeight - edge - (inside.top - outside.top)]
  const [width, height] = wholeScreenCell(sides, room[0]!, room[1]!, square)
  Object.assign(canvas.style, { width: `${sides[1] * width}px`, height: `${sides[0] * height}px` })
  keys.style.width = canvas.style.width
}

/* The labels of an axis of a heatmap or of a chart: as many as are legible. */

const LABEL = 12 // pixels that a label needs where text has 16
const LONG = 12 // letters from which on a label may be cut, so that it has a title
const TALLER = 1.25 // times as much for one in Hangul, which fills its line
const HANGUL = /\p{Script=Hangul}/u

/**
 * Whether a label is hidden where each has `size` pixels and needs `label`: others, and the selected one, take its room; -1
 * for none.
 */
export function isLabelHidden(place: number, selected: number, size: number, label = LABEL): boolean {
  if (size >= label || place === selected) return false
  return (selected >= 0 && Math.abs(place - selected) * size < label) || place % Math.ceil(label / size) > 0
}

/** The labels of one axis. */
export class AxisLabels {
  private names: readonly string[] = []
  private spans: HTMLSpanElement[] = []
  private taller = 1

  constructor(readonly list: HTMLDivElement) {}

  /** Builds them anew. */
  show(names: readonly string[], kindOf: (label: string) => DataKind): void {
    this.names = names
    this.taller = names.some((name) => HANGUL.test(name)) ? TALLER : 1
    this.list.replaceChildren()
    this.spans = names.map((name) => markData(element("span", "", this.list), kindOf(name)))
  }

  /** Writes those that are legible in so many pixels, where each needs `label`, and the selected one. */
  write(pixels: number, selected = -1, label = LABEL * measureTextScale()): void {
    const size = Math.max(1, pixels) / this.names.length
    const least = size >= label ? label : label * this.taller // where some are left out anyway
    this.spans.forEach((span, place) => {
      const text = isLabelHidden(place, selected, size, least) ? "" : this.names[place]!
      if (span.textContent !== text) span.textContent = text
      span.title = text.length > LONG ? text : ""
    })
  }

  /** Emphasises one; -1 for none. */
  mark(place: number): void {
    this.list.querySelector(".at")?.classList.remove("at")
    this.spans[place]?.classList.add("at")
  }

  /** Whether all fit horizontally into cells of so many pixels. */
  fitAcross(width: number): boolean {
    const pen = document.createElement("canvas").getContext("2d")!
    const { fontSize, fontFamily } = getComputedStyle(this.list)
    pen.font = `${fontSize} ${fontFamily}`
    return this.names.every((name) => pen.measureText(name).width + 4 <= width)
  }
}

const LEAST_ROW = 12 // pixels of a row with a legible label, where text has 16
const LARGEST_CELL = 44 // pixels
const HIGHEST = 720 // pixels of a map

type Axis = 0 | 1


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
