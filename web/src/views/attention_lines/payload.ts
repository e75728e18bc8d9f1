/** Payload and choices of the lines, see views/components/attention_lines.py. */

import { isWithinText, KindOfMaps, kindOf, type KindHeader, type Maps, type WordsHeader } from "../../core/arranged"
import type { Chosen, Control } from "../../core/choosing"
import type { Theme } from "../../core/colour"
import { unpack, type Bytes } from "../../core/payload"

export type Side = "query" | "key"

/** A token: its side and its index there. */
export interface Token {
  readonly side: Side
  readonly place: number
}

/** Which lines the user chose; layers and heads count from 0. */
export interface LinesView {
  readonly layers: readonly number[]
  readonly heads: readonly number[]
  readonly mass: number // share of each query's weights that is drawn
  readonly locked: Token | null
}

/** Colour and dashes of a head. */
export type HeadStyle = readonly [colour: string, dashes: readonly number[]]

export type WordName =
  | "all" | "allLines" | "attended" | "attends" | "cell" | "chip" | "drawn" | "drawnNone" | "head" | "heads" | "keyTable"
  | "layer" | "layers" | "locked" | "masked" | "mass" | "mean" | "meanIs" | "meanOf" | "more" | "none" | "noneChosen"
  | "noneLocked" | "one" | "options" | "png" | "pngFile" | "point" | "queryTable" | "sense" | "side" | "single"
  | "strongestLines" | "svg" | "svgFile" | "table" | "tall" | "token" | "unlock" | "unlocked"
export type Words = Readonly<Record<WordName, string>>

interface AxesHeader {
  queryAxis: string
  keyAxis: string
  title: string
  causal: boolean
}

interface LinesKind extends KindHeader, AxesHeader {
  numbers: readonly number[] // of the layers, from 1
  grouped?: (WordsHeader & AxesHeader) | null
}

interface SharedHeader {
  words: Words
  theme: Theme
  styles: Readonly<Record<Theme, readonly HeadStyle[]>>
  controls?: readonly Control[]
}

type Header = SharedHeader & { kinds: Readonly<Record<string, LinesKind>> }

export interface LinesPayload extends SharedHeader {
  kinds: Readonly<Record<string, KindOfMaps<LinesKind>>>
}

/** What is drawn of a payload: the maps of one kind, in tokens or in words. */
export interface LinesSheet extends SharedHeader, AxesHeader, Maps {
  numbers: readonly number[]
}

/** The sheet that is chosen. */
export function sheetOf(payload: LinesPayload, chosen: Chosen): LinesSheet {
  const kind = kindOf(payload.kinds, chosen)
  const { queryAxis, keyAxis, title, causal } = kind.wordsIn(chosen) ?? kind.header
  const { words, theme, styles, controls } = payload
  const axes = { queryAxis, keyAxis, title, causal: causal && isWithinText(chosen), numbers: kind.header.numbers }
  return { words, theme, styles, controls, ...axes, ...kind.maps(chosen) }
}

/** A payload whose kinds are decoded on demand; it has several, or one without a name. */
export function decodeLines(bytes: Bytes): LinesPayload {
  const [header, arrays] = unpack<Header>(bytes)
  const kinds = Object.entries(header.kinds).map(([name, kind]) => [name, new KindOfMaps(kind, arrays, name)] as const)
  return { ...header, kinds: Object.fromEntries(kinds) }
}
