/** The ids of cells, and a cell in words. See `CellMap` in views/components/cell_maps.py. */

import { dataText } from "../../core/dom"
import { tokensIn } from "../../core/labels"
import type { Matrix } from "../../core/matrices"
import type { Shape } from "../../core/painting"

/** The id of a cell of a map. */
export function cellOf(map: string, row: number, column: number): string {
  return `${map}.${row + 1}.${column + 1}`
}

/** Row and column of a cell in a map of so many; undefined if it is in another one. */
export function cellIn(cell: string, map: string, [rows, columns]: Shape): readonly [number, number] | undefined {
  const [name, row, column] = cell.split(".")
  if (name !== map) return undefined
  const place = [Number(row) - 1, Number(column) - 1] as const
  return place[0] >= 0 && place[0] < rows && place[1] >= 0 && place[1] < columns ? place : undefined
}

/** A cell in words: both axes with their labels. */
export function describeCell(
  { rows, columns, row_title, column_title, languages }: Pick<Matrix, "rows" | "columns" | "row_title" | "column_title" | "languages">,
  row: number,
  column: number,
): (string | Node)[] {
  const kinds = tokensIn(languages)
  return [`${row_title} `, dataText(rows[row]!, kinds[0]), `, ${column_title} `, dataText(columns[column]!, kinds[1])]
}

/** The maps below which a colour scale is needed: the first of each group, and those in other colours than one before. */
export function withOwnScale<Shown extends Pick<Matrix, "scales"> & { leads: boolean }>(items: readonly Shown[]): ReadonlySet<Shown> {
  let known = new Set<string>()
  return new Set(
    items.filter(({ leads, scales }) => {
      if (leads) known = new Set()
      const colours = scales.light.join()
      return !known.has(colours) && known.add(colours)
    }),
  )
}
