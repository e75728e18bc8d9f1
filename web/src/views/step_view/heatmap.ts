/** Heatmaps of a step view: two dimensions of an array as colours, with the sliders' positions marked. */

import { lookupTable } from "../../core/colour"
import { dataText, filled } from "../../core/dom"
import { Heatmap, type ShownMap } from "../../core/heatmap"
import { labelOf, type Axis, type Content, type HeatmapHeader } from "./content"
import { signedDigits } from "./format"
import { StepPanel, type SteppedView } from "./panel"

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
