/** The drawing of vectors, their span and the linear combination of the point; its handles are dragged or moved by keys. */

import { keyHandler, markData, setAttributes, svgElement } from "../../core/dom"
import type { Derived, Row } from "./algebra"
import { rowsOf, type Change, type Header, type Placement } from "./placement"
import { Projection, reachOf, SIDE, type Point } from "./projection"

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
