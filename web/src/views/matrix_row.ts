/**
 * Matrices next to each other. Each is one canvas with its labels, colours and, if there is room, its numbers. Pointer and
 * arrow keys read cells out; in an editable matrix a drag, a click, Space or Enter toggles them.
 */

import { themeOf } from "../core/colour"
import { mounting, View } from "../core/component"
import { element } from "../core/dom"
import { decode, isOperator, type Matrix, type Operator } from "../core/matrices"
import type { Bytes } from "../core/payload"
import { buildLiveRegion, Tip } from "../core/tooltip"
import style from "./matrix_row.css"
import { Figure, type Painted, type Row, type Settings } from "./matrix_row/figure"
import { partsOf, type Cell } from "./matrix_row/sources"

const GAP = 14 // pixels between two matrices, as in the style sheet
const LEAST_WIDTH = 320 // pixels of a matrix that shares its row: on a phone every matrix has its own

class MatrixRow extends View<Bytes> implements Row {
  settings: Settings | undefined
  tip = new Tip(this.root)
  liveRegion: HTMLElement = buildLiveRegion(this.root)
  private items: readonly (Matrix | Operator)[] = []
  private figures: Figure[] = []
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
    this.theme = themeOf(this.host)
    this.fit(items.map((item) => (isOperator(item) ? [item.sign] : [null, item.name, item.paint, item.shape])), settings.theme)
    const matrices = items.filter((item): item is Matrix => !isOperator(item))
    this.figures.forEach((figure, place) => figure.take(matrices[place]!, settings))
    this.width = 0
    this.draw()
    this.root.dataset.drawn = matrices.map((item) => item.name).join(" ")
  }

  protected override build(): void {
    this.root.replaceChildren()
    this.figures = []
    for (const item of this.items) {
      if (isOperator(item)) element("span", "sign", this.root).textContent = item.sign
      else this.figures.push(new Figure(this, item))
    }
    this.tip = new Tip(this.root, "value", "place")
    this.liveRegion = buildLiveRegion(this.root)
  }

  private draw(): void {
    const { settings, theme } = this
    const width = this.root.clientWidth
    if (!settings || !theme || !width || width === this.width) return
    this.width = width
    // A narrow matrix takes no more width than it needs.
    const perRow = Math.max(1, Math.min(settings.beside, Math.floor(width / LEAST_WIDTH)))
    for (const figure of this.figures) figure.draw((width - (perRow - 1) * GAP) / perRow, settings, theme)
    this.markParts()
  }

  /** Marks, in all matrices, the sources of a cell, or of the cell under a matrix's keyboard cursor. */
  markParts(figure = this.figures.find(({ cursor }) => cursor), cell: Cell | undefined = figure?.cursor): void {
    const made = this.settings?.made
    if (!made) return
    const matrices = this.figures.map(({ matrix }) => matrix)
    const parts = figure && cell ? partsOf(made, matrices, this.figures.indexOf(figure), cell) : []
    this.figures.forEach((each, place) => each.mark(parts[place] ?? []))
  }

  paint(cells: readonly Painted[]): void {
    this.answer("painted", cells)
  }
}

export default mounting(MatrixRow, style)
