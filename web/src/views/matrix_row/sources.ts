/** The sources of a step's numbers: the cells of the other matrices from which a cell is computed. */

import type { Region } from "../../core/heatmap/marks"
import type { Cell } from "../../core/heatmap/strokes"
import type { Matrix } from "../../core/matrices"

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
