/** Placing, measuring and patterns of the figure. */

import { svgElement } from "../../core/dom"
import type { Box } from "./layout"
import type { Line } from "./paths"

export function put(shown: HTMLElement, box: Box): void {
  const { x, y, width, height } = box
  Object.assign(shown.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` })
}

export function setPlace(shown: HTMLElement, x: number, y: number, shift: string): void {
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

/** Puts a dashed edge around the ribbon that was drawn last. */
export function drawEdge({ path, width }: Line, parent: SVGGElement): void {
  const ribbon = parent.lastElementChild!
  ribbon.classList.add("pulled")
  const edge = svgElement("path", { class: "edge", d: path, "stroke-width": width + 3 }, parent)
  parent.insertBefore(edge, ribbon)
}

/** The pattern of the part of a bar that is not drawn. */
export function buildHatching(svg: SVGSVGElement): void {
  const definitions = svgElement("defs", {}, svg)
  const pattern = svgElement("pattern", { id: "hatching", width: 5, height: 5, patternUnits: "userSpaceOnUse" }, definitions)
  pattern.setAttribute("patternTransform", "rotate(45)")
  svgElement("rect", { width: 1.5, height: 5, class: "hatch" }, pattern)
}
