/**
 * A Vision Transformer on the stage: the picture, ribbons from its patches to CLS in every layer, and the class that is read
 * from CLS there. Layers are looked at by pointing and by keys, without a request, and chosen by pressing.
 */

import { type Chosen, MEAN } from "../core/choosing"
import { mounting } from "../core/component"
import controlsStyle from "../core/controls.css"
import { button, element, filled, keyHandler, markData, setAttributes, svgElement } from "../core/dom"
import { percent, threeDigits } from "../core/numbers"
import { Fold, buildTable } from "../core/table"
import pictureStyle from "./patch_picture.css"
import {
  type Panel,
  type Patch,
  PatchPictureView,
  type Payload,
  type PictureWords,
  mapAt,
  patchName,
  selectLargest,
} from "./patch_picture/view"
import style from "./picture_stage.css"
import { sum } from "./stage/reading"
import { buildHatching } from "./stage/figure"

/* The payload of `picture_stage`: that of a picture, and CLS in every layer; see views/components/picture_stage.py. */

export interface StageWords extends PictureWords {
  layers: string // names the list of CLS in every layer
  attends: string
  read: string
  layer: string
  headed: string // in place of it above a class, where no class may be right; empty otherwise
  mean: string
  own: string
  other: string
  note: string
  noteRead: string
  table: string
  allPatches: string
  strongestPatch: string
  itsWeight: string
  readAs: string
  probability: string
}

export interface PictureStagePayload extends Payload {
  readonly words: StageWords
  readonly classes: readonly string[] // their names; empty if CLS is not read
  readonly read: readonly (readonly number[])[] // probabilities of the classes after each layer
}

/** The class that is most probable in a layer, and its probability; null if it is not read there. */
export function readIn({ classes, read }: Pick<PictureStagePayload, "classes" | "read">, layer: number): readonly [string, number] | null {
  const probabilities = read[layer]
  if (!probabilities) return null
  const best = probabilities.indexOf(Math.max(...probabilities))
  return [classes[best]!, probabilities[best]!]
}

/** The weights of CLS as the query in a layer, itself first. */
export function rowIn(payload: PictureStagePayload, layer: number, head: string): Float32Array {
  return mapAt(payload, [layer, Math.max(0, payload.names[1].indexOf(head))])
}

/* How the attention of CLS divides its bar, whose length is 1: CLS itself, patches with a ribbon each, and the rest. */

export const MOST = 24 // ribbons of the layer that is shown
const MOST_AT_REST = 3 // of every other layer
const AT_REST = 2 // times the even share; no weaker patch has a ribbon at rest

/** A part of a bar. `from` is where it begins, from 0 to 1. */
export interface Share {
  readonly patch: number // row by row
  readonly weight: number
  readonly from: number
}

export interface Shares {
  readonly own: number // the weight of CLS on itself, which is the first part
  readonly parts: readonly Share[]
  readonly rest: number // of all patches without a ribbon
}

/** Of the layer that is shown: the strongest patches up to the share that is outlined, all of them where none is. */
export function sharesShown(row: Float32Array, kept: number): Shares {
  const over = row.subarray(1)
  const [selected] = selectLargest(over, kept || 1)
  return dividing(row, strongest(over, MOST).filter((patch) => selected[patch]))
}

/** Of another layer: its strongest patches, none of which is weak. */
export function sharesAtRest(row: Float32Array): Shares {
  const over = row.subarray(1)
  return dividing(row, strongest(over, MOST_AT_REST).filter((patch) => over[patch]! >= AT_REST / row.length))
}

/** The patches with the largest weights, most first. */
export function strongest(over: Float32Array, most: number): number[] {
  return [...over.keys()].sort((one, other) => over[other]! - over[one]! || one - other).slice(0, most)
}

/** Where the part of one patch is in its bar, among the parts that are drawn or after them. */
export function shareOf({ own, parts }: Shares, row: Float32Array, patch: number): Share {
  const drawn = parts.find((part) => part.patch === patch)
  return drawn ?? { patch, weight: row[1 + patch]!, from: own + sum(parts.map(({ weight }) => weight)) }
}

function dividing(row: Float32Array, patches: readonly number[]): Shares {
  let from = row[0]!
  const parts = [...patches]
    .sort((one, other) => one - other)
    .map((patch) => {
      const part = { patch, weight: row[1 + patch]!, from }
      from += part.weight
      return part
    })
  return { own: row[0]!, parts, rest: Math.max(0, 1 - from) }
}

/* CLS in every layer next to the picture: a bar of length 1 each, ribbons from patches to it, and the class read there. */

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

const PHONE = 620 // pixels; on a narrower page the layers are below the picture
const NARROW = 960 // pixels; on a narrower page the controls are below the layers

class PictureStage extends PatchPictureView<PictureStagePayload> {
  private flow: Flow | undefined
  private table: Fold | undefined
  private looked: string | null = null // the layer
  private patch = -1 // that is pointed at

  constructor(parent: Element | ShadowRoot) {
    super(parent)
    this.resized = new ResizeObserver(() => this.drawFlow())
    this.resized.observe(this.root)
  }

  protected override layoutOf(payload: PictureStagePayload): readonly unknown[] {
    return [...super.layoutOf(payload), payload.names, payload.classes, payload.read, payload.words]
  }

  protected override build(): void {
    super.build()
    const { payload, root, built } = this
    if (!payload || !built) return
    root.classList.add("staged")
    const field = element("div", "field")
    root.prepend(field)
    field.append(built.panels[0]!.root.parentElement!)
    this.flow = new Flow(field, built.panels[0]!.root.querySelector<HTMLElement>(".frame")!, payload, {
      look: (layer) => this.look(layer),
      choose: (layer) => this.set({ layer }),
    })
    const { note, noteRead, table } = payload.words
    const explained = element("p", "explained", root.querySelector(".aside"))
    explained.textContent = [note, ...(payload.read.length ? [noteRead] : [])].join(" ")
    this.table = new Fold(root, (holder) => this.fillTable(holder))
    this.table.title.textContent = table
    this.looked = null
    this.patch = -1
  }

  /** Draws the layer that is looked at, else the chosen one; the controls show the chosen one. */
  protected override arrange(chosen: Chosen): void {
    super.arrange({ ...chosen, layer: this.looked ?? chosen.layer ?? "" })
    this.built?.choices.show(chosen)
    this.drawFlow()
    this.table?.follow()
  }

  override set(changes: Chosen): void {
    if ("layer" in changes) this.looked = null
    super.set(changes)
  }

  private look(layer: string | null): void {
    if (layer === this.looked || !this.chosen) return
    this.looked = layer
    this.arrange(this.chosen)
  }

  override hover(event: PointerEvent, panel: Panel, at: Patch): void {
    super.hover(event, panel, at)
    this.pointAt(at[0] * (this.payload?.grid[1] ?? 0) + at[1])
  }

  override unhover(): void {
    super.unhover()
    this.pointAt(-1)
  }

  private pointAt(patch: number): void {
    if (patch === this.patch) return
    this.patch = patch
    this.drawFlow()
  }

  private drawFlow(): void {
    const { payload, chosen, flow, theme, root } = this
    if (!payload || !chosen || !flow || !theme) return
    root.style.setProperty("--across", `${root.clientWidth}px`)
    root.classList.toggle("phone", root.clientWidth < PHONE)
    root.classList.toggle("narrow", root.clientWidth < NARROW)
    const scale = payload.scales[theme]
    const at = (share: number) => scale[Math.round(share * (scale.length - 1))]!
    root.style.setProperty("--vision", at(0.56))
    root.style.setProperty("--vision-ink", at(0.82))
    const { layer = "", head = "", kept = "0" } = chosen
    flow.draw({ payload, layer: this.looked ?? layer, head, kept: Number(kept) / 100, patch: this.patch })
  }

  /** A row for each layer: what those read who do not see the ribbons. */
  private fillTable(holder: HTMLElement): void {
    const { payload, chosen } = this
    if (!payload || !chosen) return
    const { words, names, grid, read } = payload
    const titles = [words.layers, words.own, words.allPatches, words.strongestPatch, words.itsWeight]
    if (read.length) titles.push(words.readAs, words.probability)
    const rows = names[0].map((layer, index) => {
      const row = rowIn(payload, index, chosen.head ?? "")
      const [best = 0] = strongest(row.subarray(1), 1)
      const place = patchName(words, [Math.floor(best / grid[1]), best % grid[1]])
      const numbers = [row[0]!, 1 - row[0]!].map(threeDigits)
      const [name, probability] = readIn(payload, index) ?? ["", null]
      const answer = read.length ? [name, probability === null ? "" : percent(probability)] : []
      const title = layer === MEAN ? words.mean : filled(words.layer, { layer })
      return [title, ...numbers, place, threeDigits(row[1 + best]!), ...answer] as const
    })
    buildTable(holder, titles.map((title) => [title] as const), rows)
  }
}

export default mounting(PictureStage, controlsStyle + pictureStyle + style)
