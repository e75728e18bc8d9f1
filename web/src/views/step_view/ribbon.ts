/** A ribbon of a step view: its width at a position is a number, and it ends at the slider's position. */

import { element, filled, markData, svgElement, measureTextScale } from "../../core/dom"
import { isLabelHidden } from "../../core/heatmap/labels"
import { drawn } from "../../core/numbers"
import type { Axis, Content, RibbonHeader } from "./content"
import { buildLabels, StepPanel, type SteppedView } from "./panel"

const WIDEST = 72 // pixels of the ribbon for the number `top`
const THINNEST = 1 // pixels, so that a ribbon that is nearly nothing is seen
const HEIGHT = 96 // pixels
const NUMBER = 46 // pixels of a number with its gap

/** The outline of a ribbon through points with a width each, as the path of an SVG; it runs level to both edges. */
export function ribbonPath(widths: readonly number[], step: number): string {
  const across = (place: number) => (place + 0.5) * step
  const middle = HEIGHT / 2
  const edge = (sign: number) => widths.map((width, place) => [across(place), middle + (sign * width) / 2] as const)
  const upper = edge(-1)
  const lower = edge(1).reverse()
  const [first, last] = [upper[0], upper.at(-1)]
  if (!first || !last) return ""
  const end = drawn(widths.length * step, 1)
  const points = [[0, first[1]], ...upper, [end, last[1]], [end, HEIGHT - last[1]], ...lower, [0, HEIGHT - first[1]]]
  return `M${points.map((point) => point.map((each) => drawn(Number(each), 1)).join(" ")).join("L")}Z`
}

/** Whether a number has no room next to that of the slider's position and those before it. */
export function isNumberHidden(place: number, now: number, step: number): boolean {
  const every = Math.ceil(NUMBER / step)
  return place !== now && (place % every !== 0 || Math.abs(place - now) < every)
}

export class RibbonPanel extends StepPanel<RibbonHeader> {
  private readonly axis: Axis
  private readonly picture: SVGSVGElement
  private readonly whole: SVGPathElement
  private readonly read: SVGPathElement
  private readonly numbers: HTMLElement[]
  private readonly labels: HTMLElement[]
  private width = 0 // of the picture in pixels

  constructor(view: SteppedView, content: Content, about: RibbonHeader, parent: ParentNode) {
    super(view, content, about, parent)
    this.axis = content.axes[about.along]!
    const above = element("div", "over-ribbon", this.root)
    this.numbers = Array.from({ length: this.axis.count }, () => markData(element("span", "", above), "number"))
    this.picture = svgElement("svg", { role: "img", height: HEIGHT, preserveAspectRatio: "none" }, this.root)
    const names = { name: about.name, along: this.axis.title }
    this.picture.setAttribute("aria-label", filled(content.header.words.chart, names))
    this.picture.setAttribute("class", "ribbon-picture")
    this.whole = svgElement("path", { class: "ribbon-outline" }, this.picture)
    this.read = svgElement("path", { class: "ribbon-filled" }, this.picture)
    this.picture.onclick = (event) => this.clicked(event)
    this.labels = buildLabels(element("div", "under", this.root), this.axis)
  }

  override paint(): void {
    this.fit()
  }

  override fit(): void {
    this.width = this.picture.getBoundingClientRect().width
    if (!this.width) return
    this.picture.setAttribute("viewBox", `0 0 ${this.width} ${HEIGHT}`)
    for (const list of [this.labels, this.numbers]) {
      list.forEach((label, place) => (label.style.left = `${(100 * (place + 0.5)) / this.axis.count}%`))
    }
  }

  override follow(): void {
    if (!this.width) this.fit()
    if (!this.width) return
    const { along, numbers, top, hue } = this.about
    const now = this.view.places[along] ?? 0
    const values = Array.from({ length: this.axis.count }, (_, place) => this.number(numbers, { [along]: place }))
    const widths = values.map((value) => Math.max(THINNEST, (WIDEST * value) / top))
    const step = this.width / this.axis.count
    const room = step / measureTextScale()
    this.whole.setAttribute("d", ribbonPath(widths, step))
    this.read.setAttribute("d", ribbonPath(widths.slice(0, now + 1), step))
    this.read.style.fill = hue
    this.numbers.forEach((number, place) => {
      number.textContent = this.written(numbers, values[place]!)
      number.hidden = place > now || isNumberHidden(place, now, room)
    })
    this.labels.forEach((label, place) => {
      label.classList.toggle("chosen", place === now)
      label.hidden = isLabelHidden(place, now, room)
    })
  }

  private clicked(event: MouseEvent): void {
    const box = this.picture.getBoundingClientRect()
    const place = Math.floor(((event.clientX - box.left) / box.width) * this.axis.count)
    this.view.move({ [this.about.along]: place }, true)
  }
}
