/** The lines as a picture to save: tokens, weights and a legend around the lines, in pixels. */

import { canvasColour } from "../../core/colour"
import { element, filled, svgElement } from "../../core/dom"
import { fitLabel, isolated } from "../../core/labels"
import { threeDigits } from "../../core/numbers"
import { FAINT, StrokeCanvas, type Strokes, cellsWidth, strengthOf, strokeAcross, widthOf } from "./strokes"
import type { HeadStyle, Side, Token } from "./payload"
import type { ReadOut } from "./readout"

const EDGE = 12 // pixels around the picture
const LINE = 18 // pixels per line of the legend
const CHIP = 84 // pixels of a head in the legend
const LABEL = 200 // pixels of the longest label; longer ones are cut
const HEADING = "600 13px"
const SIDES = ["query", "key"] as const

/** The lines on the screen: what they show, their size and their colours. */
export interface Drawing {
  readOut: ReadOut
  focus: Token | null
  strokes: Strokes
  row: number
  width: number
  height: number
  styles: readonly HeadStyle[]
  background: string
}

/** Width of a text, in a font as CSS names it without the family. */
type Measure = (text: string, font: string) => number

type Anchor = "start" | "end"

export interface Text {
  text: string
  x: number
  y: number
  size: number
  anchor: Anchor
  weight: number
  whole?: string // what the text was cut from
}

export interface Cell {
  x: number
  y: number
  width: number
  height: number
  colour: string
  opacity: number
}

/** A head in the legend. */
interface Chip {
  x: number
  y: number
  style: HeadStyle
}

/** What a picture contains; the lines begin at `left` and `top`. */
export interface Picture {
  width: number
  height: number
  left: number
  top: number
  texts: readonly Text[]
  cells: readonly Cell[]
  chips: readonly Chip[]
}

/** Lays out the picture of a drawing. */
export function pictureOf(drawing: Drawing, measure: Measure): Picture {
  const { readOut, focus, row, width, height } = drawing
  const { names, sheet } = readOut
  const size = Math.max(3, Math.min(13, row * 0.7))
  const widest = (labels: readonly string[], font: string) => {
    return Math.max(60, ...labels.map((label) => Math.min(LABEL, measure(label, font)))) + 8
  }
  const left = EDGE + widest(names.query, `${size}px`)
  const top = EDGE + 24
  const right = left + width
  const all = right + Math.max(widest(names.key, HEADING), measure(sheet.keyAxis, HEADING) + 6) + EDGE
  const chips = chipsOf(drawing, top + height, all)
  const end = chips.at(-1)?.y ?? top + height
  return {
    width: all,
    height: end + 2 * LINE,
    left,
    top,
    texts: [
      write(sheet.queryAxis, EDGE, EDGE + 8, 13, "start", 600),
      write(sheet.keyAxis, right + 6, EDGE + 8, 13, "start", 600),
      ...SIDES.flatMap((side) => tokenTexts(drawing, side, [left, top], size, measure)),
      ...chips.map(({ x, y, name }) => write(name, x + 30, y, 12, "start")),
      write(captionOf(readOut), EDGE, end + LINE, 12, "start"),
    ],
    cells: focus ? cellsOf(drawing, focus, [left, top]) : [],
    chips,
  }
}

/** A text with its middle at `y`. */
function write(text: string, x: number, y: number, size: number, anchor: Anchor, weight = 400): Text {
  return { text, x, y, size, anchor, weight }
}

/** The tokens of a side, and on the side across from the token in focus the weights. */
function tokenTexts(
  drawing: Drawing,
  side: Side,
  [left, top]: readonly [number, number],
  size: number,
  measure: Measure,
): Text[] {
  const { readOut, focus, row, width } = drawing
  const { names, maps, sheet } = readOut
  const right = left + width
  const room = cellsWidth(width, maps.length) + 4
  const [outer, inner] = side === "query" ? [left - 6, left + room] : [right + 6, right - room]
  const across = focus && focus.side !== side && maps.length ? readOut.weightsOf(focus) : []
  return names[side].flatMap((name, place) => {
    const own = focus?.side === side && focus.place === place
    const y = top + (place + 0.5) * row
    const weight = own ? 700 : 400
    const text = fitLabel(name, LABEL, (shown) => measure(shown, `${weight} ${size}px`))
    const label = write(text, outer, y, size, side === "query" ? "end" : "start", weight)
    if (text !== name) label.whole = name
    const item = across[place]
    if (!item) return [label]
    const number = item.masked ? sheet.words.masked : threeDigits(item.mean)
    return [label, write(number, inner, y, size * 0.85, side === "query" ? "start" : "end")]
  })
}

/** One cell per map for each token of the other side; opacity is the weight. */
function cellsOf(drawing: Drawing, focus: Token, [left, top]: readonly [number, number]): Cell[] {
  const { readOut, row, width, styles } = drawing
  const { maps, weights } = readOut
  const room = cellsWidth(width, maps.length)
  const wide = room / Math.max(1, maps.length)
  const first = focus.side === "query" ? left + width - room : left
  return readOut.weightsOf(focus).flatMap(({ place, query, key }) => {
    const cells = maps.map((map, column) => ({
      x: first + column * wide,
      y: top + (place + 0.1) * row,
      width: wide * 0.9,
      height: 0.8 * row,
      colour: styles[map % weights.heads]![0],
      opacity: weights.at(map, query, key),
    }))
    return cells.filter(({ opacity }) => opacity >= FAINT)
  })
}

/** The heads in the legend, in lines from `bottom` on. */
function chipsOf({ readOut, styles }: Drawing, bottom: number, all: number): (Chip & { name: string })[] {
  const { sheet, view } = readOut
  const perLine = Math.max(1, Math.floor((all - 2 * EDGE) / CHIP))
  return view.heads.map((head, place) => ({
    x: EDGE + (place % perLine) * CHIP,
    y: bottom + LINE * (1.5 + Math.floor(place / perLine)),
    style: styles[head]!,
    name: filled(sheet.words.chip, { head: head + 1 }),
  }))
}

function captionOf({ sheet, view }: ReadOut): string {
  const layers = view.layers.map((layer) => sheet.numbers[layer]).join(", ")
  const share = Math.round(100 * view.mass)
  return filled(layers ? sheet.words.drawn : sheet.words.drawnNone, { kind: sheet.title, layers, share })
}

/* Saves the lines as an SVG or a PNG file. */

/** The font and the colour of texts. */
interface Look {
  family: string
  ink: string
}

type Ends = Readonly<Record<"x1" | "y1" | "x2" | "y2", number>>

const SAVED_CHIP = [24, 5] as const // length and width of a head's line in the legend

function lookOf(shown: Element): Look {
  return {
    family: getComputedStyle(shown).fontFamily,
    ink: canvasColour(shown, "--st-text-color", "#1b1f24"),
  }
}

function laidOut(drawing: Drawing, { family }: Look): Picture {
  const pen = element("canvas").getContext("2d")!
  return pictureOf(drawing, (text, font) => {
    pen.font = `${font} ${family}`
    return pen.measureText(text).width
  })
}

/** Saves a drawing as SVG; `shown` is an element with the page's font and colours. */
export function saveSvg(drawing: Drawing, shown: Element): void {
  const look = lookOf(shown)
  const svg = drawSvg(drawing, laidOut(drawing, look), look)
  const { words, title } = drawing.readOut.sheet
  const text = new XMLSerializer().serializeToString(svg)
  save(new Blob([text], { type: "image/svg+xml" }), filled(words.svgFile, { kind: title }))
}

function drawSvg(drawing: Drawing, picture: Picture, { family, ink }: Look): SVGSVGElement {
  const { left, top } = picture
  const { strokes, styles, background } = drawing
  const add = <Tag extends keyof SVGElementTagNameMap>(
    tag: Tag,
    attributes: Readonly<Record<string, string | number>>,
    parent: ParentNode,
  ) => svgElement(tag, shortened(attributes), parent)
  const [width, height] = [short(picture.width), short(picture.height)]
  const shown = { viewBox: `0 0 ${width} ${height}`, width, height, "font-family": family }
  const svg = add("svg", shown, document.createDocumentFragment())
  add("rect", { width: "100%", height: "100%", fill: background }, svg)
  const line = (ends: Ends, width: number, [stroke, dashes]: HeadStyle, opacity = 1) => {
    const painted = { stroke, "stroke-width": width, "stroke-opacity": opacity, "stroke-dasharray": dashes.join(" ") }
    add("line", { ...ends, ...painted }, svg)
  }
  strokes.each((x1, y1, x2, y2, weight, head) => {
    const ends = { x1: left + x1, y1: top + y1, x2: left + x2, y2: top + y2 }
    line(ends, widthOf(weight, strokes.thickness), styles[head]!, strengthOf(weight))
  })
  for (const { colour, opacity, ...place } of picture.cells) {
    add("rect", { ...place, fill: colour, "fill-opacity": opacity }, svg)
  }
  for (const { x, y, style } of picture.chips) line({ x1: x, y1: y, x2: x + SAVED_CHIP[0], y2: y }, SAVED_CHIP[1], style)
  for (const { text, x, y, size, anchor, weight, whole } of picture.texts) {
    const font = { "font-size": size, "font-weight": weight, "text-anchor": anchor, fill: ink }
    const line = add("text", { x, y, "dominant-baseline": "central", ...font }, svg)
    line.textContent = withoutControls(isolated(text))
    if (whole) add("title", {}, line).textContent = withoutControls(whole)
  }
  return svg
}

/** XML allows no control characters, even escaped. */
function withoutControls(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
}

function short(value: number): number {
  return Math.round(100 * value) / 100
}

function shortened(attributes: Readonly<Record<string, string | number>>): Record<string, string | number> {
  const pairs = Object.entries(attributes)
  return Object.fromEntries(pairs.map(([name, value]) => [name, typeof value === "number" ? short(value) : value]))
}

/** Saves a drawing as PNG; `shown` is an element with the page's font and colours. */
export function savePng(drawing: Drawing, shown: Element): void {
  const look = lookOf(shown)
  const { words, title } = drawing.readOut.sheet
  const name = filled(words.pngFile, { kind: title })
  drawCanvas(drawing, laidOut(drawing, look), look).toBlob((blob) => blob && save(blob, name))
}

function drawCanvas(drawing: Drawing, picture: Picture, { family, ink }: Look): HTMLCanvasElement {
  const { width, height, left, top } = picture
  const canvas = element("canvas")
  const sharp = Math.min(2, 8000 / Math.max(width, height))
  canvas.width = Math.ceil(width * sharp)
  canvas.height = Math.ceil(height * sharp)
  const pen = canvas.getContext("2d")!
  pen.scale(sharp, sharp)
  pen.fillStyle = drawing.background
  pen.fillRect(0, 0, width, height)
  const lines = new StrokeCanvas(element("canvas"))
  lines.paint(drawing.strokes, { ...drawing, across: sharp, down: sharp })
  pen.drawImage(lines.canvas, left, top, drawing.width, drawing.height)
  for (const cell of picture.cells) {
    pen.globalAlpha = cell.opacity
    pen.fillStyle = cell.colour
    pen.fillRect(cell.x, cell.y, cell.width, cell.height)
  }
  pen.globalAlpha = 1
  for (const { x, y, style } of picture.chips) strokeAcross(pen, [x, y], SAVED_CHIP, style)
  pen.fillStyle = ink
  pen.textBaseline = "middle"
  for (const { text, x, y, size, anchor, weight } of picture.texts) {
    pen.font = `${weight} ${size}px ${family}`
    pen.textAlign = anchor
    pen.fillText(text, x, y)
  }
  return canvas
}

function save(blob: Blob, name: string): void {
  const link = element("a")
  link.href = URL.createObjectURL(blob)
  link.download = name.replaceAll(" ", "-")
  document.body.append(link) // so that the click reaches listeners of the page
  link.click()
  link.remove()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
