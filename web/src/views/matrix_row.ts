/**
 * Matrices next to each other, with operators between them. A cell marks, in the other matrices, the cells from which it is
 * computed; in an editable matrix a drag, a click, Space or Enter switches cells.
 */

import { type Theme, themeOf } from "../core/colour"
import { View, mounting } from "../core/component"
import { element } from "../core/dom"
import mapStyle from "../core/heatmap.css"
import { type Cell, Heatmap, type Region, type ShownMap } from "../core/heatmap"
import { type Matrix, type MatrixSettings, type Operator, decode, heatmapOf, isOperator } from "../core/matrices"
import type { Bytes } from "../core/payload"
import style from "./matrix_row.css"

/* The cells of a matrix in a row of matrices, in CSS pixels. */

const NUMBER_WIDTH = 34 // per cell from which on its number is written in it
const ROW = 21 // per row with a label
const SPREAD = 250 // of an axis that is too long for labels
const LONGEST = 40 // labels of an axis

type LaidOut = Pick<Matrix, "shape" | "rows" | "columns" | "words" | "wide">

/** The labels of an axis; none if there are too many. */
export function shownLabels(labels: readonly string[]): readonly string[] {
  return labels.length <= LONGEST ? labels : []
}

/** Width and height of a cell, where all columns have `room` pixels. */
export function cellSize({ shape: [rows, columns], rows: labels, words, wide }: LaidOut, room: number): readonly [number, number] {
  const wish = columns <= 24 ? NUMBER_WIDTH + 8 : columns <= 64 ? (wide ? ROW : 7) : SPREAD / columns
  const width = Math.min(words ? 24 : wish, room / columns)
  if (rows > LONGEST) return [width, Math.max(1, SPREAD / rows)]
  if (words) return [width, Math.min(ROW, Math.max(13, width))]
  return [width, labels.length || width >= NUMBER_WIDTH ? ROW : 12]
}

/* The sources of a step's numbers: the cells of the other matrices from which a cell is computed. */

/** How the last matrix is computed: as the product of two, each cell from the same cell, or as softmax of each row. */
export type Operation = "product" | "each" | "softmax"

export type { Cell, Region }

type Numbers = Pick<Matrix, "values" | "shape">

/**
 * For each matrix the regions that belong to a cell of the `at`-th. Of a softmax, where a row is computed from a row, the
 * largest key is a region too.
 */
export function partsOf(operation: Operation, items: readonly Numbers[], at: number, [row, column]: Cell): Region[][] {
  if (operation === "product") return partsOfProduct(items, at, [row, column])
  const others = (parts: (item: Numbers) => Region[]) => items.map((item, place) => (place === at ? [] : parts(item)))
  if (operation === "each") return others(() => [[row, 1, column, 1]])
  const last = items.at(-1)
  const wins = last ? winnerOf(last, row) : -1
  const key: Region[] = wins < 0 ? [] : [[row, 1, wins, 1]]
  return others((item) => across(item, row)).map((parts) => [...parts, ...key])
}

function partsOfProduct(items: readonly Numbers[], at: number, [row, column]: Cell): Region[][] {
  const [left, right, result] = [items[0]!, items[1]!, items[2]!]
  if (at === 0) return [[], across(right, column), across(result, row)]
  if (at === 1) return [down(left, row), [], down(result, column)]
  return [across(left, row), down(right, column), []]
}

function across({ shape: [, columns] }: Numbers, row: number): Region[] {
  return [[row, 1, 0, columns]]
}

function down({ shape: [rows] }: Numbers, column: number): Region[] {
  return [[0, rows, column, 1]]
}

/** The column of the largest number of a row; -1 if all are masked. */
export function winnerOf({ values, shape: [, columns] }: Numbers, row: number): number {
  const line = values.subarray(row * columns, (row + 1) * columns)
  const most = Math.max(...line)
  return most === -Infinity ? -1 : line.indexOf(most)
}

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
