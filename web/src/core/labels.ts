/** Labels of tokens in sentences and drawings: their writing direction, and what fits. */

import { dataText, filledNodes, tokenIn, type DataKind } from "./dom"

// the blocks of scripts that are written from right to left; the same in views/text/literal.py
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
const ISOLATED = /(\u2068[^\u2068\u2069]*\u2069)/u

/**
 * A label whose writing direction changes the order of nothing around it; one from left to right, or of parts that are isolated
 * already, is not changed.
 */
export function isolated(label: string): string {
  return RIGHT_TO_LEFT.test(label) && !ISOLATED.test(label) ? `\u2068${label}\u2069` : label
}

/** Writes a sentence; labels in it that are `isolated` get elements with their own direction. */
export function writeSentence(shown: Element, sentence: string): void {
  const parts = sentence.split(ISOLATED).map((part) => {
    if (!part.startsWith("\u2068")) return part
    const own = document.createElement("bdi")
    own.textContent = part.slice(1, -1)
    return own
  })
  shown.replaceChildren(...parts)
}

/** The languages of the tokens of rows and columns; empty where it is unknown. */
export type Languages = readonly [rows: string, columns: string]

/** What the labels of rows and of columns are that are tokens of these languages. */
export function tokensIn(languages?: Languages | null): readonly [DataKind, DataKind] {
  return [tokenIn(languages?.[0]), tokenIn(languages?.[1])]
}

/** A cell of a map in words: which row attends to which column. `text` has a placeholder for each. */
export function cellNodes(text: string, query: string, key: string, kinds: readonly [DataKind, DataKind]): (string | Node)[] {
  const shown = (label: string, kind: DataKind) => {
    const node = dataText("", kind)
    writeSentence(node, isolated(label))
    return node
  }
  return filledNodes(text, { query: shown(query, kinds[0]), key: shown(key, kinds[1]) })
}

/** A label cut to `width`, with an ellipsis in place of its end; whole if it fits. */
export function fitLabel(label: string, width: number, measure: (text: string) => number): string {
  if (measure(label) <= width) return label
  const letters = [...label]
  let [fits, beyond] = [0, letters.length]
  const cut = (count: number) => `${letters.slice(0, count).join("").trimEnd()}\u2026`
  while (beyond - fits > 1) {
    const middle = (fits + beyond) >> 1
    if (measure(cut(middle)) <= width) fits = middle
    else beyond = middle
  }
  return cut(Math.max(1, fits))
}
