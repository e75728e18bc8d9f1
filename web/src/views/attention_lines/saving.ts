/** Saves the lines as an SVG or a PNG file. */

import { canvasColour } from "../../core/colour"
import { element, filled, svgElement } from "../../core/dom"
import { isolated } from "../../core/labels"
import { pictureOf, type Drawing, type Picture } from "./picture"
import { StrokeCanvas, strengthOf, strokeAcross, widthOf } from "./strokes"
import type { HeadStyle } from "./payload"

/** The font and the colour of texts. */
interface Look {
  family: string
  ink: string
}

type Ends = Readonly<Record<"x1" | "y1" | "x2" | "y2", number>>

const CHIP = [24, 5] as const // length and width of a head's line in the legend

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
  for (const { x, y, style } of picture.chips) line({ x1: x, y1: y, x2: x + CHIP[0], y2: y }, CHIP[1], style)
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
  for (const { x, y, style } of picture.chips) strokeAcross(pen, [x, y], CHIP, style)
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
