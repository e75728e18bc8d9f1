/** The drawing of vectors, their span and the linear combination of the point; its handles are dragged or moved by keys. */

import type { Theme } from "../../core/colour"
import { filled, keyHandler, markData, setAttributes, svgElement } from "../../core/dom"
import { drawn, onGrid, threeDigits } from "../../core/numbers"
import { DECIMALS, type Derived, type Row, type Vectors, added, combined, lengthOf, scaled } from "./algebra"

/* Where vectors and their point are, and how they move; the payload as views/components/vector_view.py writes it. */

export const STEP = 0.1 // of a drag and of an arrow key; with Shift a key moves by 1

type Range = readonly [low: number, high: number]

/** Rotation around the upright axis and seen from above, in degrees. */
export type Turn = readonly [turn: number, tilt: number]

export interface Header {
  dimensions: number
  label: string
  names: readonly string[] // of the vectors, then of the point
  axes: readonly string[]
  hues: readonly string[]
  spans: readonly string[] // what vectors of a rank span, in words
  limit: number
  turns: readonly [Range, Range]
  theme: Theme
  words: Words
}

export interface Words {
  vector: string
  combined: string
  coefficient: string
  coordinate: string
  determinant: string
  rank: string
  independent: string
  pair: string
  area: string
  zero: string
  only: string
  relation: string
  dependent: string
  coordinates: string
  reached: string
  missed: string
  across: string
  upwards: string
  turn: string
  tilt: string
}

export interface Placement extends Vectors {
  turn: Turn
}

/** New coordinates by column. */
export type Change = Readonly<Record<number, number>>

/** The vectors, then the point. */
export function rowsOf({ vectors, point }: Vectors): Row[] {
  return [...vectors, point]
}

/** A vector, or the point (the last row), with other coordinates, which are rounded and stay within the limit. */
export function moved(placement: Placement, row: number, changed: Change, limit: number): Placement {
  const within = (number: number) => onGrid(Math.min(limit, Math.max(-limit, number)), DECIMALS)
  const changedRow = (each: Row) => each.map((number, column) => (column in changed ? within(changed[column]!) : number))
  const rows = rowsOf(placement).map((each, place) => (place === row ? changedRow(each) : each))
  return { ...placement, vectors: rows.slice(0, -1), point: rows.at(-1)! }
}

/** The view from another angle, in whole degrees within its range. */
export function turned(placement: Placement, place: 0 | 1, angle: number, ranges: Header["turns"]): Placement {
  const [low, high] = ranges[place]
  const within = Math.min(high, Math.max(low, Math.round(angle)))
  const [turn, tilt] = placement.turn
  return { ...placement, turn: place === 0 ? [within, tilt] : [turn, within] }
}

const ALONG: Readonly<Record<string, readonly [column: number, sign: number]>> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowDown: [1, -1],
  ArrowUp: [1, 1],
  PageDown: [2, -1],
  PageUp: [2, 1],
}

/** The coordinate that a key changes, and by how much; undefined for any other key. */
export function keyStep(
  { key, shiftKey }: Readonly<{ key: string; shiftKey: boolean }>,
  dimensions: number,
): readonly [column: number, by: number] | undefined {
  const along = ALONG[key]
  return along && along[0] < dimensions ? [along[0], along[1] * (shiftKey ? 1 : STEP)] : undefined
}

/** The numbers of a pasted text, such as [2, 1] or [[2, 1], [-1, 2]]. */
export function pastedNumbers(text: string): number[] {
  return (text.replaceAll("\u2212", "-").match(/[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?/gi) ?? []).map(Number)
}

/* The plane, or space in parallel projection, on the screen: positions and paths of a drawing. */

export const SIDE = 100 // from the middle of the drawing to its edge
const LEAST = 5 // units from the middle to the edge
const MOST_LINES = 24 // of a basis, on either side of 0

export type Point = readonly [number, number]

/** Units from the middle to the edge that show all rows. */
export function reachOf(rows: readonly Row[]): number {
  return Math.max(LEAST, Math.ceil(Math.max(...rows.flat().map(Math.abs))))
}

const outline = (corners: readonly Point[]) => `M${corners.map((corner) => corner.join(" ")).join("L")}Z`

export class Projection {
  private readonly cos: number
  private readonly sin: number
  private readonly above: number // sine and cosine of the tilt
  private readonly level: number
  readonly unit: number // of the drawing for one unit of space

  constructor(
    readonly reach: number,
    readonly dimensions: number,
    turn: Turn,
  ) {
    const [around, tilt] = [(turn[0] * Math.PI) / 180, (turn[1] * Math.PI) / 180]
    this.cos = Math.cos(around)
    this.sin = Math.sin(around)
    this.above = Math.sin(tilt)
    this.level = Math.cos(tilt)
    this.unit = (SIDE * 0.94) / (reach * (dimensions === 3 ? 1.35 : 1))
  }

  /** Units to the right and upwards on the screen. */
  seen([x = 0, y = 0, z]: Row): Point {
    if (z === undefined) return [x, y]
    return [x * this.cos + y * this.sin, z * this.level + (y * this.cos - x * this.sin) * this.above]
  }

  /** A place in the drawing. */
  to(place: Row): Point {
    const [right, up] = this.seen(place)
    return [right * this.unit, -up * this.unit]
  }

  line(from: Row, to: Row): string {
    const [one, other] = [this.to(from), this.to(to)]
    const written = (point: Point) => point.map((number) => drawn(number, 2)).join(" ")
    return `M${written(one)}L${written(other)}`
  }

  /**
   * New coordinates of `row` for a pointer at `at`, in units to the right and upwards: in space x and y, or z if it moves
   * `upwards`.
   */
  dragged(row: Row, at: Point, upwards: boolean): Change {
    const snapped = (number: number) => Math.round(Math.min(this.reach, Math.max(-this.reach, number)) / STEP) * STEP
    if (this.dimensions === 2) return { 0: snapped(at[0]), 1: snapped(at[1]) }
    const [x = 0, y = 0, z = 0] = row
    if (upwards) {
      const [, ground] = this.seen([x, y, 0])
      return { 2: snapped((at[1] - ground) / this.level) }
    }
    const [right, up] = this.seen([0, 0, z])
    const depth = (at[1] - up) / this.above
    const across = at[0] - right
    return { 0: snapped(across * this.cos - depth * this.sin), 1: snapped(across * this.sin + depth * this.cos) }
  }

  /** The grid of the plane, or of the ground of space. */
  ground(): string {
    const { reach } = this
    const step = reach > 10 ? 5 : 1
    const flat = (x: number, y: number) => (this.dimensions === 2 ? [x, y] : [x, y, 0])
    let ground = ""
    for (let at = -Math.floor(reach / step) * step; at <= reach; at += step) {
      ground += this.line(flat(at, -reach), flat(at, reach)) + this.line(flat(-reach, at), flat(reach, at))
    }
    return ground
  }

  /** The ends of the axes, in the direction of their names. */
  axisEnds(): Row[] {
    const axes = [...Array(this.dimensions).keys()]
    return axes.map((axis) => axes.map((at) => (at === axis ? this.reach : 0)))
  }

  axes(): string {
    return this.axisEnds().map((end) => this.line(scaled(end, -1), end)).join("")
  }

  /** The span: a line, a plane, or the parallelogram of a basis of the plane; empty for the origin and for space. */
  span(vectors: readonly Row[], { rank, basis }: Pick<Derived, "rank" | "basis">): string {
    const [first = [], second = []] = basis
    if (rank === 1) return this.line(scaled(first, -2 * this.reach), scaled(first, 2 * this.reach))
    if (rank !== 2) return ""
    if (this.dimensions === 3) {
      const [side, other] = [scaled(first, this.reach), scaled(second, this.reach)]
      const signs: readonly Point[] = [[1, 1], [1, -1], [-1, -1], [-1, 1]]
      return outline(signs.map((shares) => this.to(combined([side, other], shares))))
    }
    const [u = [], v = []] = vectors
    return outline([[0, 0], u, added(u, v), v].map((corner) => this.to(corner)))
  }

  /** The integer combinations of a basis of the plane, the parallelogram of two vectors in space, or the box of three. */
  lattice(vectors: readonly Row[], rank: number): string {
    const [u = [], v = [], w = []] = vectors
    if (rank === 2 && this.dimensions === 3) {
      return vectors.length === 2 ? this.line(u, added(u, v)) + this.line(v, added(u, v)) : ""
    }
    if (rank !== this.dimensions) return ""
    return rank === 2 ? this.parallels(u, v) + this.parallels(v, u) : this.box(u, v, w)
  }

  /** Lines along `other` through the multiples of `one`. */
  private parallels(one: Row, other: Row): string {
    const far = 2 * this.reach
    const count = Math.min(MOST_LINES, Math.ceil((2 * far) / Math.max(lengthOf(one), 1e-3)))
    const along = scaled(other, far / lengthOf(other))
    let lines = ""
    for (let at = -count; at <= count; at++) {
      const through = scaled(one, at)
      lines += this.line(added(through, scaled(along, -1.5)), added(through, scaled(along, 1.5)))
    }
    return lines
  }

  private box(u: Row, v: Row, w: Row): string {
    const origin = [0, 0, 0]
    const edges = (edge: Row, one: Row, other: Row) =>
      [origin, one, other, added(one, other)].map((from) => this.line(from, added(from, edge)))
    return [...edges(u, v, w), ...edges(v, u, w), ...edges(w, u, v)].join("")
  }

  /** The path to the point, one multiple of each vector after another; empty without coordinates. */
  sum({ vectors }: Vectors, { coordinates }: Pick<Derived, "coordinates">): string {
    let at: Row = Array<number>(this.dimensions).fill(0)
    const path = (coordinates ?? []).map((share, place) => {
      const from = at
      at = added(from, scaled(vectors[place]!, share))
      return this.line(from, at)
    })
    return path.join("")
  }

  /** The way from the nearest point of the span to the point; empty if the point lies in the span. */
  miss({ point }: Vectors, { nearest, reached }: Pick<Derived, "nearest" | "reached">): string {
    return reached ? "" : this.line(nearest, point)
  }
}

/* What follows from the vectors, in words. */

export function readoutLines(
  { words, spans, dimensions }: Pick<Header, "words" | "spans" | "dimensions">,
  { vectors, point }: Vectors,
  { determinant, rank, reached, coordinates, nearest, distance, relation }: Derived,
): string[] {
  const [count, isPair, isZero] = [vectors.length, vectors.length < dimensions, !point.some(Boolean)]
  const lines = [
    filled(isPair ? words.area : words.determinant, { number: threeDigits(determinant) }),
    filled(words.rank, { rank, count, span: spans[rank] ?? "" }),
    rank < count ? words.dependent : isPair ? words.pair : words.independent,
    coordinates ? filled(words.coordinates, { numbers: listed(coordinates) }) : "",
    !coordinates && reached && !isZero ? words.reached : "",
    isZero && !relation ? words.only : "",
    isZero && relation ? filled(words.relation, { numbers: listed(relation) }) : "",
    reached ? "" : filled(words.missed, { nearest: listed(nearest), distance: threeDigits(distance) }),
  ]
  return lines.filter(Boolean).map((line) => line.replaceAll("-", "\u2212"))
}

function listed(row: Row): string {
  return `(${row.map((number) => threeDigits(Math.abs(number) < 1e-12 ? 0 : number)).join(", ")})`
}

/** What the drawing needs of its view. */
export interface PlacingView {
  readonly state: Placement | undefined
  readonly upwards: boolean // dragging moves z instead of x and y
  readonly unsent: AbortController | undefined
  place: (row: number, changed: Change) => void
  press: (event: KeyboardEvent, row: number) => void
  turnTo: (place: 0 | 1, angle: number) => void
  draw: () => void
  tellPlaced: () => void
}

const LAYERS = ["ground", "span", "lattice", "axis", "sum", "miss"] as const
type Layer = (typeof LAYERS)[number]

/** The elements of one vector or of the point. */
interface Handle {
  group: SVGGElement
  shaft: SVGPathElement
  tip: SVGPathElement
  grip: SVGCircleElement
  nameLabel: SVGTextElement
}

export class VectorDrawing {
  private readonly svg: SVGSVGElement
  private readonly layers: ReadonlyMap<Layer, SVGPathElement>
  private readonly letters: SVGTextElement[]
  private readonly handles: Handle[]
  private projection: Projection | undefined
  private dragging = false

  constructor(
    private readonly view: PlacingView,
    private readonly header: Header,
    parent: ParentNode,
  ) {
    const viewBox = `${-SIDE} ${-SIDE} ${2 * SIDE} ${2 * SIDE}`
    this.svg = svgElement("svg", { viewBox, role: "group", "aria-label": header.label }, parent)
    this.layers = new Map(LAYERS.map((layer) => [layer, svgElement("path", { class: layer }, this.svg)]))
    this.letters = header.axes.map((axis) => {
      const letter = svgElement("text", { class: "letter", "aria-hidden": "true" }, this.svg)
      letter.textContent = axis
      return markData(letter, "name")
    })
    this.handles = header.names.map((name, row) => this.buildHandle(name, row))
    if (header.dimensions === 3) this.buildTurning()
  }

  private buildHandle(name: string, row: number): Handle {
    const { limit, hues } = this.header
    const hue = hues[row]
    const group = svgElement("g", { class: hue ? "handle" : "handle point", tabindex: 0, role: "slider" }, this.svg)
    setAttributes(group, { "aria-label": name, "aria-valuemin": -limit, "aria-valuemax": limit })
    if (hue) group.style.color = hue
    const shaft = svgElement("path", { class: "shaft" }, group)
    const tip = svgElement("path", { class: "tip-of" }, group)
    const grip = svgElement("circle", { class: "grip", r: 9 }, group)
    const nameLabel = svgElement("text", { "aria-hidden": "true" }, group)
    nameLabel.textContent = name
    markData(nameLabel, "name")
    group.onkeydown = keyHandler((event) => this.view.press(event, row))
    group.onpointerdown = (event) => this.hold(event, group, (at) => this.drag(row, at))
    return { group, shaft, tip, grip, nameLabel }
  }

  /** Follows a pointer until it is released. */
  private hold(event: PointerEvent, shown: SVGElement, follow: (moved: PointerEvent) => void): void {
    event.preventDefault()
    event.stopPropagation()
    shown.focus({ preventScroll: true })
    shown.setPointerCapture(event.pointerId)
    this.dragging = true
    this.view.unsent?.abort()
    shown.onpointermove = follow
    shown.onpointerup = shown.onpointercancel = () => {
      shown.onpointermove = shown.onpointerup = shown.onpointercancel = null
      this.dragging = false
      this.view.draw()
      this.view.tellPlaced()
    }
  }

  private buildTurning(): void {
    this.svg.classList.add("turns")
    this.svg.onpointerdown = (event) => {
      if (!this.view.state) return
      const { clientX, clientY } = event
      const [turn, tilt] = this.view.state.turn
      this.hold(event, this.svg, (at) => {
        const round = ((turn - (at.clientX - clientX) / 2 + 540) % 360) - 180
        this.view.turnTo(0, round)
        this.view.turnTo(1, tilt + (at.clientY - clientY) / 3)
      })
    }
  }

  /** The pointer's position in units from the middle, to the right and upwards. */
  private pointed({ clientX, clientY }: PointerEvent, { unit }: Projection): Point {
    const { left, top, width, height } = this.svg.getBoundingClientRect()
    const across = ((clientX - left) / width) * 2 - 1
    const down = ((clientY - top) / height) * 2 - 1
    return [(across * SIDE) / unit, (-down * SIDE) / unit]
  }

  private drag(row: number, event: PointerEvent): void {
    const { state, upwards } = this.view
    if (!state || !this.projection) return
    const at = this.pointed(event, this.projection)
    this.view.place(row, this.projection.dragged(rowsOf(state)[row]!, at, upwards))
  }

  draw(state: Placement, derived: Derived): void {
    const rows = rowsOf(state)
    const reach = this.dragging && this.projection ? this.projection.reach : reachOf(rows)
    const projection = (this.projection = new Projection(reach, this.header.dimensions, state.turn))
    this.drawLayer("ground", projection.ground())
    this.drawLayer("axis", projection.axes())
    this.drawLayer("span", projection.span(state.vectors, derived))
    this.drawLayer("lattice", projection.lattice(state.vectors, derived.rank))
    this.drawLayer("sum", projection.sum(state, derived))
    this.drawLayer("miss", projection.miss(state, derived))
    this.layers.get("span")?.classList.toggle("filled", derived.rank > 1)
    projection.axisEnds().forEach((end, axis) => {
      const [x, y] = projection.to(end)
      setAttributes(this.letters[axis]!, { x: Math.min(x, SIDE - 6), y: Math.max(y - 3, 8 - SIDE) })
    })
    rows.forEach((row, place) => this.drawHandle(row, place, projection))
  }

  private drawLayer(layer: Layer, path: string): void {
    this.layers.get(layer)?.setAttribute("d", path)
  }

  private drawHandle(row: Row, place: number, projection: Projection): void {
    const { group, shaft, tip, grip, nameLabel } = this.handles[place]!
    const [x, y] = projection.to(row)
    const size = Math.hypot(x, y)
    const isPoint = place === this.handles.length - 1
    if (!isPoint) {
      const [right, down] = size ? [x / size, y / size] : [0, 0]
      const back: Point = [x - 6 * right, y - 6 * down]
      shaft.setAttribute("d", `M0 0L${back.join(" ")}`)
      const wing = (side: number) => `${back[0] - side * 3 * down} ${back[1] + side * 3 * right}`
      tip.setAttribute("d", size ? `M${x} ${y}L${wing(1)}L${wing(-1)}Z` : "")
    } else {
      tip.setAttribute("d", `M${x - 3} ${y}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0Z`)
    }
    setAttributes(grip, { cx: x, cy: y })
    setAttributes(nameLabel, {
      x: Math.min(SIDE - 6, Math.max(-SIDE + 2, x + 5)),
      y: Math.min(SIDE - 3, Math.max(8 - SIDE, y - 5)),
    })
    setAttributes(group, { "aria-valuenow": row[0]!, "aria-valuetext": row.join(", ") })
  }
}
