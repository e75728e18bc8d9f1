/** A map with numbers in which a click, Enter or Space chooses the cell under the pointer or the keyboard cursor. */

import { pointedCell } from "../../core/dom"
import { clamp } from "../../core/numbers"
import { NumberedMap } from "../attention_map/numbered_map"

export class PickedMap extends NumberedMap {
  /** `onPick(row, column)` is called with the chosen cell. */
  constructor(holder: ParentNode, onPick: (row: number, column: number) => void) {
    let marked: readonly [number, number] = [-1, -1]
    super(holder, (row, column) => (marked = [row, column]))
    const { canvas } = this
    canvas.classList.add("picked")
    canvas.setAttribute("role", "application") // Enter chooses
    const { onkeydown: read } = canvas
    canvas.onclick = (event) => {
      const [row, column] = pointedCell(event, canvas, this.sides)
      onPick(clamp(row, this.sides[0]), clamp(column, this.sides[1]))
    }
    canvas.onkeydown = (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault()
        if (marked[0] >= 0) onPick(...marked)
      } else read?.call(canvas, event)
    }
  }
}
