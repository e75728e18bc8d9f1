/** The map that is drawn as a table: what those read who do not see the figure. */

import { buildTable } from "../../core/table"
import type { Scene } from "./scene"
import { rowOf, weightText } from "./reading"

/** Fills `holder` with the weights: a row for each query, a column for each key. */
export function fillTable(holder: HTMLElement, scene: Scene | null): void {
  if (!scene) return
  const { queries, keys } = scene.payload.maps[scene.kind]
  const map = scene.maps[scene.kind]
  const masked = (query: number, key: number) => scene.kind === "decoder" && key > query
  const cell = (query: number) => (weight: number, key: number) =>
    masked(query, key) ? scene.payload.words.masked : weightText(weight, scene.payload.decimals)
  const rows = queries.map((name, query) => {
    return [`${query + 1} ${name}`, ...Array.from(rowOf(map, query, keys.length), cell(query))] as const
  })
  const kinds = [scene.kind === "encoder" ? "token en" : "token fr", scene.kind === "decoder" ? "token fr" : "token en"] as const
  const columns = [scene.payload.words.corner, ...keys].map((title, place) => [title, place ? kinds[1] : ""] as const)
  buildTable(holder, columns, rows, kinds[0])
}
