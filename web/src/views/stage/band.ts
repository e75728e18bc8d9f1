/**
 * The band along the stations of an opened layer, as wide as a bar is long: whole from the input on, a line for each key at the
 * scores, as wide as its weight from softmax on, and whole again from the weighted mean on. The ribbons of the held token fold
 * into it.
 */

import { svgElement } from "../../core/dom"

const [SCORES, SOFTMAX, MEAN] = [2, 3, 4] // places of stations
const WHOLE = 24 // pixels of the weight 1
const MIDDLE = 18 // pixels from its edge
const FOLDING = 320 // milliseconds
const NUMBER = /-?\d+(?:\.\d+)?/g

/** A key in the opened row, and its weight. */
export interface Strand {
  readonly key: number
  readonly weight: number
}

/** Where the strands are at softmax: middles and widths around 0, in the order of keys. */
export function stacked(strands: readonly Strand[]): (Strand & { readonly y: number; readonly width: number })[] {
  const ordered = [...strands].sort((one, other) => one.key - other.key)
  let y = (-WHOLE * ordered.reduce((total, { weight }) => total + weight, 0)) / 2
  return ordered.map((strand) => {
    const width = WHOLE * strand.weight
    y += width
    return { ...strand, y: y - width / 2, width: Math.max(1, width) }
  })
}

/** A path between two of the same form, numbers mixed by `share`. */
export function between(one: string, other: string, share: number): string {
  const ends = (other.match(NUMBER) ?? []).map(Number)
  let place = 0
  return one.replace(NUMBER, (start) => {
    const end = ends[place++] ?? Number(start)
    return String(Math.round(10 * (Number(start) + (end - Number(start)) * share)) / 10)
  })
}

/**
 * Draws the band along stations whose middles are given, from left to right or downwards; returns the strands that ribbons
 * become, by their keys.
 */
export function drawBand(
  svg: SVGSVGElement,
  middles: readonly number[],
  strands: readonly Strand[],
  down = false,
): Map<number, SVGPathElement> {
  svg.replaceChildren()
  const [scores, softmax, mean] = [middles[SCORES], middles[SOFTMAX], middles[MEAN]]
  const folded = new Map<number, SVGPathElement>()
  if (scores === undefined || softmax === undefined || mean === undefined) return folded
  const piece = (path: string, width: number, name: string) =>
    svgElement("path", { class: name, d: path, "stroke-width": width }, svg)
  const at = (along: number, side: number) => (down ? `${side} ${along}` : `${along} ${side}`)
  const bend = (from: number, side: number, to: number, other: number) => {
    const half = (from + to) / 2
    return `M${at(from, side)}C${at(half, side)} ${at(half, other)} ${at(to, other)}`
  }
  const line = (from: number, to: number) => `M${at(from, MIDDLE)}L${at(to, MIDDLE)}`
  piece(line(middles[0]!, scores), WHOLE, "whole")
  piece(line(mean, middles.at(-1)!), WHOLE, "whole")
  for (const { key, y, width } of stacked(strands)) {
    piece(bend(scores, MIDDLE, softmax, MIDDLE + y), 1, "score")
    folded.set(key, piece(bend(softmax, MIDDLE + y, mean, MIDDLE), width, "strand"))
  }
  for (const along of middles) {
    const [cx, cy] = down ? [MIDDLE, along] : [along, MIDDLE]
    svgElement("circle", { class: "station", cx, cy, r: 4 }, svg)
  }
  return folded
}

/** A ribbon on the way to the strand that it becomes. */
export interface Fold {
  readonly from: string // path and width
  readonly width: number
  readonly strand: SVGPathElement
  readonly shift: readonly [x: number, y: number] // from the ribbon's drawing to the band's
}

/** Moves ribbons into their strands; those who prefer less motion see the strands at once. */
export function foldRibbons(folds: readonly Fold[], signal: AbortSignal): void {
  if (!folds.length || matchMedia("(prefers-reduced-motion: reduce)").matches) return
  const ends = folds.map(({ strand }) => [strand.getAttribute("d")!, Number(strand.getAttribute("stroke-width"))] as const)
  const starts = folds.map(({ from, shift }) => shifted(from, shift))
  const began = performance.now()
  const step = (now: number) => {
    const share = signal.aborted ? 1 : Math.min(1, Math.max(0, (now - began) / FOLDING))
    const eased = 1 - (1 - share) ** 3
    folds.forEach(({ strand, width }, place) => {
      const [path, end] = ends[place]!
      strand.setAttribute("d", share === 1 ? path : between(starts[place]!, path, eased))
      strand.setAttribute("stroke-width", String(width + (end - width) * eased))
    })
    if (share < 1) requestAnimationFrame(step)
  }
  step(began)
}

/** A path moved by x and y. */
export function shifted(path: string, by: readonly [number, number]): string {
  let place = 0
  return path.replace(NUMBER, (number) => String(Math.round(10 * (Number(number) + by[place++ % 2]!)) / 10))
}
