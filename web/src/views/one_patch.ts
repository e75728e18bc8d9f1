/**
 * The selected patch of a picture: its pixels, its colour planes, its vector and its embedding, or its position in the
 * sequence. It is cut out of the picture here.
 */

import { PICTURE, type Pointed, linkTokens } from "../core/brushing"
import { type Choosable, ChoosingView, type Chosen } from "../core/choosing"
import type { Theme } from "../core/colour"
import { mounting } from "../core/component"
import { element, filled, markData, svgElement } from "../core/dom"
import { full, largest } from "../core/numbers"
import { type Shape, paintPicture } from "../core/painting"
import { type Bytes, unpack } from "../core/payload"
import style from "./one_patch.css"

/* The patches of a picture, and the numbers that a patch becomes. */

/** A picture of whole patches: red, green and blue of each pixel, row by row; lengths in pixels. */
export interface Patches {
  pixels: Uint8Array
  width: number
  size: number // the side of a patch
  columns: number // patches in a row
}

/** The bytes of the `place`-th patch, red, green and blue of each pixel. */
export function cutPatch({ pixels, width, size, columns }: Patches, place: number): Uint8Array {
  const [top, left] = [Math.floor(place / columns) * size, (place % columns) * size]
  const patch = new Uint8Array(3 * size * size)
  for (let row = 0; row < size; row++) {
    const start = 3 * ((top + row) * width + left)
    patch.set(pixels.subarray(start, start + 3 * size), 3 * size * row)
  }
  return patch
}

/** How much of a colour a byte is, from 0 to 1, as float32. */
export function shareOf(byte: number): number {
  return Math.fround(byte / 255)
}

/** A patch as a vector from -1 to 1: all red, all green, all blue. */
export function flatten(patch: Uint8Array): number[] {
  return [0, 1, 2].flatMap((channel) =>
    Array.from({ length: patch.length / 3 }, (_, pixel) => 2 * shareOf(patch[3 * pixel + channel]!) - 1),
  )
}

/* The payload of `one_patch`: see views/components/one_patch.py. */

export interface PatchWords {
  red: string
  green: string
  blue: string
  title: string
  pixels: string
  flattened: string
  embedded: string
  dimension: string
  steps: string
  cls: string
  position: string
  patch: string
}

export interface Payload extends Choosable {
  shows: "steps" | "sequence"
  grid: Shape // of patches
  inks: readonly [red: string, green: string, blue: string]
  hue: string
  first: string // the label of CLS
  theme: Theme
  words: PatchWords
}

/* All patches of a picture in order, after CLS, the selected one marked. */

export class PatchSequence {
  private readonly squares: readonly HTMLSpanElement[]
  private readonly canvases: readonly HTMLCanvasElement[]
  private readonly announce: (...at: Pointed[]) => void

  constructor(root: HTMLElement, { grid: [rows, columns], words, first, hue }: Payload) {
    root.setAttribute("role", "list")
    root.style.setProperty("--hue", hue)
    const item = (title: string) => {
      const node = element("span", "", root)
      node.setAttribute("role", "listitem")
      node.title = title
      return node
    }
    Object.assign(markData(item(words.cls), "token"), { className: "cls", textContent: first })
    this.squares = Array.from({ length: rows * columns }, (_, place) => {
      const patch = filled(words.patch, { row: Math.floor(place / columns) + 1, column: (place % columns) + 1 })
      const square = item(filled(words.position, { position: place + 1, patch }))
      square.className = "square"
      square.onpointerenter = () => this.pointAt([PICTURE, place])
      square.onpointerleave = () => this.pointAt()
      return square
    })
    this.canvases = this.squares.map((square) => element("canvas", "pixels", square))
    this.announce = linkTokens(root, (at) => this.markLinked(at))
  }

  paint(patches: Patches): void {
    const { size } = patches
    this.canvases.forEach((canvas, place) => paintPicture(canvas, cutPatch(patches, place), [size, size]))
  }

  /** Marks the selected patch. */
  select(selected: number): void {
    this.squares.forEach((square, place) => square.classList.toggle("chosen", place === selected))
  }

  private pointAt(...at: Pointed[]): void {
    this.markLinked(at)
    this.announce(...at)
  }

  private markLinked(at: readonly Pointed[]): void {
    const marked = at.find(([name]) => name === PICTURE)?.[1] ?? -1
    this.squares.forEach((square, place) => square.classList.toggle("at", place === marked))
  }
}

/* The selected patch as pixels, as colour planes, as a vector, and embedded. */

const WIDTH = 440 // of the drawing, so that its texts are legible on a phone
const GAP = 16
const PLANE = (WIDTH - 3 * GAP) / 4
const HALF = 48 // of the longest bar, on either side of 0
const TOPS = [PLANE + 52, PLANE + 190] as const
const CHANNELS = [0, 1, 2] as const

/** A rectangle with a title, which is shown on hover. */
interface Named {
  shape: SVGRectElement
  title: SVGTitleElement
}

export class PatchSteps {
  private readonly words: PatchWords
  private readonly title: HTMLHeadingElement
  private readonly planes: readonly Named[][]
  private readonly vector: readonly Named[]
  private readonly embedding: readonly Named[]

  /** `size`: the side of a patch in pixels; `length`: of its vector. */
  constructor(root: HTMLElement, { words, inks, hue }: Payload, size: number, length: number) {
    this.words = words
    const count = 3 * size * size
    this.title = element("h2", "", root)
    const picture = svgElement("svg", { viewBox: `0 0 ${WIDTH} ${TOPS[1] + 118}`, role: "img" }, root)
    picture.setAttribute("aria-label", words.steps)
    const write = (y: number, text: string, values: Readonly<Record<string, number>>) => {
      svgElement("text", { x: 0, y }, picture).textContent = filled(text, values)
    }
    write(12, words.pixels, { size })
    write(TOPS[0], words.flattened, { count })
    write(TOPS[1], words.embedded, { count: length })
    this.planes = [0, 1, 2, 3].map((plane) => buildCells(picture, plane * (PLANE + GAP), size))
    this.vector = buildBars(picture, TOPS[0], count, (place) => inks[Math.floor((3 * place) / count)]!)
    this.embedding = buildBars(picture, TOPS[1], length, () => hue)
  }

  /** Draws the `place`-th patch; `embedded` is its embedding. */
  draw(patches: Patches, place: number, embedded: Float32Array, chosen: Chosen): void {
    const { words } = this
    this.title.textContent = filled(words.title, { ...chosen, position: place + 1 })
    const bytes = cutPatch(patches, place)
    const [first, ...planes] = this.planes
    first!.forEach(({ shape }, pixel) => {
      shape.setAttribute("fill", `rgb(${bytes.subarray(3 * pixel, 3 * pixel + 3).join(",")})`)
    })
    const names = [words.red, words.green, words.blue]
    const called: string[] = []
    planes.forEach((plane, channel) =>
      plane.forEach(({ shape, title }, pixel) => {
        const byte = bytes[3 * pixel + channel]!
        const [row, column] = [Math.floor(pixel / patches.size) + 1, (pixel % patches.size) + 1]
        const name = filled(names[channel]!, { row, column })
        shape.setAttribute("fill", `rgb(${CHANNELS.map((other) => (other === channel ? byte : 0)).join(",")})`)
        title.textContent = `${name}: ${full(shareOf(byte))}`
        called.push(name)
      }),
    )
    drawBars(this.vector, TOPS[0], flatten(bytes), 1, (at) => called[at]!)
    const most = largest(embedded.map(Math.abs)) || 1
    drawBars(this.embedding, TOPS[1], embedded, most, (at) => filled(words.dimension, { place: at + 1 }))
  }
}

function buildCells(picture: SVGElement, left: number, size: number): Named[] {
  const [cell, side] = [PLANE / size, PLANE / size + 0.3] // without gaps
  return Array.from({ length: size * size }, (_, place) => {
    const [x, y] = [left + (place % size) * cell, 22 + Math.floor(place / size) * cell]
    return withTitle(svgElement("rect", { x, y, width: side, height: side, class: "pixel" }, picture))
  })
}

function buildBars(picture: SVGElement, top: number, count: number, ink: (place: number) => string): Named[] {
  const [step, y] = [WIDTH / count, top + 10 + HALF]
  svgElement("line", { x1: 0, x2: WIDTH, y1: y, y2: y, stroke: "currentColor", "stroke-opacity": 0.4 }, picture)
  return Array.from({ length: count }, (_, place) =>
    withTitle(svgElement("rect", { x: place * step, width: 0.8 * step, fill: ink(place) }, picture)),
  )
}

function withTitle(shape: SVGRectElement): Named {
  return { shape, title: svgElement("title", {}, shape) }
}

/** Draws numbers as bars from 0; `most` has the longest one. */
function drawBars(
  bars: readonly Named[],
  top: number,
  values: ArrayLike<number>,
  most: number,
  nameOf: (place: number) => string,
): void {
  const middle = top + 10 + HALF
  bars.forEach(({ shape, title }, place) => {
    const value = values[place]!
    const share = value / most
    shape.setAttribute("y", String(middle - Math.max(0, share) * HALF))
    shape.setAttribute("height", String(Math.max(0.4, Math.abs(share) * HALF)))
    title.textContent = `${nameOf(place)}: ${full(value)}`
  })
}

class OnePatch extends ChoosingView<Bytes, Payload> {
  private vectors: Float32Array = new Float32Array()
  private length = 0 // of a vector
  private patches: Patches | undefined
  private shown: PatchSteps | PatchSequence | undefined
  private drawn = ""

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".one-patch")
  }

  show(bytes: Bytes): void {
    if (!this.isNew(bytes)) return
    const [header, arrays] = unpack<Payload>(bytes)
    const [height = 0, width = 0] = arrays.shape("pixels")
    this.vectors = arrays.floats("embeddings")
    this.length = arrays.shape("embeddings")[1] ?? 0
    this.patches = { pixels: arrays.bytes("pixels"), width, size: height / header.grid[0], columns: header.grid[1] }
    this.payload = header
    this.fit([header.shows, header.grid, height, width, this.length, header.words], header.theme)
    if (this.shown instanceof PatchSequence) this.shown.paint(this.patches)
    this.drawn = ""
    this.take(header)
  }

  protected override build(): void {
    const { root, payload, patches } = this
    if (!payload || !patches) return
    root.replaceChildren()
    this.shown = payload.shows === "steps" ? new PatchSteps(root, payload, patches.size, this.length) : new PatchSequence(root, payload)
  }

  protected arrange(chosen: Chosen): void {
    const { shown, patches } = this
    if (!patches) return
    const place = (Number(chosen.row) - 1) * patches.columns + Number(chosen.column) - 1 // row by row
    const drawn = String(place)
    if (this.drawn === drawn) return
    this.drawn = drawn
    if (shown instanceof PatchSteps) {
      const { length } = this
      shown.draw(patches, place, this.vectors.subarray(place * length, (place + 1) * length), chosen)
    } else shown?.select(place)
    this.root.dataset.drawn = drawn
  }
}

export default mounting(OnePatch, style)
