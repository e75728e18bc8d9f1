/** Curves of a step view: arrays as lines over one axis, with the slider's position marked. */

import { element, markData, setAttributes, svgElement, filled } from "../../core/dom"
import { isLabelHidden } from "../../core/heatmap/labels"
import type { Axis, Content, CurvesHeader, LineStyle } from "./content"
import { signedDigits } from "./format"
import { buildLabels, StepPanel, type SteppedView } from "./panel"

const HEIGHT = 170 // pixels between the lowest and the highest number
const EDGE = 8 // pixels around
const FULL_HEIGHT = HEIGHT + 2 * EDGE
const DASHES: readonly (readonly number[])[] = [[], [7, 3], [2, 3], [9, 3, 2, 3]] // of lines that have the same colour

/** The ends of a scale, which may be logarithmic. */
export interface Scale {
  low: number
  high: number
  log: boolean
}

/** Whether a value can be drawn: NaN cannot, nor 0 on a logarithmic scale. */
export function isDrawable(value: number, { log }: Pick<Scale, "log">): boolean {
  return log ? value > 0 : !Number.isNaN(value)
}

/** Pixels from the upper edge of the drawing to a value. */
export function downTo(value: number, { low, high, log }: Scale): number {
  const scaled = log ? Math.log : Number
  return EDGE + HEIGHT * (1 - (scaled(value) - scaled(low)) / (scaled(high) - scaled(low) || 1))
}

/** The dashes of the `place`-th line. */
export function dashesOf(place: number, [, dashes]: LineStyle): string {
  if (!place) return ""
  return (dashes.length ? dashes : DASHES[place % DASHES.length]!).join(" ")
}

/** The elements of one curve. */
interface Curve {
  sample: SVGLineElement // in the legend
  number: HTMLElement
  line: SVGPolylineElement
  dot: SVGCircleElement
}

export class CurvesPanel extends StepPanel<CurvesHeader> {
  private readonly axis: Axis
  private readonly curves: Curve[]
  private readonly high: HTMLElement
  private readonly low: HTMLElement
  private readonly picture: SVGSVGElement
  private readonly zero: SVGLineElement
  private readonly now: SVGLineElement
  private readonly labels: HTMLElement[]
  private width = 0 // of the picture in pixels

  constructor(view: SteppedView, content: Content, about: CurvesHeader, parent: ParentNode) {
    super(view, content, about, parent)
    this.axis = content.axes[about.along]!
    const legend = element("div", "line-names", this.root)
    const keys = about.curves.map(({ name }) => buildKey(name, legend))
    const frame = element("div", "plot", this.root)
    this.high = markData(element("span", "high", frame), "number")
    this.low = markData(element("span", "low", frame), "number")
    this.picture = svgElement("svg", { role: "img", preserveAspectRatio: "none" }, frame)
    const names = { name: about.name, along: this.axis.title }
    this.picture.setAttribute("aria-label", filled(content.header.words.chart, names))
    this.zero = svgElement("line", { class: "zero" }, this.picture)
    this.now = svgElement("line", { class: "now" }, this.picture)
    const lines = keys.map(() => svgElement("polyline", { fill: "none", "stroke-width": 2 }, this.picture))
    const dots = keys.map(() => svgElement("circle", { r: 3.5 }, this.picture))
    this.curves = keys.map((key, place) => ({ ...key, line: lines[place]!, dot: dots[place]! }))
    if (this.axis.slider) this.picture.onclick = (event) => this.clicked(event)
    this.labels = buildLabels(element("div", "under", this.root), this.axis)
  }

  override paint(): void {
    const styles = this.content.header.styles[this.view.theme ?? "light"]
    this.curves.forEach(({ sample, line, dot }, place) => {
      const style = styles[place % styles.length]!
      const [colour] = style
      for (const stroked of [line, sample]) {
        setAttributes(stroked, { stroke: colour, "stroke-dasharray": dashesOf(place, style) })
      }
      dot.setAttribute("fill", colour)
    })
    this.showEnds()
    this.fit()
  }

  private showEnds(): void {
    this.high.textContent = signedDigits(this.about.high)
    this.low.textContent = signedDigits(this.about.low)
  }

  /** The values of each curve at the sliders' positions. */
  private values(): number[][] {
    const { along, curves } = this.about
    const places = Array.from({ length: this.axis.count }, (_, place) => place)
    return curves.map(({ numbers }) => places.map((place) => this.number(numbers, { [along]: place })))
  }

  override fit(): void {
    this.width = this.picture.getBoundingClientRect().width
    if (!this.width) return
    this.picture.setAttribute("viewBox", `0 0 ${this.width} ${FULL_HEIGHT}`)
    this.labels.forEach((label, place) => (label.style.left = `${(100 * this.acrossTo(place)) / this.width}%`))
  }

  private acrossTo(place: number): number {
    return ((place + 0.5) / this.axis.count) * this.width
  }

  override follow(): void {
    if (!this.width) this.fit()
    if (!this.width) return
    const { about, axis, view, width } = this
    const now = axis.slider ? (view.places[about.along] ?? 0) : axis.count - 1
    const drawn = this.values()
    if (about.own) {
      const all = drawn.flat().filter((value) => isDrawable(value, about))
      about.low = Math.min(...all)
      about.high = Math.max(...all)
      this.showEnds()
    }
    const level = downTo(about.log ? about.low : Math.min(about.high, Math.max(about.low, 0)), about)
    setAttributes(this.zero, { x1: 0, x2: width, y1: level, y2: level })
    setAttributes(this.now, { x1: this.acrossTo(now), x2: this.acrossTo(now), y1: 0, y2: FULL_HEIGHT })
    this.now.classList.toggle("away", !axis.slider)
    drawn.forEach((values, place) => this.followCurve(this.curves[place]!, values, now))
    const each = width / axis.count
    this.labels.forEach((label, place) => {
      label.classList.toggle("chosen", axis.slider && place === now)
      label.hidden = isLabelHidden(place, now, each)
    })
  }

  private followCurve({ line, dot, number }: Curve, values: readonly number[], now: number): void {
    const value = values[now] ?? NaN
    const points = values.map((each, place) => [each, `${this.acrossTo(place)},${downTo(each, this.about)}`] as const)
    const drawable = points.filter(([each]) => isDrawable(each, this.about))
    line.setAttribute("points", drawable.map(([, point]) => point).join(" "))
    dot.classList.toggle("away", !isDrawable(value, this.about))
    setAttributes(dot, { cx: this.acrossTo(now), cy: downTo(value, this.about) })
    number.textContent = signedDigits(value)
  }

  private clicked(event: MouseEvent): void {
    const box = this.picture.getBoundingClientRect()
    const place = Math.floor(((event.clientX - box.left) / box.width) * this.axis.count)
    this.view.move({ [this.about.along]: place }, true)
  }
}

function buildKey(name: string, legend: ParentNode): Pick<Curve, "sample" | "number"> {
  const key = element("span", "line-name", legend)
  const picture = svgElement("svg", { width: 26, height: 8 }, key)
  const sample = svgElement("line", { x1: 0, y1: 4, x2: 26, y2: 4, "stroke-width": 2.5 }, picture)
  element("span", "", key).textContent = `${name} `
  return { sample, number: markData(element("b", "", key), "number") }
}
