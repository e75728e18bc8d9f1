/**
 * Vectors that are dragged, moved by keys or typed. Everything derived is computed and drawn here; the server only receives
 * their coordinates, for the address and the numbers below.
 */

import { mounting, View } from "../core/component"
import { button, element, filled, followDrag, markData, setAttributes } from "../core/dom"
import { watchMark } from "../core/mark"
import { onGrid } from "../core/numbers"
import { unpack, type Bytes } from "../core/payload"
import { buildLiveRegion } from "../core/tooltip"
import style from "./vector_view.css"
import { added, combined, DECIMALS, lengthOf, relationOf, scaled, spanned, THOUSAND } from "./vector_view/algebra"
import type { Derived, Row } from "./vector_view/algebra"
import {
  type Change,
  type Header,
  type Placement,
  type PlacingView,
  STEP,
  VectorDrawing,
  keyStep,
  moved,
  pastedNumbers,
  readoutLines,
  rowsOf,
  turned,
} from "./vector_view/drawing"

const STILL = 300 // milliseconds without another move before coordinates are sent

class VectorView extends View<Bytes> implements PlacingView {
  state: Placement | undefined
  upwards = false
  private header: Header | undefined
  private drawing: VectorDrawing | undefined
  private inputs: HTMLInputElement[][] = [] // of coordinates
  private shares: HTMLInputElement[] = []
  private modes: HTMLButtonElement[] = []
  private angles: HTMLInputElement[] = []
  private readout: HTMLElement | undefined
  private liveRegion: HTMLElement | undefined
  private speaking: number | undefined // timer of the next announcement
  private typed: Row | undefined // coefficients of the last combination that was typed

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".vector-view")
    this.mark = watchMark(this.host, () => this.header && this.followMark())
  }

  override leave(): void {
    super.leave()
    window.clearTimeout(this.speaking)
  }

  show(bytes: Bytes): void {
    if (!this.isNew(bytes)) return
    const [header] = unpack<Header>(bytes)
    const sizes = ({ dimensions, names }: Header) => `${dimensions} ${names.length}`
    if (this.header && sizes(this.header) !== sizes(header)) this.state = undefined
    this.header = header
    this.fit([sizes(header), header.label, header.words], header.theme)
    if (!this.followMark()) this.draw()
  }

  protected override showChosen(chosen: unknown): void {
    const state = chosen as Placement
    if (!this.header || state.point.length !== this.header.dimensions) return
    if (state.vectors.length !== this.header.names.length - 1) return
    this.state = state
    this.draw()
  }

  protected override build(): void {
    const { header } = this
    if (!header) return
    this.root.replaceChildren()
    const panels = element("div", "panels", this.root)
    const left = element("div", "picture", panels)
    this.drawing = new VectorDrawing(this, header, left)
    this.modes = []
    this.angles = []
    if (header.dimensions === 3) this.buildTurns(header, left)
    const right = element("div", "numbers", panels)
    this.buildTable(header, right)
    this.buildCombined(header, right)
    this.readout = element("div", "readout", right)
    this.liveRegion = buildLiveRegion(this.root)
  }

  private buildTurns({ words, turns }: Header, parent: ParentNode): void {
    const group = element("div", "controls", parent)
    this.modes = [words.across, words.upwards].map((word, upwards) =>
      button(group, word, () => {
        this.upwards = Boolean(upwards)
        this.draw()
      }),
    )
    const buildAngle = (word: string, place: 0 | 1) => {
      const label = element("label", "turn", group)
      element("span", "", label).textContent = word
      const input = element("input", "", label)
      const [min, max] = turns[place]
      Object.assign(input, { type: "range", min, max, step: 5 })
      const follow = () => this.turnTo(place, Number(input.value))
      followDrag(this, input, follow, () => this.tellPlaced())
      return input
    }
    this.angles = [buildAngle(words.turn, 0), buildAngle(words.tilt, 1)]
  }

  private buildTable({ names, axes, words, hues }: Header, parent: ParentNode): void {
    const table = element("table", "", parent)
    const head = element("tr", "", element("thead", "", table))
    for (const title of [words.vector, ...axes]) {
      const cell = element("th", "", head)
      cell.scope = "col"
      cell.textContent = title
      if (title !== words.vector) markData(cell, "name")
    }
    const body = element("tbody", "", table)
    this.inputs = names.map((name, row) => {
      const line = element("tr", "", body)
      const title = markData(element("th", "", line), "name")
      title.scope = "row"
      title.textContent = name
      const hue = hues[row]
      title.style.color = hue ? `color-mix(in srgb, ${hue} 65%, var(--st-text-color))` : "" // legible in both themes
      return axes.map((axis, column) => {
        const input = this.buildNumber(element("td", "", line), filled(words.coordinate, { name, axis }))
        input.oninput = () => this.type(input, row, column)
        input.onpaste = (event) => this.paste(event, input, row, column)
        return input
      })
    })
  }

  private buildCombined({ names, words }: Header, parent: ParentNode): void {
    const group = element("div", "combined", parent)
    setAttributes(group, { role: "group", "aria-label": words.combined })
    const addText = (text: string) => (markData(element("span", "", group), "name").textContent = text)
    addText(`${names.at(-1)} =`)
    this.shares = names.slice(0, -1).map((name, place) => {
      if (place) addText("+")
      const input = this.buildNumber(group, filled(words.coefficient, { name }))
      input.oninput = () => this.combine()
      addText(name)
      return input
    })
    button(group, words.zero, () => this.makeZero())
  }

  private buildNumber(parent: ParentNode, label: string): HTMLInputElement {
    const input = element("input", "", parent)
    Object.assign(input, { type: "number", step: STEP })
    input.setAttribute("aria-label", label)
    input.onchange = () => {
      this.draw()
      this.tellPlaced()
    }
    return input
  }

  private isWithin(number: number): boolean {
    return Math.abs(number) <= (this.header?.limit ?? 0) // not for NaN
  }

  /** A coordinate while it is typed; no change until it is a number. */
  private type(input: HTMLInputElement, row: number, column: number): void {
    if (this.isWithin(input.valueAsNumber)) this.place(row, { [column]: input.valueAsNumber })
  }

  /** The point of the typed coefficients; no change if it is out of range. */
  private combine(): void {
    if (!this.state) return
    const shares = this.shares.map((input) => input.valueAsNumber || 0)
    const point = combined(this.state.vectors, shares)
    if (!point.every((number) => this.isWithin(number))) return
    this.typed = shares
    this.placePoint(point)
  }

  /** The point at the origin, with coefficients that are not all 0 where the vectors are dependent. */
  private makeZero(): void {
    if (!this.state) return
    const { vectors, point } = this.state
    this.typed = relationOf(vectors) ?? vectors.map(() => 0)
    this.placePoint(point.map(() => 0))
    this.tellPlaced()
  }

  /** A pasted list fills this cell and those after it. */
  private paste(event: ClipboardEvent, input: HTMLInputElement, row: number, column: number): void {
    const numbers = pastedNumbers(event.clipboardData?.getData("text") ?? "")
    if (numbers.length < 2) return
    event.preventDefault()
    const cells = this.inputs.flatMap((line, at) => line.map((_, axis) => [at, axis] as const))
    const first = cells.findIndex(([at, axis]) => at === row && axis === column)
    cells.slice(first).forEach(([at, axis], place) => {
      const number = numbers[place]
      if (number !== undefined) this.place(at, { [axis]: number })
    })
    input.blur()
    this.draw()
    this.tellPlaced()
  }

  /** Moves a vector, or the point (the last row), to other coordinates. */
  place(row: number, changed: Change): void {
    if (!this.state || !this.header) return
    this.state = moved(this.state, row, changed, this.header.limit)
    this.draw()
  }

  private placePoint(point: Row): void {
    this.place(this.state?.vectors.length ?? 0, { ...point })
  }

  turnTo(place: 0 | 1, angle: number): void {
    if (!this.state || !this.header) return
    this.state = turned(this.state, place, angle, this.header.turns)
    this.draw()
  }

  press(event: KeyboardEvent, row: number): void {
    const step = keyStep(event, this.header?.dimensions ?? 0)
    if (!step || !this.state) return
    event.preventDefault()
    const [column, by] = step
    this.place(row, { [column]: rowsOf(this.state)[row]![column]! + by })
    this.tellPlaced()
  }

  tellPlaced(): void {
    window.clearTimeout(this.speaking)
    this.speaking = window.setTimeout(() => {
      if (this.liveRegion) this.liveRegion.textContent = this.readout?.textContent ?? ""
    }, STILL)
    this.tell("placed", this.state, STILL)
  }

  draw(): void {
    const { state, header } = this
    if (!state || !header) return
    const derived = spanned(state)
    this.drawing?.draw(state, derived)
    const rows = rowsOf(state)
    this.inputs.forEach((line, row) => line.forEach((input, column) => this.write(input, rows[row]![column]!)))
    this.modes.forEach((node, upwards) => node.setAttribute("aria-pressed", String(this.upwards === Boolean(upwards))))
    this.angles.forEach((input, place) => (input.value = String(state.turn[place])))
    this.writeShares(state, derived)
    this.readout?.replaceChildren()
    for (const line of readoutLines(header, state, derived)) element("p", "", this.readout).textContent = line
    this.root.dataset.placed = JSON.stringify(state)
  }

  /** Coordinates in the basis; for dependent vectors the typed ones, as long as they give the point. */
  private writeShares({ vectors, point }: Placement, { coordinates }: Derived): void {
    const apart = this.typed && lengthOf(added(combined(vectors, this.typed), scaled(point, -1)))
    const shown = coordinates ?? (apart !== undefined && apart < 2 / THOUSAND ? this.typed : undefined)
    this.shares.forEach((input, place) => this.write(input, shown ? onGrid(shown[place]!, DECIMALS) : null))
  }

  /** A number is not reformatted while it is typed. */
  private write(input: HTMLInputElement, number: number | null): void {
    const isFocused = (input.getRootNode() as Document | ShadowRoot).activeElement === input
    if (isFocused && input.valueAsNumber === number) return
    const typing = isFocused && !Number.isFinite(input.valueAsNumber)
    const sharing = isFocused && this.shares.includes(input)
    if (!typing && !sharing) input.value = number === null ? "" : String(number)
  }
}

export default mounting(VectorView, style)
