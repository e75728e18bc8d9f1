/** The frames over cells of a heatmap: row, column and cell under the pointer or the cursor, and regions. */

import { element } from "../dom"
import type { Shape } from "../painting"

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
