/**
 * Thousands of lines from the left edge of a canvas to the right one. The browser's antialiased lines take about 50
 * microseconds each without a graphics card; painting column by column takes a tenth of that.
 */

import { packed } from "../../core/colour"
import type { HeadStyle, Token, Weights } from "./payload"

const LEVELS = 32 // steps of a line's width, also the order in which lines are painted: the strongest last

type Visit = (x1: number, y1: number, x2: number, y2: number, weight: number, head: number) => void

/** Lines, grouped by strength. */
export class Strokes {
  count = 0
  private readonly levels: number[][] = Array.from({ length: LEVELS + 1 }, () => []) // the arguments of `add`, in turn

  /** `thickness`: of a line whose weight is 1; `all`: how many lines there are, drawn or not. */
  constructor(
    readonly thickness: number,
    readonly all: number,
  ) {}

  add(x1: number, y1: number, x2: number, y2: number, weight: number, head: number): void {
    this.levels[Math.ceil(Math.min(1, weight) * LEVELS)]!.push(x1, y1, x2, y2, weight, head)
    this.count += 1
  }

  /** Visits all lines, the strongest last. */
  each(visit: Visit): void {
    for (const level of this.levels) {
      for (let place = 0; place < level.length; place += 6) {
        visit(level[place]!, level[place + 1]!, level[place + 2]!, level[place + 3]!, level[place + 4]!, level[place + 5]!)
      }
    }
  }
}

/** Pixels of a line's width. */
export function widthOf(weight: number, thickness: number): number {
  return 0.8 + (thickness - 0.8) * weight
}

/** The opacity of a line. */
export function strengthOf(weight: number): number {
  return 0.2 + 0.8 * weight
}

/** One horizontal line in a head's colour and dashes, for a legend. */
export function strokeAcross(
  pen: CanvasRenderingContext2D,
  [x, y]: readonly [number, number],
  [length, width]: readonly [number, number],
  [colour, dashes]: HeadStyle,
): void {
  pen.strokeStyle = colour
  pen.lineWidth = width
  pen.setLineDash([...dashes])
  pen.beginPath()
  pen.moveTo(x, y)
  pen.lineTo(x + length, y)
  pen.stroke()
}

/** Size and colours of a painting; `across` and `down` are canvas pixels per page pixel. */
interface Painting {
  width: number
  height: number
  across: number
  down: number
  background: string
  styles: readonly HeadStyle[]
}

type Size = readonly [width: number, height: number]

/** Paints strokes on a canvas; its pixels are allocated once per size. */
export class StrokeCanvas {
  private image: ImageData | undefined

  constructor(readonly canvas: HTMLCanvasElement) {}

  paint(strokes: Strokes, painting: Painting): void {
    const { width, height, across, down } = painting
    const size: Size = [Math.max(1, Math.round(width * across)), Math.max(1, Math.round(height * down))]
    if (this.image?.width !== size[0] || this.image.height !== size[1]) {
      this.canvas.width = size[0]
      this.canvas.height = size[1]
      this.image = new ImageData(...size)
    }
    paintStrokes(new Uint32Array(this.image.data.buffer), size, strokes, painting)
    this.canvas.getContext("2d")!.putImageData(this.image, 0, 0)
  }
}

/** Paints strokes over the background into pixels. */
export function paintStrokes(pixels: Uint32Array, size: Size, strokes: Strokes, painting: Painting): void {
  const { across, down, background, styles } = painting
  pixels.fill(packed(background))
  const heads = styles.map(([colour, dashes]) => ({ colour: packed(colour), dashes: dashPattern(dashes, across) }))
  strokes.each((x1, y1, x2, y2, weight, head) => {
    const slope = ((y2 - y1) / (x2 - x1)) * (down / across)
    // in page pixels, since canvas pixels need not be square
    const thick = widthOf(weight, strokes.thickness) * Math.hypot(1, (y2 - y1) / (x2 - x1)) * down
    const line = { first: Math.round(x1 * across), end: Math.round(x2 * across), top: y1 * down, slope, thick }
    paintLine(pixels, size, line, strengthOf(weight), heads[head]!)
  })
}

/** Which columns of a line are painted; null for all. */
export function dashPattern(dashes: readonly number[], across: number): boolean[] | null {
  if (!dashes.length) return null
  return dashes.flatMap((length, place) => {
    return Array<boolean>(Math.max(1, Math.round(length * across))).fill(place % 2 === 0)
  })
}

/** A line in canvas pixels: its columns, its middle at the left end, its climb per column and its height in a column. */
interface Line {
  first: number
  end: number
  top: number
  slope: number
  thick: number
}

/** In each column of pixels a line covers a run of them; where it is steep, the run is as long as the line climbs. */
function paintLine(
  pixels: Uint32Array,
  [width, height]: Size,
  { first, end, top, slope, thick }: Line,
  strength: number,
  { colour, dashes }: { colour: number; dashes: readonly boolean[] | null },
): void {
  const reach = Math.max(thick, Math.abs(slope), 1)
  const opacity = 256 * strength * (thick / reach)
  const outer = colour & 0xff00ff // two channels with a gap between them, mixed in one multiplication
  const inner = colour & 0x00ff00
  for (let x = first; x < end; x++) {
    if (dashes && !dashes[x % dashes.length]) continue
    const from = top + slope * (x + 0.5 - first) - reach / 2
    const to = from + reach
    const last = Math.min(height, Math.ceil(to))
    for (let y = Math.max(0, Math.floor(from)); y < last; y++) {
      const share = (opacity * ((to < y + 1 ? to : y + 1) - (from > y ? from : y))) | 0
      const place = y * width + x
      const under = pixels[place]!
      const rest = 256 - share
      const mixedOuter = ((Math.imul(outer, share) + Math.imul(under & 0xff00ff, rest) + 0x800080) >>> 8) & 0xff00ff
      const mixedInner = ((Math.imul(inner, share) + Math.imul(under & 0x00ff00, rest) + 0x008000) >>> 8) & 0x00ff00
      pixels[place] = 0xff000000 | mixedOuter | mixedInner
    }
  }
}

/* Where rows, lines and cells are, in pixels of the page. */

const ROW = 20 // pixels per token
const WIDE_ROW = 28 // pixels per token of a short input
const SHORT = 360 // pixels of height up to which an input is short
const FULL_ROW = 15 // pixels per token of a long input that need not fit the screen
const FITS = 800 // pixels of height into which a long input is compressed
const THICKEST = 6 // pixels of a line whose weight is 1
const NUMBER = 46 // pixels of a number next to the cells

/** Pixels between two legible labels. */
export const NEAR = 12

/** The weight of a cell that would be invisible. */
export const FAINT = 0.02

/** Whether so many tokens are compressed to fit the screen. */
export function isLong(tokens: number): boolean {
  return tokens * ROW > FITS
}

/** Pixels per token; `full`: a long input need not fit the screen. */
export function rowHeight(tokens: number, full: boolean): number {
  if (tokens * WIDE_ROW <= SHORT) return WIDE_ROW
  if (!isLong(tokens)) return ROW
  return full ? FULL_ROW : Math.max(2.5, FITS / tokens)
}

/** Pixels of the cells next to a token, one per map, between lines of this width; 0: the width is not known yet. */
export function cellsWidth(width: number, maps: number): number {
  return Math.min(width > 0 && width < 240 ? 40 : 72, 9 * maps)
}

/** Pixels of the cells and of the number next to them. */
export function slotWidth(width: number, maps: number): number {
  return cellsWidth(width, maps) + NUMBER
}

/** The strongest `most` lines of a token, or of all tokens if `focus` is null; those of several maps are side by side. */
export function strokesOf(
  weights: Weights,
  maps: readonly number[],
  { focus, most, row, width }: { focus: Token | null; most: number; row: number; width: number },
): Strokes {
  const slot = slotWidth(width, maps.length)
  const left = focus?.side === "key" ? slot : 0
  const right = focus?.side === "query" ? width - slot : width
  const spread = Math.min(row * 0.6, 2.5 * (maps.length - 1))
  const offset = (place: number) => (maps.length > 1 ? (place / (maps.length - 1) - 0.5) * spread : 0)
  const offsets = new Map(maps.map((map, place) => [map, offset(place)]))
  const middle = (place: number, map: number) => (place + 0.5) * row + offsets.get(map)!
  const { all, cells } = weights.strongest(maps, focus, most)
  const strokes = new Strokes(Math.max(2.4, THICKEST * Math.min(1, row / ROW)), all)
  const { queries, keys, heads, values } = weights
  for (const cell of cells) {
    const map = Math.floor(cell / (queries * keys))
    const query = Math.floor(cell / keys) % queries
    strokes.add(left, middle(query, map), right, middle(cell % keys, map), values[cell]!, map % heads)
  }
  return strokes
}
