/** The tooltip of a pair of tokens. */

import { element, filled } from "../../core/dom"
import { cellNodes, tokensIn } from "../../core/labels"
import { threeDigits } from "../../core/numbers"
import type { HeadStyle, Token } from "./payload"
import type { ReadOut } from "./readout"

const DETAILS = 10 // heads in the tooltip

/** Fills `box` with the weights between the locked token and one of the other side, head by head, the largest first. */
export function fillPair(
  box: HTMLElement,
  readOut: ReadOut,
  styles: readonly HeadStyle[],
  [locked, other]: readonly [Token, Token],
): void {
  const { names, weights, maps, sheet } = readOut
  const { words } = sheet
  const [query, key] = locked.side === "query" ? [locked.place, other.place] : [other.place, locked.place]
  box.replaceChildren()
  element("div", "pair", box).append(...cellNodes(words.cell, names.query[query]!, names.key[key]!, tokensIn(sheet.languages)))
  const value = element("div", "value", box)
  if (weights.masked(query, key)) {
    value.textContent = words.masked
    return
  }
  value.textContent = filled(words.meanIs, { weight: threeDigits(weights.mean(maps, query, key)) })
  const order = [...maps].sort((one, two) => weights.at(two, query, key) - weights.at(one, query, key))
  for (const map of order.slice(0, DETAILS)) {
    const line = element("div", "detail", box)
    element("span", "chip", line).style.background = styles[map % weights.heads]![0]
    element("span", "", line).textContent = `${readOut.nameOf(map)}: ${threeDigits(weights.at(map, query, key))}`
  }
  if (order.length <= DETAILS) return
  element("div", "detail", box).textContent = filled(words.more, { count: order.length - DETAILS })
}
