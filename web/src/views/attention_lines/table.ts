/** The table of all weights of the locked token, head by head. */

import { filled } from "../../core/dom"
import { isolated, tokensIn, writeSentence } from "../../core/labels"
import { threeDigits } from "../../core/numbers"
import { buildTable } from "../../core/table"
import type { ReadOut } from "./readout"

/** Fills `holder` with the table, or with what to do if no token is locked. */
export function fillLocked(holder: HTMLElement, readOut: ReadOut): void {
  const { maps, weights, names, sheet, view } = readOut
  const { words } = sheet
  const { locked } = view
  if (!locked || !maps.length) {
    holder.textContent = words.noneLocked
    return
  }
  const several = maps.length > 1
  const columns = [words.token, ...(several ? [words.mean] : []), ...maps.map((map) => readOut.nameOf(map))]
  const rows = readOut.weightsOf(locked).map(({ place, name, query, key, masked, mean }) => {
    const values = [...(several ? [mean] : []), ...maps.map((map) => weights.at(map, query, key))]
    const texts = values.map((value) => (masked ? words.masked : threeDigits(value)))
    return [`${place + 1} ${name}`, ...texts] as const
  })
  const headings = columns.map((title) => [title] as const)
  const table = buildTable(holder, headings, rows, tokensIn(sheet.languages)[locked.side === "query" ? 1 : 0])
  const caption = locked.side === "query" ? words.queryTable : words.keyTable
  writeSentence(table.createCaption(), filled(caption, { token: isolated(names[locked.side][locked.place]!) }))
}
