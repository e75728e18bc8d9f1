/** The selected patch as pixels, as colour planes, as a vector, and embedded. */

import type { Chosen } from "../../core/choosing"
import { element, filled, svgElement } from "../../core/dom"
import { full, largest } from "../../core/numbers"
import { cutPatch, flatten, shareOf, type Patches } from "./patches"
import type { PatchWords, Payload } from "./payload"

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
