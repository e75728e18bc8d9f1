/** The selected map of the overview as input of the large map. */

import { lookupTable, packed, type Theme } from "../../core/colour"
import { filled } from "../../core/dom"
import { tokensIn } from "../../core/labels"
import { largest, roundNumber, threeDigits } from "../../core/numbers"
import type { Legend } from "../../core/painting"
import type { ShownMap } from "../../core/heatmap"
import { cellLabel, describe, isMasked, mapName, shadeOf, startOf, weightText, type Detail, type Sheet } from "./sheet"

/** Draws a colour scale that ends at `top`. */
export function drawScale(scale: Legend, colours: Uint32Array, decades: number, top: number): void {
  scale.paint(colours)
  scale.low.textContent = decades ? `\u2264 ${roundNumber(top / 10 ** decades)}` : "0"
  scale.high.textContent = threeDigits(top)
}

export function largeMap(sheet: Sheet, detail: Detail, theme: Theme, row: number, column: number): ShownMap {
  const { words, decades } = sheet
  const [, , queries, keys] = sheet.shape
  const start = startOf(sheet, row, column)
  const weights = sheet.weights.subarray(start, start + queries * keys)
  const top = (decades ? 1 : largest(sheet.shared_scale ? sheet.weights : weights)) || 1
  const colours = lookupTable(sheet.scales[theme])
  return {
    name: filled(detail.heading, { map: mapName(sheet, row, column) }),
    label: filled(words.keys, { map: describe(sheet, row, column) }),
    shape: [queries, keys],
    values: weights.map((weight, cell) => (isMasked(sheet, Math.floor(cell / keys), cell % keys) ? -Infinity : weight)),
    rows: sheet.queries,
    columns: sheet.keys,
    read: sheet.read ?? null,
    row_title: detail.query_axis,
    column_title: detail.key_axis,
    kindOf: (label, side) => (sheet.places && label !== sheet.cls ? "" : tokensIn(sheet.languages)[side]), // only CLS has a name among patches
    colours,
    shade: (weight) => Math.round(shadeOf(decades, weight / top) * 255),
    grey: packed(sheet.masked[theme]),
    drawScale: (scale) => drawScale(scale, colours, decades, top),
    pair: (query, key) => cellLabel(sheet, query, key),
    write: (weight) => weightText(sheet, weight),
    masked: words.masked,
    table: words.table,
    corner: `${words.query} \\ ${words.key}`,
    numbered: !sheet.places,
    places: sheet.places,
  }
}
