/** The numbers of a heatmap as a table. */

import { markData, setAttributes, type DataKind } from "../dom"
import { buildTable } from "../table"

interface Numbers {
  values: ArrayLike<number>
  rows: readonly string[]
  columns: readonly string[]
  kindOf: (label: string, side: 0 | 1) => DataKind
  corner?: string
  numbered?: boolean // labels have numbers
}

/** Builds the table; `textOf` returns the text of a cell. */
export function buildNumbers(holder: ParentNode, shown: Numbers, textOf: (row: number, column: number) => string): void {
  const name = (label: string, place: number) => (shown.numbered ? `${place + 1} ${label}` : label)
  const columns = shown.columns.map((label, place): [string, DataKind] => [name(label, place), shown.kindOf(label, 1)])
  const rows = shown.rows.map((label, row): [string, ...string[]] => [
    name(label, row),
    ...shown.columns.map((_, column) => textOf(row, column)),
  ])
  const table = buildTable(holder, [[shown.corner ?? "", ""], ...columns], rows, "")
  table.querySelectorAll<HTMLElement>("tbody th").forEach((heading, row) => {
    markData(heading, shown.kindOf(shown.rows[row]!, 0))
  })
  table.querySelectorAll("td").forEach((cell, place) => {
    const value = shown.values[place]!
    // all of a float32's digits
    if (value !== -Infinity) setAttributes(markData(cell, "number"), { title: Number(value.toPrecision(9)) })
  })
}
