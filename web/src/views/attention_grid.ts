/**
 * The overview of all maps. One button per map, each with a small canvas of one pixel per cell that the browser scales up, so
 * it stays sharp on any screen; it may overlay a picture. Hovering reads from the payload, without the server.
 */

import { readAt } from "../core/arranged"
import { PICTURE, type Pointed, calledIn, linkTokens, linkedCell } from "../core/brushing"
import { ChoosingView, type Chosen, SEND_AFTER } from "../core/choosing"
import { type Theme, lookupTable, packed } from "../core/colour"
import { mounting } from "../core/component"
import controlsStyle from "../core/controls.css"
import { Choices } from "../core/controls"
import { arrowStep, button, element, filled, keyHandler, pointedCell, setAttributes } from "../core/dom"
import mapStyle from "../core/heatmap.css"
import { Heatmap, type ShownMap } from "../core/heatmap"
import { tokensIn } from "../core/labels"
import { clamp, largest, roundNumber, threeDigits } from "../core/numbers"
import { type Legend, type Shape, buildLegend, layUnder, paintCells } from "../core/painting"
import type { Bytes } from "../core/payload"
import { Tip } from "../core/tooltip"
import style from "./attention_grid.css"
import {
  type Detail,
  type Payload,
  type Sheet,
  axisName,
  axisOptions,
  cellLabel,
  describe,
  isMasked,
  largestIn,
  mapName,
  readPayload,
  shadeOf,
  startOf,
  weightText,
  withinAxes,
} from "./attention_grid/sheet"

/* The selected map of the overview as input of the large map. */

/** Draws a colour scale that ends at `top`. */
export function drawScale(scale: Legend, colours: Uint32Array, decades: number, top: number): void {
  scale.paint(colours)
  scale.low.textContent = decades ? `\u2264 ${roundNumber(top / 10 ** decades)}` : "0"
  scale.high.textContent = threeDigits(top)
}

export function largeMap(sheet: Sheet, detail: Detail, theme: Theme, row: number, column: number): ShownMap {
  const { words, decades } = sheet
  const [, , queries, keys] = sheet.shape
  const start = startOf(sheet, row, column)
  const weights = sheet.weights.subarray(start, start + queries * keys)
  const top = (decades ? 1 : largest(sheet.shared_scale ? sheet.weights : weights)) || 1
  const colours = lookupTable(sheet.scales[theme])
  return {
    name: filled(detail.heading, { map: mapName(sheet, row, column) }),
    label: filled(words.keys, { map: describe(sheet, row, column) }),
    shape: [queries, keys],
    values: weights.map((weight, cell) => (isMasked(sheet, Math.floor(cell / keys), cell % keys) ? -Infinity : weight)),
    rows: sheet.queries,
    columns: sheet.keys,
    read: sheet.read ?? null,
    row_title: detail.query_axis,
    column_title: detail.key_axis,
    kindOf: (label, side) => (sheet.places && label !== sheet.cls ? "" : tokensIn(sheet.languages)[side]), // only CLS has a name among patches
    colours,
    shade: (weight) => Math.round(shadeOf(decades, weight / top) * 255),
    grey: packed(sheet.masked[theme]),
    drawScale: (scale) => drawScale(scale, colours, decades, top),
    pair: (query, key) => cellLabel(sheet, query, key),
    write: (weight) => weightText(sheet, weight),
    masked: words.masked,
    table: words.table,
    corner: `${words.query} \\ ${words.key}`,
    numbered: !sheet.places,
    places: sheet.places,
  }
}

const ARRANGED_BY = ["kind", "units", "marks", "pair", "scale"] // the choices that change all maps, not only the open one
const MANY = 16 // columns from which on maps are close together, and a narrow screen scrolls sideways
const MOST_DOTS = 64 // per side of one map; longer sentences show the largest weight of each block of cells

interface Tile {
  tile: HTMLButtonElement
  canvas: HTMLCanvasElement
}

/** What is built for a sheet. */
interface Built {
  grid: HTMLDivElement
  tiles: readonly (readonly Tile[])[]
  scale: Legend
  blocks: HTMLSpanElement
  maskedKey: HTMLSpanElement
  maskedSwatch: HTMLSpanElement
  tip: Tip
  detail: Heatmap | undefined
  point: (...at: Pointed[]) => void
}

class AttentionGrid extends ChoosingView<Bytes, Payload> {
  private arrangement: string | undefined
  private sheet: Sheet | undefined
  private choices: Choices | undefined
  private built: Built | undefined
  private open: readonly [row: number, column: number] = [0, 0] // of a sheet without controls

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".grid-root")
  }

  show(bytes: Bytes): void {
    if (!this.isNew(bytes)) return
    this.arrangement = undefined
    this.take(readPayload(bytes))
    this.built?.tip.hide()
  }

  // Without controls the mark is the row and the column of the open map.
  protected override take(payload: Payload): void {
    if (payload.controls) return super.take(payload)
    this.payload = payload
    this.openMarked()
  }

  protected override showChosen(chosen: unknown): void {
    if (this.payload?.controls) return super.showChosen(chosen)
    this.open = chosen as [number, number]
    this.arrange({})
  }

  private openMarked(): void {
    const marked = this.readMark() as [number, number] | null
    if (marked) this.open = marked
    this.arrange({})
  }

  /** Draws the selected maps, unless they are on the screen already, and marks the open one. */
  protected arrange(chosen: Chosen): void {
    const { payload } = this
    if (!payload) return
    const arrangement = JSON.stringify(payload.controls ? ARRANGED_BY.map((name) => chosen[name]) : [])
    if (arrangement !== this.arrangement) {
      this.arrangement = arrangement
      const sheet = (this.sheet = payload.sheet(chosen))
      this.fit([sheet.rows, sheet.columns, sheet.words, sheet.places, Boolean(sheet.detail)], sheet.theme)
      if (this.built) this.draw(sheet, this.built, this.theme ?? sheet.theme)
      this.root.dataset.drawn = `${sheet.title}: ${sheet.queries.join(" ")} / ${sheet.keys.join(" ")}`
    }
    const { sheet, built } = this
    if (!sheet || !built) return
    if (!payload.controls) return this.select(sheet, built, ...this.open)
    this.choices?.fit({ ...payload, controls: payload.controls })
    this.choices?.show(chosen)
    if (chosen.opacity) built.grid.style.setProperty("--opacity", String(Number(chosen.opacity) / 100))
    this.select(sheet, built, sheet.rows.indexOf(chosen.layer ?? ""), sheet.columns.indexOf(chosen.head ?? ""))
  }

  availableIn(name: string): readonly string[] | undefined {
    return this.sheet && axisOptions(this.sheet, name)
  }

  protected override restricted(chosen: Chosen): Chosen {
    return this.payload ? withinAxes(this.payload, chosen) : chosen
  }

  protected override build(): void {
    const { sheet, payload } = this
    if (!sheet) return
    const { rows, columns, words, detail } = sheet
    if (payload?.controls) this.choices ??= new Choices(this)
    for (const built of [...this.root.children]) if (built !== this.choices?.root) built.remove()
    this.root.classList.toggle("with-detail", Boolean(detail))
    const overview = element("div", "overview", this.root)
    const grid = element("div", "grid", overview)
    grid.classList.toggle("many", columns.length > MANY)
    grid.setAttribute("role", "grid")
    grid.style.setProperty("--columns", String(columns.length))
    grid.style.setProperty("--rows", String(rows.length))
    const head = buildRow(grid)
    element("span", "corner", head).textContent = words.axes
    for (const name of columns) buildHeader(head, axisName(words, name)).classList.add("columnheader")
    const tiles = rows.map((name, row) => {
      const line = buildRow(grid)
      buildHeader(line, axisName(words, name)).classList.add("rowheader")
      return columns.map((_, column) => this.buildTile(line, row, column))
    })
    const scale = buildLegend(overview)
    const blocks = element("span", "blocks", scale.legend)
    const maskedKey = element("span", "masked-key", scale.legend)
    const maskedSwatch = element("span", "swatch", maskedKey)
    element("span", "", maskedKey).textContent = words.masked
    const point = linkTokens(grid, (at) => this.markLinked(at))
    const tip = new Tip(this.root, "pair", "value", "place")
    const large = detail ? new Heatmap(this.root) : undefined
    this.built = { grid, tiles, scale, blocks, maskedKey, maskedSwatch, tip, detail: large, point }
  }

  private buildTile(line: ParentNode, row: number, column: number): Tile {
    const tile = button(line, "", () => this.openMap(row, column))
    tile.className = "tile over"
    tile.setAttribute("role", "gridcell")
    const canvas = element("canvas", "pixels", tile)
    tile.onkeydown = keyHandler((event) => this.move(event, row, column))
    tile.onpointermove = (event) => this.hover(event, canvas, row, column)
    tile.onpointerleave = () => this.left()
    return { tile, canvas }
  }

  private draw(sheet: Sheet, built: Built, theme: Theme): void {
    const [rows, columns, queries, keys] = sheet.shape
    const colours = lookupTable(sheet.scales[theme])
    const grey = packed(sheet.masked[theme])
    const cells = queries * keys
    const block = Math.ceil(Math.max(queries, keys) / MOST_DOTS)
    const size: Shape = [Math.ceil(queries / block), Math.ceil(keys / block)]
    const heads = Array.from({ length: rows * columns }, (_, place) => {
      return largest(sheet.weights.subarray(place * cells, (place + 1) * cells))
    })
    const shared = sheet.decades ? 1 : Math.max(...heads)
    const { grid } = built
    // The aspect ratio is limited, so that a long target with a short source stays readable.
    grid.style.setProperty("--ratio", String(Math.min(2, Math.max(0.5, keys / queries))))
    built.tiles.forEach((line, row) => {
      line.forEach(({ tile, canvas }, column) => {
        const offset = startOf(sheet, row, column)
        const top = (sheet.shared_scale ? shared : heads[row * columns + column]!) || 1
        paintCells(canvas, size, (dot) => {
          const weight = largestIn(sheet, offset, Math.floor(dot / size[1]) * block, (dot % size[1]) * block, block)
          return weight < 0 ? grey : colours[Math.round(shadeOf(sheet.decades, weight / top) * 255)]!
        })
        tile.setAttribute("aria-label", describe(sheet, row, column))
      })
    })
    grid.setAttribute("aria-label", sheet.title)
    grid.style.setProperty("--queries", String(queries))
    grid.style.setProperty("--keys", String(keys))
    this.markAll([-1, -1])
    layUnder(grid, sheet, sheet.picture)
    drawScale(built.scale, colours, sheet.decades, shared)
    if (!sheet.shared_scale) built.scale.high.textContent = sheet.words.own
    const blocks = block * sheet.block
    built.blocks.textContent = blocks > 1 ? filled(sheet.words.blocks, { block: blocks }) : ""
    built.maskedKey.hidden = !sheet.causal
    built.maskedSwatch.style.background = sheet.masked[theme]
  }

  private hover(event: PointerEvent, canvas: HTMLCanvasElement, row: number, column: number): void {
    const { sheet, built } = this
    if (!sheet || !built) return
    const [, , queries, keys] = sheet.shape
    const [query, key] = pointedCell(event, canvas, [queries, keys])
    if (query < 0 || key < 0 || query >= queries || key >= keys) return this.left()
    const weight = sheet.weights[startOf(sheet, row, column) + query * keys + key]!
    const value = isMasked(sheet, query, key) ? sheet.words.masked : weightText(sheet, weight)
    built.tip.show(event.clientX, event.clientY, cellLabel(sheet, query, key), value, mapName(sheet, row, column))
    this.markAll([query, key])
    if (sheet.underlay) return built.point([PICTURE, query * keys + key])
    built.point(calledIn(readAt(sheet), query, sheet.places), calledIn(sheet.keys, key, sheet.places))
  }

  private left(): void {
    this.built?.tip.hide()
    this.markAll([-1, -1])
    this.built?.point()
  }

  /** Marks a row and a column in all maps through CSS variables; -1 for none. */
  private markAll(cell: readonly [row: number, column: number]): void {
    const grid = this.built?.grid
    if (!grid) return
    const [row, column] = cell
    grid.classList.toggle("row-marked", row >= 0)
    grid.classList.toggle("column-marked", column >= 0)
    grid.style.setProperty("--row", String(row))
    grid.style.setProperty("--column", String(column))
  }

  private markLinked(at: readonly Pointed[]): void {
    if (!this.sheet) return
    const { keys, places, underlay, shape } = this.sheet
    if (!underlay) return this.markAll(linkedCell(at, readAt(this.sheet), keys, places))
    const patch = at.find(([name]) => name === PICTURE)?.[1] ?? -1
    this.markAll(patch < 0 ? [-1, -1] : [Math.floor(patch / shape[3]), patch % shape[3]])
  }

  /** Selects a map. It is shown large here, or the page shows it and receives the selection at once. */
  private openMap(row: number, column: number): void {
    const { sheet, payload } = this
    if (!sheet) return
    if (payload?.controls) return this.set({ layer: sheet.rows[row]!, head: sheet.columns[column]! })
    this.open = [row, column]
    this.arrange({})
    this.tell("chosen", [row, column], this.built?.detail ? SEND_AFTER : 0)
  }

  private select(sheet: Sheet, built: Built, row: number, column: number): void {
    built.tiles.forEach((line, r) => {
      line.forEach(({ tile }, c) => {
        const chosen = r === row && c === column
        setAttributes(tile, { "aria-selected": chosen })
        tile.tabIndex = chosen ? 0 : -1
      })
    })
    if (built.detail && sheet.detail) {
      built.detail.show(largeMap(sheet, sheet.detail, this.theme ?? sheet.theme, row, column))
    }
  }

  private move(event: KeyboardEvent, row: number, column: number): void {
    const step = arrowStep(event.key)
    const tiles = this.built?.tiles
    if (!step || !tiles) return
    event.preventDefault()
    const line = tiles[clamp(row + step[0], tiles.length)]!
    line[clamp(column + step[1], line.length)]!.tile.focus()
  }
}

function buildRow(grid: ParentNode): HTMLDivElement {
  const row = element("div", "row", grid)
  row.setAttribute("role", "row")
  return row
}

function buildHeader(line: Element, name: string): HTMLSpanElement {
  const node = element("span", "name", line)
  node.setAttribute("role", line === line.parentElement?.firstElementChild ? "columnheader" : "rowheader")
  node.textContent = name
  return node
}

export default mounting(AttentionGrid, controlsStyle + mapStyle + style)
