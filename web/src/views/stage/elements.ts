/** Placing, measuring and patterns of the figure. */

import { svgElement } from "../../core/dom"
import type { Theme } from "../../core/colour"
import type { Box, Layout } from "./layout"
import type { Line } from "./paths"
import { KINDS, type KindHeader, type KindName } from "./payload"
import { querySide, type Focus } from "./reading"
import { restOf, type Part } from "./strongest"

const GRIP = 14 // design pixels

export function put(shown: HTMLElement, box: Box): void {
  const { x, y, width, height } = box
  Object.assign(shown.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` })
}

/** Puts a number at a token; `inside`: on the side of the ribbons, `after`: below in rows, right in columns. */
export function placeNumber(number: HTMLElement, { rows, unit }: Layout, box: Box, inside: boolean, after: boolean): void {
  if (rows) {
    const y = after ? box.y + box.height + 2 : box.y - (inside ? 34 : 21) * unit
    return setPlace(number, box.x + box.width / 2, y, "-50%")
  }
  const x = after ? box.x + box.width + 3 : box.x - (inside ? 12 : 3) * unit
  setPlace(number, x, box.y + box.height / 2 - 10 * unit, after ? "0" : "-100%")
}

function setPlace(shown: HTMLElement, x: number, y: number, shift: string): void {
  shown.style.left = `${x}px`
  shown.style.top = `${y}px`
  shown.style.transform = `translateX(${shift})`
}

/** A token that is only a space is shown by a sign. */
export function visible(label: string): string {
  return label.trim() ? label : "\u2423"
}

/** Measures labels in the figure's font. */
export function measuring(field: Element, unit: number): (label: string) => number {
  const pen = document.createElement("canvas").getContext("2d")
  if (!pen) return (label) => 8 * unit * label.length
  pen.font = `${15 * unit}px ${getComputedStyle(field).fontFamily}`
  return (label) => pen.measureText(visible(label)).width
}

/** Puts a dashed edge around a ribbon or an arc of this kind, the last that was drawn. */
export function drawEdge({ path, width }: Line, parent: ParentNode, kind: KindName = "cross"): void {
  const drawn = parent.lastElementChild!
  drawn.classList.add("pulled")
  const edge = svgElement("path", { class: `edge ${kind}`, d: path, "stroke-width": width + 3 }, parent)
  drawn.before(edge)
}

/** Puts a wide invisible path on an arc, by which it is pulled. */
export function drawGrip({ path, width }: Line, parent: ParentNode, unit: number, at: Readonly<Record<string, string>>): void {
  svgElement("path", { class: "grip", d: path, "stroke-width": Math.max(width, GRIP * unit), ...at }, parent)
}

/** The token and the key whose ribbon or arc an event is on; -1 for the key if another kind is chosen. */
export function lineAt({ target }: Event, chosen: KindName | undefined): [Focus, number] | null {
  const { at, of = "cross" } = (target as SVGElement).dataset
  if (at === undefined) return null
  const [query, key] = at.split(" ").map(Number)
  return [{ side: querySide(of as KindName), place: query! }, of === chosen ? key! : -1]
}

/** The pattern of the part of a bar that is not drawn. */
export function buildHatching(svg: SVGSVGElement): void {
  const definitions = svgElement("defs", {}, svg)
  const pattern = svgElement("pattern", { id: "hatching", width: 5, height: 5, patternUnits: "userSpaceOnUse" }, definitions)
  pattern.setAttribute("patternTransform", "rotate(45)")
  svgElement("rect", { width: 1.5, height: 5, class: "hatch" }, pattern)
}

/** Draws the bar of a place: its parts, and hatching for the rest of it. */
export function drawBar({ bars, rows, bar }: Layout, place: number, parts: readonly Part[], parent: ParentNode): void {
  const box = bars[place]!
  const piece = (from: number, length: number, name: string) => {
    const along = rows
      ? { x: box.x + from * bar, y: box.y, width: Math.max(0, length * bar - 1), height: box.height }
      : { x: box.x, y: box.y + from * bar, width: box.width, height: Math.max(0, length * bar - 1) }
    svgElement("rect", { class: name, ...along }, parent)
  }
  const rest = restOf(parts)
  for (const part of parts) piece(part.from, part.weight, "part")
  if (rest > 0.005) piece(1 - rest, rest, "remainder")
}

/** Sets the colours of all kinds. */
export function colourKinds(root: HTMLElement, { kinds }: { readonly kinds: Readonly<Record<KindName, Pick<KindHeader, "scales">>> }, theme: Theme): void {
  for (const kind of KINDS) {
    const scale = kinds[kind].scales[theme]
    const at = (share: number) => scale[Math.round(share * (scale.length - 1))]!
    root.style.setProperty(`--${kind}`, at(0.56))
    root.style.setProperty(`--${kind}-ink`, at(0.82))
  }
}
