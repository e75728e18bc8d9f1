/**
 * Where tokens, bars and arcs of the stage are. Rows (tokens next to each other) if both sentences fit, else columns. All
 * lengths are pixels; `unit` is the size of a design pixel, which is larger when presenting.
 */

import { clampNumber, sum } from "./reading"

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The room of the figure. */
export interface Room {
  readonly width: number
  readonly height: number
  readonly unit: number
  readonly phone: boolean
}

/** What has to be placed: widths of the labels, and the room. The first French label is that of the start token. */
export interface LayoutInput extends Room {
  readonly english: readonly number[]
  readonly french: readonly number[]
}

export interface Layout {
  readonly rows: boolean
  readonly width: number
  readonly height: number
  readonly english: readonly Box[]
  readonly french: readonly Box[] // with the start token
  readonly bars: readonly Box[] // one for each place, that is for each French token but the start
  readonly bar: number // length of a bar, which stands for the weight 1
  readonly english_room: number // width in which ribbons end at an English token
  readonly arcs: number // room for the arcs on either side
  readonly pitch: number // of columns
  readonly unit: number
}

export const PHONE = 620 // design pixels; a narrower stage has columns always, with the maps in a sheet
const SLOT = 28 // least width of a token
const PADDING = 10 // width of a token besides its label
const GAP = 4 // least distance of neighbours
const EDGE = 14 // left and right of a row: a bar may be wider than the token of its place
const MOST_GAP = 72
const TOKEN = 30 // height in rows
const BAR = 8 // thickness
const LONGEST_BAR = 56
const SHARE = 0.525 // of the width for columns; the lines of text next to them get the rest
const NEAREST = 2 // between a bar and its token

/** Lays out both sentences. */
export function layOut(input: LayoutInput): Layout {
  return !input.phone && fitsInRows(input) ? inRows(input) : inColumns(input)
}

function fitsInRows({ english, french, width, unit }: LayoutInput): boolean {
  return [english, french].every((labels) => sum(slots(labels, unit)) + (GAP * (labels.length - 1) + 2 * EDGE) * unit <= width)
}

function slots(labels: readonly number[], unit: number): number[] {
  return labels.map((label) => Math.max(SLOT * unit, label + PADDING * unit))
}

/** Boxes of a row, spread over the width, though not further apart than `MOST_GAP`. */
function row(labels: readonly number[], { width, unit }: LayoutInput, y: number): Box[] {
  const widths = slots(labels, unit)
  const edge = EDGE * unit
  const free = width - 2 * edge - sum(widths)
  const gap = Math.min(MOST_GAP * unit, free / Math.max(1, labels.length - 1))
  let x = edge + Math.max(0, (free - gap * (labels.length - 1)) / 2)
  return widths.map((own) => {
    const box = { x, y, width: own, height: TOKEN * unit }
    x += own + gap
    return box
  })
}

function inRows(input: LayoutInput): Layout {
  const { height, unit, width } = input
  const arcs = clampNumber(0.17 * height, 30 * unit, 72 * unit)
  const french = row(input.french, input, height - arcs - TOKEN * unit)
  const english = row(input.english, input, arcs)
  const bar = Math.min(LONGEST_BAR * unit, leastDistance(french.slice(1)) - GAP * unit)
  const bars = french.slice(1).map((box) => ({
    x: box.x + (box.width - bar) / 2,
    y: box.y - (NEAREST + BAR) * unit,
    width: bar,
    height: BAR * unit,
  }))
  const english_room = Math.max(SLOT * unit, leastDistance(english) - GAP * unit)
  return { rows: true, width, height, english, french, bars, bar, english_room, arcs, pitch: 0, unit }
}

/** The least distance between the middles of neighbours. */
function leastDistance(boxes: readonly Box[]): number {
  const middles = boxes.map((box) => box.x + box.width / 2)
  return Math.min(LONGEST_BAR * 2 * boxes[0]!.height, ...middles.slice(1).map((middle, before) => middle - middles[before]!))
}

/** English on the left, ending at one edge; French on the right, beginning at another; the ribbons between. */
function inColumns(input: LayoutInput): Layout {
  const { unit, phone } = input
  const most = Math.max(input.english.length, input.french.length)
  const pitch = phone ? (most > 16 ? 24 : 30) * unit : clampNumber(input.height / most, 16 * unit, 30 * unit)
  const high = Math.min(26 * unit, pitch - (pitch < 20 * unit ? 0.5 : 4) * unit)
  const width = phone ? input.width : Math.min(input.width, 480 * unit, Math.max(300 * unit, SHARE * input.width))
  const arcs = Math.min(48 * unit, 0.09 * width)
  const widest = 0.3 * width
  const wide = (labels: readonly number[]) => labels.map((label) => Math.min(widest, Math.max(20 * unit, label + PADDING * unit)))
  const [englishWidths, frenchWidths] = [wide(input.english), wide(input.french)]
  const edge = arcs + Math.max(...englishWidths)
  const start = width - arcs - Math.max(...frenchWidths)
  const at = (place: number) => place * pitch + (pitch - high) / 2
  const english = englishWidths.map((own, place) => ({ x: edge - own, y: at(place), width: own, height: high }))
  const french = frenchWidths.map((own, place) => ({ x: start, y: at(place), width: own, height: high }))
  const bar = Math.min(24 * unit, pitch - 2 * unit)
  const thick = 6 * unit
  const bars = french.slice(1).map((box) => ({
    x: start - (NEAREST + 6) * unit,
    y: box.y + (high - bar) / 2,
    width: thick,
    height: bar,
  }))
  return { rows: false, width, height: most * pitch, english, french, bars, bar, english_room: pitch, arcs, pitch, unit }
}
