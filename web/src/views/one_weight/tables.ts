/** The tables of one weight, whose numbers are bars too. */

import { element } from "../../core/dom"
import { threeDigits } from "../../core/numbers"
import { buildTable } from "../../core/table"

/** The heading of a row and its cells. */
export type WeightRow = readonly [title: string | Node, ...cells: (string | Node)[]]

/** Writes a table into `holder`, and returns the elements of its rows. */
export function fillTable(holder: HTMLElement, titles: readonly string[], rows: readonly WeightRow[]): HTMLTableRowElement[] {
  holder.replaceChildren()
  const table = buildTable(
    holder,
    titles.map((title) => [title, ""]),
    rows.map(() => [""]),
    "",
  )
  table.setAttribute("aria-label", holder.getAttribute("aria-label") ?? "")
  const lines = [...table.querySelectorAll<HTMLTableRowElement>("tbody tr")]
  rows.forEach(([title, ...cells], row) => {
    const line = lines[row]!
    line.cells[0]!.append(title)
    for (const cell of cells) element("td", "", line).append(cell)
  })
  return lines
}

/** A number on a bar; `most` has the longest one. */
export function buildBar(value: number, most: number, [negative, positive]: readonly [string, string]): HTMLSpanElement {
  const bar = element("span", "bar-of")
  const share = Math.min(100, (100 * Math.abs(value)) / (most || 1))
  const fill = `color-mix(in srgb, ${value >= 0 ? positive : negative} 40%, transparent)`
  bar.style.background = `linear-gradient(to right, ${fill} ${share}%, transparent ${share}%)`
  bar.textContent = threeDigits(value)
  return bar
}
