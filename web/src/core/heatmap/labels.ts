/** The labels of an axis of a heatmap or of a chart: as many as are legible. */

import { element, markData, measureTextScale, type DataKind } from "../dom"

const LABEL = 12 // pixels that a label needs where text has 16
const LONG = 12 // letters from which on a label may be cut, so that it has a title
const TALLER = 1.25 // times as much for one in Hangul, which fills its line
const HANGUL = /\p{Script=Hangul}/u

/**
 * Whether a label is hidden where each has `size` pixels and needs `label`: others, and the selected one, take its room; -1
 * for none.
 */
export function isLabelHidden(place: number, selected: number, size: number, label = LABEL): boolean {
  if (size >= label || place === selected) return false
  return (selected >= 0 && Math.abs(place - selected) * size < label) || place % Math.ceil(label / size) > 0
}

/** The labels of one axis. */
export class AxisLabels {
  private names: readonly string[] = []
  private spans: HTMLSpanElement[] = []
  private taller = 1

  constructor(readonly list: HTMLDivElement) {}

  /** Builds them anew. */
  show(names: readonly string[], kindOf: (label: string) => DataKind): void {
    this.names = names
    this.taller = names.some((name) => HANGUL.test(name)) ? TALLER : 1
    this.list.replaceChildren()
    this.spans = names.map((name) => markData(element("span", "", this.list), kindOf(name)))
  }

  /** Writes those that are legible in so many pixels, where each needs `label`, and the selected one. */
  write(pixels: number, selected = -1, label = LABEL * measureTextScale()): void {
    const size = Math.max(1, pixels) / this.names.length
    const least = size >= label ? label : label * this.taller // where some are left out anyway
    this.spans.forEach((span, place) => {
      const text = isLabelHidden(place, selected, size, least) ? "" : this.names[place]!
      if (span.textContent !== text) span.textContent = text
      span.title = text.length > LONG ? text : ""
    })
  }

  /** Emphasises one; -1 for none. */
  mark(place: number): void {
    this.list.querySelector(".at")?.classList.remove("at")
    this.spans[place]?.classList.add("at")
  }

  /** Whether all fit horizontally into cells of so many pixels. */
  fitAcross(width: number): boolean {
    const pen = document.createElement("canvas").getContext("2d")!
    const { fontSize, fontFamily } = getComputedStyle(this.list)
    pen.font = `${fontSize} ${fontFamily}`
    return this.names.every((name) => pen.measureText(name).width + 4 <= width)
  }
}
