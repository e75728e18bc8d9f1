/** Heatmaps of a step view: two dimensions of an array as colours. */

import { lookupTable } from "../../core/colour"
import { dataText, element, filled, markData, pointedCell, setAttributes } from "../../core/dom"
import { clamp } from "../../core/numbers"
import { buildLegend, paintCells, type Legend } from "../../core/painting"
import { labelOf, type Axis, type Content, type HeatmapHeader } from "./content"
import { isLabelHidden, signedDigits } from "./format"
import { buildLabels, StepPanel, type SteppedView } from "./panel"

const ROW = 18 // pixels per row with labels
const MOST_HEIGHT = 440 // pixels into which many rows are compressed
const WIDEST_CELL = 30 // pixels

/** Height and width of a cell in pixels, where all columns have `room` pixels. */
export function cellSize(rows: number, columns: number, room: number): [height: number, width: number] {
  return [Math.min(ROW, Math.max(2, MOST_HEIGHT / rows)), Math.min(WIDEST_CELL, room / columns)]
}

/** The labels on one side of a heatmap. */
interface Side {
  list: HTMLElement
  labels: HTMLElement[]
}

export class HeatmapPanel extends StepPanel<HeatmapHeader> {
  private readonly rows: Axis
  private readonly columns: Axis
  private readonly heads: Side
  private readonly sides: Side
  private readonly field: HTMLElement
  private readonly canvas: HTMLCanvasElement
  private readonly rowMark: HTMLElement | null
  private readonly columnMark: HTMLElement | null
  private readonly legend: Legend
  private painted: string | undefined // positions of the sliders that the picture depends on
  private cell: readonly [height: number, width: number] | undefined

  constructor(view: SteppedView, content: Content, about: HeatmapHeader, parent: ParentNode) {
    super(view, content, about, parent)
    this.rows = content.axes[about.rows]!
    this.columns = content.axes[about.columns]!
    element("div", "axes", this.root).textContent = `${this.rows.title} \u2193 \u2002 ${this.columns.title} \u2192`
    const frame = element("div", "frame", this.root)
    this.heads = buildSide(frame, this.columns, "heads")
    this.sides = buildSide(frame, this.rows, "sides")
    this.field = element("div", "field", frame)
    this.canvas = element("canvas", "pixels", this.field)
    const names = { name: about.name, rows: this.rows.title, columns: this.columns.title }
    setAttributes(this.canvas, { role: "img", "aria-label": filled(content.header.words.map, names) })
    this.rowMark = this.rows.slider ? element("div", "mark", this.field) : null
    this.columnMark = this.columns.slider ? element("div", "mark", this.field) : null
    this.field.onpointermove = (event) => this.pointed(event)
    this.field.onpointerleave = () => view.tip?.hide()
    this.field.onclick = (event) => this.clicked(event)
    this.legend = buildLegend(this.root)
    markData(this.legend.low, "number")
    markData(this.legend.high, "number")
  }

  /** The sliders' positions on the axes that are not drawn. */
  private undrawn(): string {
    const { numbers, rows, columns } = this.about
    return this.undrawnPlaces(numbers, [rows, columns])
  }

  override paint(): void {
    const { about, rows, columns } = this
    this.painted = this.undrawn()
    const colours = lookupTable(about.scales[this.view.theme ?? "light"])
    const low = about.signed ? -about.top : 0
    paintCells(this.canvas, [rows.count, columns.count], (cell) => {
      const number = this.at(Math.floor(cell / columns.count), cell % columns.count)
      return colours[Math.round(255 * Math.min(1, Math.max(0, (number - low) / (about.top - low))))]!
    })
    this.legend.paint(colours)
    this.legend.low.textContent = signedDigits(low)
    this.legend.high.textContent = signedDigits(about.top)
    this.fit()
  }

  private at(row: number, column: number): number {
    return this.number(this.about.numbers, { [this.about.rows]: row, [this.about.columns]: column })
  }

  override fit(): void {
    const { rows, columns, sides, heads, field } = this
    const room = this.root.clientWidth - sides.list.offsetWidth - 2
    if (room <= 0) return
    const [height, width] = (this.cell = cellSize(rows.count, columns.count, room))
    field.style.height = `${rows.count * height}px`
    field.style.width = `${columns.count * width}px`
    this.canvas.classList.toggle("fine", width < 1 || height < 1)
    sides.list.style.height = field.style.height
    heads.list.style.width = field.style.width
    sides.labels.forEach((label, row) => (label.style.top = `${(row + 0.5) * height}px`))
    heads.labels.forEach((label, column) => (label.style.left = `${(column + 0.5) * width}px`))
  }

  override follow(): void {
    const { about, rows, columns, rowMark, columnMark } = this
    if (this.painted !== this.undrawn()) this.paint()
    if (!this.cell) return
    const [height, width] = this.cell
    const [row, column] = [this.view.places[about.rows] ?? 0, this.view.places[about.columns] ?? 0]
    if (rowMark) {
      Object.assign(rowMark.style, { top: `${row * height}px`, left: "0", height: `${height}px`, width: "100%" })
    }
    if (columnMark) {
      const least = Math.max(2, width)
      Object.assign(columnMark.style, { left: `${column * width}px`, top: "0", width: `${least}px`, height: "100%" })
    }
    followSide(this.sides, height, rows.slider ? row : -1)
    followSide(this.heads, width, columns.slider ? column : -1)
  }

  private cellAt(event: MouseEvent): [row: number, column: number] {
    const [row, column] = pointedCell(event, this.field, [this.rows.count, this.columns.count])
    return [clamp(row, this.rows.count), clamp(column, this.columns.count)]
  }

  private pointed(event: PointerEvent): void {
    const [row, column] = this.cellAt(event)
    const name = (axis: Axis, place: number) => [`${axis.title} `, dataText(labelOf(axis, place), axis.said)]
    const value = `${signedDigits(this.at(row, column))} \u2002 `
    const line = [value, ...name(this.rows, row), ", ", ...name(this.columns, column)]
    this.view.tip?.show(event.clientX, event.clientY, line)
  }

  private clicked(event: MouseEvent): void {
    const [row, column] = this.cellAt(event)
    this.view.move({ [this.about.rows]: row, [this.about.columns]: column }, true)
  }
}

function buildSide(frame: ParentNode, axis: Axis, side: string): Side {
  const list = element("div", side, frame)
  return { list, labels: buildLabels(list, axis) }
}

function followSide({ labels }: Side, size: number, selected: number): void {
  labels.forEach((label, place) => {
    label.classList.toggle("chosen", place === selected)
    label.hidden = isLabelHidden(place, selected, size)
  })
}
