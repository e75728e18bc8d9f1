/** CLS in every layer next to the picture: a bar of length 1 each, ribbons from patches to it, and the class read there. */

import { button, element, filled, keyHandler, markData, setAttributes, svgElement } from "../../core/dom"
import { percent, threeDigits } from "../../core/numbers"
import { buildHatching } from "../stage/elements"
import { patchName } from "../patch_picture/maps"
import { MEAN } from "../../core/choosing"
import { readIn, rowIn, type PictureStagePayload } from "./payload"
import { shareOf, sharesAtRest, sharesShown, strongest, type Share, type Shares } from "./shares"

interface FlowEvents {
  look: (layer: string | null) => void
  choose: (layer: string) => void
}

/** What is drawn: layer and head by their ids, and the patch that is pointed at; -1 for none. */
interface FlowState {
  readonly payload: PictureStagePayload
  readonly layer: string
  readonly head: string
  readonly kept: number // the share of a map that is outlined
  readonly patch: number
}

/** CLS in one layer. */
interface Place {
  readonly item: HTMLElement
  readonly bar: HTMLElement
  readonly token: HTMLButtonElement
}

/** Where something is in the field, in pixels. */
interface Spot {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const LEAST = 0.75 // pixels of a ribbon
const NAMED = 3 // patches in the name of a layer

export class Flow {
  private readonly svg: SVGSVGElement
  private readonly numbers: HTMLElement
  private readonly places: readonly Place[]

  /** `field` contains the picture, whose patches are in `frame`. */
  constructor(
    private readonly field: HTMLElement,
    private readonly frame: HTMLElement,
    { names, words, classes, read }: PictureStagePayload,
    events: FlowEvents,
  ) {
    const list = element("ol", "layers", field)
    list.setAttribute("aria-label", words.layers)
    this.places = names[0].map((layer, index) => {
      const item = element("li", layer === MEAN ? "mean" : "", list)
      const bar = element("span", "bar-of-cls", item)
      const token = button(item, layer === MEAN ? words.mean : filled(words.layer, { layer }), () => events.choose(layer))
      token.className = "token"
      token.onkeydown = keyHandler((event) => this.type(event, index, events))
      token.onpointerenter = (event) => event.pointerType !== "touch" && events.look(layer)
      token.onpointerleave = (event) => event.pointerType !== "touch" && events.look(null)
      token.onfocus = () => token.matches(":focus-visible") && events.look(layer)
      token.onblur = () => events.look(null)
      const best = readIn({ classes, read }, index)
      if (best) buildReading(item, ...best, words.headed && filled(words.headed, { layer }))
      return { item, bar, token }
    })
    this.svg = svgElement("svg", { class: "flow", "aria-hidden": "true" }, field)
    this.numbers = element("div", "weights", field)
    this.numbers.setAttribute("aria-hidden", "true")
  }

  /** Arrow keys move along the layers to look; Escape frees the layer that is looked at; Enter presses it by itself. */
  private type(event: KeyboardEvent, index: number, events: FlowEvents): void {
    const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key]
    if (event.key === "Escape") events.look(null)
    else if (step) this.places[Math.max(0, Math.min(this.places.length - 1, index + step))]!.token.focus()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  draw({ payload, layer, head, kept, patch }: FlowState): void {
    const { names, grid } = payload
    const origin = this.field.getBoundingClientRect()
    const spot = (node: Element): Spot => {
      const { left, top, width, height } = node.getBoundingClientRect()
      return { x: left - origin.left, y: top - origin.top, width, height }
    }
    setAttributes(this.svg, { width: origin.width, height: origin.height })
    this.svg.replaceChildren()
    this.numbers.replaceChildren()
    buildHatching(this.svg)
    const frame = spot(this.frame)
    const shown = names[0].indexOf(layer)
    const drawPlace = (index: number) => {
      const row = rowIn(payload, index, head)
      const shares = index === shown ? sharesShown(row, kept) : sharesAtRest(row)
      const bar = spot(this.places[index]!.bar)
      const group = svgElement("g", { class: index === shown ? "front" : "rest" }, this.svg)
      drawBar(bar, shares, group)
      for (const part of shares.parts) drawRibbon(frame, grid, bar, part, group)
      if (patch < 0) return
      const own = shareOf(shares, row, patch)
      drawRibbon(frame, grid, bar, own, group).classList.add("picked")
      this.write(bar, own.weight)
    }
    for (const index of names[0].keys()) if (index !== shown) drawPlace(index)
    if (shown >= 0) drawPlace(shown) // in front of the others
    this.name(payload, head, shown)
  }

  /** Writes a weight at a bar. */
  private write({ x, y, width, height }: Spot, weight: number): void {
    const number = element("span", "", this.numbers)
    number.textContent = threeDigits(weight)
    const rows = width > height
    number.style.left = `${rows ? x + width / 2 : x - 4}px`
    number.style.top = `${rows ? y - 4 : y + height / 2}px`
    number.classList.toggle("above", rows)
  }

  /** Names of the layers for screen readers; one of them is in the order of the Tab key. */
  private name(payload: PictureStagePayload, head: string, shown: number): void {
    this.places.forEach(({ item, token }, index) => {
      const own = index === Math.max(0, shown)
      item.classList.toggle("own", index === shown)
      setAttributes(token, { "aria-pressed": index === shown, "aria-label": describeLayer(payload, index, head) })
      token.tabIndex = own ? 0 : -1
    })
  }
}

/** A layer in words: what CLS attends to in it, and the class that is read there. */
export function describeLayer(payload: PictureStagePayload, index: number, head: string): string {
  const { words, names, grid } = payload
  const row = rowIn(payload, index, head)
  const over = row.subarray(1)
  const patches = strongest(over, NAMED)
  const named = patches.map((patch) => `${patchName(words, [Math.floor(patch / grid[1]), patch % grid[1]])} ${threeDigits(over[patch]!)}`)
  const rest = over.reduce((total, weight) => total + weight, 0) - patches.reduce((total, patch) => total + over[patch]!, 0)
  const list = [`${words.own} ${threeDigits(row[0]!)}`, ...named, `${words.other} ${threeDigits(Math.max(0, rest))}`].join("; ")
  const name = names[0][index] === MEAN ? words.mean : filled(words.layer, { layer: names[0][index]! })
  const text = filled(words.attends, { name, list })
  const best = readIn(payload, index)
  return best ? `${text} ${filled(words.read, { class: best[0], probability: percent(best[1]) })}` : text
}

function buildReading(item: HTMLElement, name: string, probability: number, heading: string): void {
  const reading = element("span", "reading", item)
  reading.setAttribute("aria-hidden", "true") // the token's name has it
  reading.style.setProperty("--share", String(probability))
  if (heading) element("small", "", reading).textContent = heading
  markData(element("span", "", reading), "name").textContent = name
  element("b", "", reading).textContent = percent(probability)
}

/** The bar of CLS: its weight on itself, the patches with ribbons, and hatching for the rest. */
function drawBar({ x, y, width, height }: Spot, { own, parts, rest }: Shares, parent: ParentNode): void {
  const [rows, length] = [width > height, Math.max(width, height)]
  const piece = (from: number, share: number, name: string) => {
    const place = rows
      ? { x: x + from * length, y, width: share * length, height }
      : { x, y: y + from * length, width, height: share * length }
    svgElement("rect", { class: name, ...place }, parent)
  }
  piece(0, own, "own-weight")
  for (const part of parts) piece(part.from, part.weight, "part")
  if (rest > 0.005) piece(1 - rest, rest, "remainder")
}

/** From the middle of a patch to its part of a bar. */
function drawRibbon(frame: Spot, [rows, columns]: readonly [number, number], bar: Spot, part: Share, parent: ParentNode): SVGPathElement {
  const [row, column] = [Math.floor(part.patch / columns), part.patch % columns]
  const [x1, y1] = [frame.x + ((column + 0.5) / columns) * frame.width, frame.y + ((row + 0.5) / rows) * frame.height]
  const across = bar.width > bar.height
  const length = Math.max(bar.width, bar.height)
  const along = (part.from + part.weight / 2) * length
  const [x2, y2] = across ? [bar.x + along, bar.y] : [bar.x, bar.y + along]
  const [half, width] = [across ? (y1 + y2) / 2 : (x1 + x2) / 2, Math.max(LEAST, part.weight * length)]
  const bend = across ? `${x1} ${half} ${x2} ${half}` : `${half} ${y1} ${half} ${y2}`
  return svgElement("path", { class: "ribbon", d: `M${x1} ${y1}C${bend} ${x2} ${y2}`, "stroke-width": width }, parent)
}
