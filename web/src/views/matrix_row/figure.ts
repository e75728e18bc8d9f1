/** One matrix: a canvas that the pointer and the arrow keys read, and in which they toggle cells if it is editable. */

import type { Theme } from "../../core/colour"
import { arrowStep, element, filled, setAttributes } from "../../core/dom"
import { cellName, cellText, type Matrix } from "../../core/matrices"
import { clamp } from "../../core/numbers"
import type { Tip } from "../../core/tooltip"
import { cellAtPoint, layOut, type Layout } from "./layout"
import { coloursOf, paintMatrix, writeLabels, type Colours, type Fonts } from "./painting"
import type { Cell, Operation, Region } from "./sources"

export type Painted = readonly [row: number, column: number, state: boolean]

/** What the payload says about all matrices. */
export interface Settings {
  theme: Theme
  beside: number // matrices that share the width of a wide screen
  made?: Operation | null
  masked: Readonly<Record<Theme, string>>
  ink: Readonly<Record<Theme, string>>
  allowed: number
  words: { read: string; paint: string }
}

/** What a figure needs of the view that it is part of. */
export interface Row {
  readonly root: HTMLElement
  readonly settings: Settings | undefined
  readonly theme: Theme | undefined
  readonly tip: Tip
  readonly liveRegion: HTMLElement
  markParts: (figure?: Figure, cell?: Cell) => void
  paint: (cells: readonly Painted[]) => void
}

/** The canvas with the layout and the colours that were drawn in it. */
interface Drawn {
  pen: CanvasRenderingContext2D
  layout: Layout
  colours: Colours
  fonts: Fonts
}

export class Figure {
  cursor: Cell | undefined // of the keyboard
  private readonly canvas: HTMLCanvasElement
  private readonly marks: HTMLDivElement
  private drawn: Drawn | undefined
  private stroke: { state: boolean; cells: Painted[] } | undefined // of a drag

  constructor(
    private readonly row: Row,
    public matrix: Matrix,
  ) {
    const figure = element("figure", "", row.root)
    const caption = element("figcaption", "", figure)
    element("b", "", caption).textContent = matrix.name
    element("span", "", caption).textContent = matrix.shape.join(" \u00d7 ")
    const canvas = (this.canvas = element("canvas", matrix.paint ? "paint" : "", figure))
    this.marks = element("div", "marks", figure)
    canvas.tabIndex = 0
    canvas.setAttribute("role", "application")
    canvas.onpointermove = (event) => this.pointed(event)
    canvas.onpointerleave = () => {
      row.tip.hide()
      row.markParts()
    }
    canvas.onpointerdown = (event) => this.pressed(event)
    canvas.onpointerup = () => this.released()
    canvas.onclick = (event) => this.tapped(event)
    canvas.onpointercancel = () => this.released()
    canvas.onkeydown = (event) => this.typed(event)
    canvas.onblur = () => this.leave()
  }

  /** Shows the numbers of another payload of the same layout, once it is drawn. */
  take(matrix: Matrix, { words }: Settings): void {
    this.matrix = matrix
    const [rows, columns] = matrix.shape
    const label = filled(matrix.paint ? words.paint : words.read, { name: matrix.name, rows, columns })
    setAttributes(this.canvas, { "aria-label": label })
  }

  /** Draws the matrix in a width of `available` pixels. */
  draw(available: number, { ink, masked, allowed }: Settings, theme: Theme): void {
    const { matrix, canvas } = this
    const pen = canvas.getContext("2d")!
    const font = getComputedStyle(this.row.root).fontFamily
    const fonts = { small: `11px ${font}`, number: `10px ${font}` }
    pen.font = fonts.small
    const layout = layOut(matrix, available, (label) => pen.measureText(label).width)
    const { width, height } = layout
    const sharp = window.devicePixelRatio || 1
    Object.assign(canvas, { width: width * sharp, height: height * sharp })
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` })
    pen.scale(sharp, sharp)
    const colours = coloursOf(matrix.scales[theme], ink[theme], masked[theme], allowed)
    paintMatrix(pen, matrix, layout, colours, fonts.number, this.cursor)
    writeLabels(pen, matrix, layout, colours, fonts.small)
    this.drawn = { pen, layout, colours, fonts }
  }

  /** Frames regions of the matrix above the painted cells. */
  mark(parts: readonly Region[]): void {
    this.marks.replaceChildren()
    if (!this.drawn) return
    const { left, top, cellWidth, cellHeight } = this.drawn.layout
    const { offsetLeft, offsetTop } = this.canvas
    for (const [row, rows, column, columns] of parts) {
      Object.assign(element("div", "part", this.marks).style, {
        left: `${offsetLeft + left + column * cellWidth}px`,
        top: `${offsetTop + top + row * cellHeight}px`,
        width: `${columns * cellWidth}px`,
        height: `${rows * cellHeight}px`,
      })
    }
  }

  /** Paints the cells again; the labels stay. */
  private refresh(): void {
    if (!this.drawn) return
    const { pen, layout, colours, fonts } = this.drawn
    const { left, top, cellWidth, cellHeight } = layout
    const [rows, columns] = this.matrix.shape
    pen.clearRect(left - 1, top - 1, columns * cellWidth + 3, rows * cellHeight + 3)
    paintMatrix(pen, this.matrix, layout, colours, fonts.number, this.cursor)
  }

  private cellAt({ clientX, clientY }: MouseEvent): Cell | null {
    const box = this.canvas.getBoundingClientRect()
    return this.drawn ? cellAtPoint(this.drawn.layout, this.matrix.shape, clientX - box.left, clientY - box.top) : null
  }

  private pointed(event: PointerEvent): void {
    const cell = this.cellAt(event)
    if (!cell) {
      this.row.markParts()
      this.row.tip.hide()
      return
    }
    this.row.markParts(this, cell)
    if (this.stroke) this.switch(cell, this.stroke.state)
    this.row.tip.show(event.clientX, event.clientY, cellText(this.matrix, ...cell), cellName(this.matrix, ...cell))
  }

  /** Dragging a finger scrolls the page; a tap toggles a cell. A cell whose sources are marked keeps the marks. */
  private tapped(event: MouseEvent): void {
    const cell = this.cellAt(event)
    if (!cell) return
    if (this.row.settings?.made) {
      this.cursor = cell
      this.refresh()
      this.row.markParts(this, cell)
    }
    if (this.matrix.paint && event instanceof PointerEvent && event.pointerType === "touch") this.toggle(cell)
  }

  private pressed(event: PointerEvent): void {
    const cell = this.matrix.paint && event.pointerType !== "touch" ? this.cellAt(event) : null
    if (!cell) return
    this.canvas.setPointerCapture(event.pointerId)
    const state = !this.valueAt(cell)
    this.stroke = { state, cells: [] }
    this.switch(cell, state)
  }

  private released(): void {
    if (this.stroke?.cells.length) this.row.paint(this.stroke.cells)
    this.stroke = undefined
  }

  private typed(event: KeyboardEvent): void {
    const step = arrowStep(event.key)
    const [rows, columns] = this.matrix.shape
    let cursor: Cell
    if (step) {
      const [row, column] = this.cursor ?? [-step[0], -step[1]]
      cursor = [clamp(row + step[0], rows), clamp(column + step[1], columns)]
      this.cursor = cursor
    } else if (this.matrix.paint && (event.key === " " || event.key === "Enter")) {
      cursor = this.cursor ??= [0, 0]
      this.toggle(cursor)
    } else return
    event.preventDefault()
    this.refresh()
    this.row.markParts(this, cursor)
    this.readOut(cursor)
  }

  /** Shows the cell of the keyboard cursor, and announces it. */
  private readOut(cell: Cell): void {
    if (!this.drawn) return
    const { left, top, cellWidth, cellHeight } = this.drawn.layout
    const box = this.canvas.getBoundingClientRect()
    const x = box.left + left + (cell[1] + 0.5) * cellWidth
    const y = box.top + top + (cell[0] + 0.5) * cellHeight
    const value = cellText(this.matrix, ...cell)
    this.row.tip.show(x, y, value, cellName(this.matrix, ...cell))
    this.row.liveRegion.replaceChildren(...cellName(this.matrix, ...cell), `: ${value}`)
  }

  private leave(): void {
    this.row.tip.hide()
    this.cursor = undefined
    this.refresh()
    this.row.markParts()
  }

  private valueAt([row, column]: Cell): number {
    return this.matrix.values[row * this.matrix.shape[1] + column]!
  }

  /** Toggles one cell and sends that. */
  private toggle(cell: Cell): void {
    const state = !this.valueAt(cell)
    this.stroke = { state, cells: [] }
    this.switch(cell, state)
    this.released()
  }

  /** Sets a cell as part of a stroke. */
  private switch(cell: Cell, state: boolean): void {
    if (Boolean(this.valueAt(cell)) === state) return
    const [row, column] = cell
    this.matrix.values[row * this.matrix.shape[1] + column] = state ? 1 : 0
    this.stroke?.cells.push([row, column, state])
    this.refresh()
  }
}
