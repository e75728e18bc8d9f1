/** Curves of a step view: arrays as lines over one axis, with the slider's position marked. */

import { element, filled, markData, measureTextScale, setAttributes, svgElement } from "../../core/dom"
import { isLabelHidden } from "../../core/heatmap"
import { roundNumber } from "../../core/numbers"
import { type Axis, type Content, type CurvesHeader, type LineStyle, signedDigits } from "./content"
import { StepPanel, type SteppedView, buildLabels } from "./panel"

/* Ticks of a scale, and labels that are moved apart. */

const MOST = 5 // ticks of a scale

/** Round numbers from one end of a scale to the other; the ends themselves where fewer than two are between them. */
export function ticksOf({ low, high, log }: Scale): number[] {
  if (!(low <= high)) return [] // no line is drawn
  const scales = log ? [decades, withinDecades] : [steps]
  return scales.map((scale) => scale(low, high)).find(({ length }) => length > 1) ?? (low === high ? [low] : [low, high])
}

function decades(low: number, high: number): number[] {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)]
  const every = Math.max(1, Math.ceil((last - first + 1) / MOST))
  const count = Math.max(0, Math.floor((last - first) / every) + 1)
  return Array.from({ length: count }, (_, place) => Number((10 ** (first + place * every)).toPrecision(6)))
}

/** 1, 2 and 5 times the powers of ten. */
function withinDecades(low: number, high: number): number[] {
  const first = Math.floor(Math.log10(low))
  const powers = Array.from({ length: Math.floor(Math.log10(high)) - first + 1 }, (_, place) => 10 ** (first + place))
  const ticks = powers.flatMap((power) => [1, 2, 5].map((each) => Number((each * power).toPrecision(6))))
  return ticks.filter((each) => each >= low && each <= high)
}

function steps(low: number, high: number): number[] {
  if (!(high > low)) return []
  const power = 10 ** Math.floor(Math.log10((high - low) / MOST))
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => (high - low) / each <= MOST)!
  const first = Math.ceil(low / step - 1e-9)
  const count = Math.floor(high / step + 1e-9) - first + 1
  return Array.from({ length: count }, (_, place) => Number(((first + place) * step).toPrecision(12)))
}

/** Ticks as text, with as many digits as tell them apart and are right within a twentieth of their distance. */
export function tickTexts(ticks: readonly number[]): string[] {
  const apart = Math.min(...ticks.slice(1).map((tick, place) => tick - ticks[place]!))
  let digits = 3
  while (digits < 15 && ticks.some((tick) => Math.abs(Number(tick.toPrecision(digits)) - tick) > apart / 20)) digits++
  return ticks.map((tick) => roundNumber(tick, digits))
}

/** The middles of labels of these sizes, moved as little as is needed so that none overlap or leave 0 to `room`. */
export function spread(middles: readonly number[], sizes: readonly number[], room: number): number[] {
  const order = middles.map((_, place) => place).sort((one, other) => middles[one]! - middles[other]!)
  const moved = [...middles]
  let edge = 0
  for (const place of order) {
    moved[place] = Math.max(moved[place]!, edge + sizes[place]! / 2)
    edge = moved[place] + sizes[place]! / 2
  }
  edge = room
  for (const place of order.reverse()) {
    moved[place] = Math.min(moved[place]!, edge - sizes[place]! / 2)
    edge = moved[place] - sizes[place]! / 2
  }
  return moved
}

const HEIGHT = 170 // pixels between the lowest and the highest number
const EDGE = 8 // pixels around
const FULL_HEIGHT = HEIGHT + 2 * EDGE
const DIRECT = 370 // pixels of a panel, where text has 16, from which on names are at the ends of their lines
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
  key: HTMLElement // its name and number
  sample: SVGLineElement // in the legend
  number: HTMLElement
  line: SVGPolylineElement
  dot: SVGCircleElement
}

export class CurvesPanel extends StepPanel<CurvesHeader> {
  private readonly axis: Axis
  private readonly curves: Curve[]
  private readonly frame: HTMLElement
  private readonly grid: SVGPathElement
  private readonly picture: SVGSVGElement
  private readonly zero: SVGLineElement
  private readonly now: SVGLineElement
  private readonly labels: HTMLElement[]
  private ticks: HTMLElement[] = []
  private keySizes: number[] = [] // pixels down of the names at the ends of their lines; empty if they are above
  private width = 0 // of the picture in pixels

  constructor(view: SteppedView, content: Content, about: CurvesHeader, parent: ParentNode) {
    super(view, content, about, parent)
    this.axis = content.axes[about.along]!
    if (about.finding) element("div", "quantity", this.root).textContent = about.name
    const chart = element("div", "chart", this.root)
    const legend = element("div", "line-names", chart)
    const keys = about.curves.map(({ name }) => buildKey(name, legend))
    this.frame = element("div", "plot", chart)
    this.picture = svgElement("svg", { role: "img", preserveAspectRatio: "none" }, this.frame)
    const names = { name: about.name, along: this.axis.title }
    this.picture.setAttribute("aria-label", filled(content.header.words.chart, names))
    this.grid = svgElement("path", { class: "grid" }, this.picture)
    this.zero = svgElement("line", { class: "zero" }, this.picture)
    this.now = svgElement("line", { class: "now" }, this.picture)
    const lines = keys.map(() => svgElement("polyline", { fill: "none", "stroke-width": 2 }, this.picture))
    const dots = keys.map(() => svgElement("circle", { r: 3.5 }, this.picture))
    this.curves = keys.map((key, place) => ({ ...key, line: lines[place]!, dot: dots[place]! }))
    if (this.axis.slider) this.picture.onclick = (event) => this.clicked(event)
    this.labels = buildLabels(element("div", "under", this.root), this.axis)
    element("div", "along", this.root).textContent = this.axis.title
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
    this.fit()
  }

  /** Writes the ticks of the scale to the left of the picture, and draws their lines. */
  private showTicks(): void {
    const ticks = ticksOf(this.about)
    const texts = tickTexts(ticks)
    while (this.ticks.length < ticks.length) this.ticks.push(markData(element("span", "tick", this.frame), "number"))
    this.ticks.forEach((tick, place) => {
      tick.hidden = place >= ticks.length
      if (tick.hidden) return
      tick.textContent = texts[place]!
      tick.style.top = `${downTo(ticks[place]!, this.about)}px`
    })
    this.grid.setAttribute("d", ticks.map((tick) => `M0 ${downTo(tick, this.about)}H${this.width}`).join(""))
  }

  /** The values of each curve at the sliders' positions. */
  private values(): number[][] {
    const { along, curves } = this.about
    const places = Array.from({ length: this.axis.count }, (_, place) => place)
    return curves.map(({ numbers }) => places.map((place) => this.number(numbers, { [along]: place })))
  }

  override fit(): void {
    const direct = this.root.clientWidth >= DIRECT * measureTextScale()
    this.root.classList.toggle("direct", direct)
    this.keySizes = direct ? this.curves.map(({ key }) => key.offsetHeight) : []
    this.width = this.picture.getBoundingClientRect().width
    if (!this.width) return
    this.picture.setAttribute("viewBox", `0 0 ${this.width} ${FULL_HEIGHT}`)
    this.labels.forEach((label, place) => (label.style.left = `${(100 * this.acrossTo(place)) / this.width}%`))
    this.showTicks()
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
      this.showTicks()
    }
    const level = downTo(about.log ? about.low : Math.min(about.high, Math.max(about.low, 0)), about)
    setAttributes(this.zero, { x1: 0, x2: width, y1: level, y2: level })
    setAttributes(this.now, { x1: this.acrossTo(now), x2: this.acrossTo(now), y1: 0, y2: FULL_HEIGHT })
    this.now.classList.toggle("away", !axis.slider)
    drawn.forEach((values, place) => this.followCurve(this.curves[place]!, values, now))
    this.placeKeys(drawn)
    const each = width / axis.count / measureTextScale()
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

  /** Moves the names to the ends of their lines, where they have room there. */
  private placeKeys(drawn: readonly (readonly number[])[]): void {
    const ends = drawn.map((values) => values.filter((value) => isDrawable(value, this.about)).at(-1))
    const middles = ends.map((end) => (end === undefined ? FULL_HEIGHT : downTo(end, this.about)))
    const direct = this.keySizes.length > 0
    const places = direct ? spread(middles, this.keySizes, FULL_HEIGHT) : []
    this.curves.forEach(({ key }, place) => (key.style.top = direct ? `${places[place]!}px` : ""))
  }

  private clicked(event: MouseEvent): void {
    const box = this.picture.getBoundingClientRect()
    const place = Math.floor(((event.clientX - box.left) / box.width) * this.axis.count)
    this.view.move({ [this.about.along]: place }, true)
  }
}

function buildKey(name: string, legend: ParentNode): Pick<Curve, "key" | "sample" | "number"> {
  const key = element("span", "line-name", legend)
  const picture = svgElement("svg", { width: 26, height: 8 }, key)
  const sample = svgElement("line", { x1: 0, y1: 4, x2: 26, y2: 4, "stroke-width": 2.5 }, picture)
  const shown = element("span", "name", key)
  shown.textContent = `${name} `
  shown.title = name
  return { key, sample, number: markData(element("b", "", key), "number") }
}
