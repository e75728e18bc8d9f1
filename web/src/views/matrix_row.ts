/**
 * Matrices next to each other, with operators between them. A cell marks, in the other matrices, the cells from which it is
 * computed; in an editable matrix a drag, a click, Space or Enter switches cells.
 */

import { themeOf, type Theme } from "../core/colour"
import { mounting, View } from "../core/component"
import { element } from "../core/dom"
import { Heatmap, type ShownMap } from "../core/heatmap"
import mapStyle from "../core/heatmap.css"
import { decode, heatmapOf, isOperator, type Matrix, type MatrixSettings, type Operator } from "../core/matrices"
import type { Bytes } from "../core/payload"
import style from "./matrix_row.css"
import { cellSize, shownLabels } from "./matrix_row/layout"
import { partsOf, type Cell, type Operation } from "./matrix_row/sources"

const GAP = 14 // pixels between two matrices, as in the style sheet
const LEAST_WIDTH = 320 // pixels of a matrix that shares its row: on a phone every matrix has its own

/** What the payload says about all matrices. */
interface Settings extends MatrixSettings {
  theme: Theme
  beside: number // matrices that share the width of a wide screen
  made?: Operation | null
  words: { read: string; paint: string; cell: string }
}

class MatrixRow extends View<Bytes> {
  private settings: Settings | undefined
  private items: readonly (Matrix | Operator)[] = []
  private maps: Heatmap[] = []
  private kept: readonly [map: number, cell: Cell] | undefined // the cell that was clicked
  private width = 0

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".matrices")
    this.resized = new ResizeObserver(() => this.draw())
    this.resized.observe(this.root)
  }

  show(bytes: Bytes): void {
    const { items, ...settings } = decode<Settings>(bytes)
    this.settings = settings
    this.items = items
    const theme = (this.theme = themeOf(this.host))
    this.fit(items.map((item) => (isOperator(item) ? [item.sign] : [null, item.name, item.paint, item.shape])), settings.theme)
    this.matrices.forEach((item, place) => this.maps[place]!.show(inputOf(item, settings, theme)))
    this.width = 0
    this.draw()
    this.root.dataset.drawn = this.matrices.map((item) => item.name).join(" ")
  }

  private get matrices(): Matrix[] {
    return this.items.filter((item): item is Matrix => !isOperator(item))
  }

  protected override build(): void {
    this.root.replaceChildren()
    this.maps = []
    this.kept = undefined
    for (const item of this.items) {
      if (isOperator(item)) element("span", "sign", this.root).textContent = item.sign
      else this.maps.push(this.buildMap(item, this.maps.length))
    }
  }

  private buildMap({ paint }: Matrix, place: number): Heatmap {
    const map = new Heatmap(this.root, {
      select: (row, column) => this.markParts(place, [row, column]),
      ...(paint && { paint: (cells) => this.answer("painted", cells) }),
    })
    map.canvas.addEventListener("click", (event) => {
      this.kept = [place, map.cellAt(event)]
    })
    map.canvas.addEventListener("blur", () => {
      this.kept = undefined
      this.markParts()
    })
    return map
  }

  private draw(): void {
    const { settings } = this
    const width = this.root.clientWidth
    if (!settings || !width || width === this.width) return
    this.width = width
    // A narrow matrix takes no more width than it needs.
    const perRow = Math.max(1, Math.min(settings.beside, Math.floor(width / LEAST_WIDTH)))
    for (const map of this.maps) map.fit((width - (perRow - 1) * GAP) / perRow)
    this.markParts()
  }

  /** Marks, in all matrices, the sources of a cell, or of the one that was clicked. */
  private markParts(map = -1, cell: Cell = [-1, -1]): void {
    const made = this.settings?.made
    if (!made) return
    const [at, marked] = cell[0] < 0 ? (this.kept ?? []) : [map, cell]
    const parts = at !== undefined && marked ? partsOf(made, this.matrices, at, marked) : []
    this.maps.forEach((each, place) => each.frame(parts[place] ?? []))
  }
}

function inputOf(item: Matrix, settings: Settings, theme: Theme): ShownMap {
  const { words } = settings
  const shown = heatmapOf(item, settings, theme, item.paint ? words.paint : words.read, words.cell)
  return {
    ...shown,
    rows: shownLabels(item.rows),
    columns: shownLabels(item.columns),
    text: { ...shown.text!, separated: true },
    drawScale: ({ legend }) => (legend.hidden = true),
    cellSize: (room) => cellSize(item, room),
  }
}

export default mounting(MatrixRow, mapStyle + style)
