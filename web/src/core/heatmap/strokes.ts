/** Paint mode of a heatmap whose cells are on or off: a drag, a click, a tap, Space or Enter switches cells. */

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
