/**
 * A picture with its patches. The map over it has one pixel per patch and is scaled up by the browser, nearest neighbour;
 * a grid of buttons is on top. Selecting a patch redraws here; the selection is sent to the server.
 */

import { PICTURE, type Pointed, linkTokens } from "../../core/brushing"
import { type Choosable, ChoosingView, type Chosen, type Control, type PlaceWords, placeInWords } from "../../core/choosing"
import { type Theme, lookupTable } from "../../core/colour"
import { Choices } from "../../core/controls"
import { arrowStep, button, element, filled, keyHandler, setAttributes, svgElement } from "../../core/dom"
import { clamp, largest, percent, threeDigits } from "../../core/numbers"
import { type Legend, type Shape, buildLegend, paintCells, paintPicture } from "../../core/painting"
import { type Bytes, unpack } from "../../core/payload"
import { Tip } from "../../core/tooltip"
import { offerWholeScreen } from "../../core/whole_screen"

/* The patches that hold most of a map, and the outline around them. */

/** The fewest patches, largest weights first, that hold `share` of all weights; the same rule as views/patch_grid.py. */
export function selectLargest(weights: Float32Array, share: number): [selected: Uint8Array, count: number] {
  const order = [...weights.keys()].sort((a, b) => weights[b]! - weights[a]!)
  const target = share * sumOf(weights) - 1e-6 // weights have about seven digits
  const selected = new Uint8Array(weights.length)
  let [covered, count] = [0, 0]
  for (const patch of order) {
    const weight = weights[patch]!
    if (covered >= target || weight <= 0) break
    selected[patch] = 1
    covered += weight
    count += 1
  }
  return [selected, count]
}

export function sumOf(weights: Float32Array): number {
  return weights.reduce((total, weight) => total + weight, 0)
}

/** The edges between selected patches and the rest, as a path in patches. */
export function outlineOf(selected: Uint8Array, [rows, columns]: readonly [number, number]): string {
  const at = (row: number, column: number) =>
    row >= 0 && column >= 0 && row < rows && column < columns && selected[row * columns + column] === 1
  let path = ""
  for (let row = 0; row <= rows; row++) {
    for (let column = 0; column <= columns; column++) {
      if (at(row, column) !== at(row - 1, column)) path += `M${column} ${row}h1`
      if (at(row, column) !== at(row, column - 1)) path += `M${column} ${row}v1`
    }
  }
  return path
}

/* The weights that a panel shows over the patches, and the texts about them. */

export type Patch = readonly [row: number, column: number]

/** The map of one head, CLS first, and the patch that is selected in it. */
export interface Selection {
  weights: Float32Array // row by row; a map of its own is one row
  grid: Shape // of patches
  selected: Patch
}

/** The weights over the patches that a panel shows, row by row; null for none. */
export function weightsOver({ weights, grid: [rows, columns], selected }: Selection, shows: Shows): Float32Array | null {
  if (shows === "nothing") return null
  const width = 1 + rows * columns
  const chosen = indexOf(selected, columns)
  if (shows === "to") return Float32Array.from({ length: rows * columns }, (_, patch) => weights[(1 + patch) * width + chosen]!)
  const row = shows === "cls" ? 0 : shows === "from" ? chosen : shows
  return weights.slice(row * width + 1, (row + 1) * width)
}

/** The index of a patch among the tokens, of which CLS is the first. */
function indexOf([row, column]: Patch, columns: number): number {
  return 1 + row * columns + column
}

/** The strongest patch of a map. */
export function describeMap(words: PictureWords, over: Float32Array, columns: number): string {
  const most = over.indexOf(largest(over))
  return filled(words.strongest, { row: Math.floor(most / columns) + 1, column: (most % columns) + 1 })
}

/** The text about CLS in the map, and about the share of it in the outline around `count` patches. */
export function describeMass(
  words: PictureWords,
  { weights, grid: [rows, columns], selected }: Selection,
  shows: Shows,
  over: Float32Array,
  kept: number,
  count: number,
): string {
  const chosen = indexOf(selected, columns)
  const share = Math.round(100 * kept)
  if (shows === "to") {
    return filled(count ? words.toPatchKept : words.toPatch, { cls: threeDigits(weights[chosen]!), share, count })
  }
  const cls = threeDigits(weights[shows === "cls" ? 0 : chosen * (1 + rows * columns)]!)
  return filled(count ? words.fromPatchKept : words.fromPatch, { sum: threeDigits(sumOf(over)), cls, share, count })
}

export function patchName(words: PictureWords, [row, column]: Patch): string {
  return filled(words.patch, { row: row + 1, column: column + 1 })
}

/** A patch with its weight, if there is a map; `write` formats it. */
export function patchText(
  words: PictureWords,
  over: Float32Array | null,
  [row, column]: Patch,
  columns: number,
  write = threeDigits,
): string {
  if (!over) return patchName(words, [row, column])
  return filled(words.weight, { row: row + 1, column: column + 1, weight: write(over[row * columns + column]!) })
}

/* One copy of the picture: a map, lines and an outline over it, and a button for each patch. */

type Paths = ReturnType<typeof buildPaths>

/** What a user does with a patch of a panel. */
export interface PatchActions {
  select: (patch: Patch) => void
  move: (event: KeyboardEvent, panel: Panel, patch: Patch) => void
  hover: (event: PointerEvent, panel: Panel, patch: Patch) => void
  unhover: () => void
}

/** What is drawn in all panels. */
export interface Drawing extends Selection {
  words: PictureWords
  title: string // of the whole, for screen readers
  colours: Uint32Array // 256 shades
  top: number | null // the weight of the deepest colour; null for the largest of the map
  opacity: number
  kept: number // the share of a map that is outlined
  write: (weight: number) => string
}

export class Panel {
  readonly root: HTMLElement
  over: Float32Array | null = null // the weights over the patches
  private readonly under: HTMLCanvasElement
  private readonly map: HTMLCanvasElement
  private readonly paths: Paths
  private readonly cells: HTMLDivElement
  private readonly patches: readonly (readonly HTMLButtonElement[])[]
  private readonly note: HTMLDivElement
  private readonly quiet: HTMLDivElement
  private readonly scale: Legend

  /** `info`: where the read-outs and the scale are; by default below the picture. */
  constructor(
    holder: HTMLElement,
    private readonly fields: PanelFields,
    [rows, columns]: Shape,
    [height, width]: readonly number[],
    actions: PatchActions,
    info?: HTMLElement,
  ) {
    const panel = (this.root = element("div", "panel", holder))
    element("div", "title", panel).textContent = fields.title
    const frame = element("div", "frame", panel)
    frame.style.aspectRatio = `${width} / ${height}`
    frame.style.setProperty("--ratio", String(width! / height!))
    this.under = element("canvas", "under pixels", frame)
    this.map = element("canvas", "map pixels", frame)
    this.paths = buildPaths(frame, rows, columns)
    this.cells = element("div", "cells", frame)
    this.cells.setAttribute("role", "grid")
    this.cells.style.setProperty("--columns", String(columns))
    this.patches = Array.from({ length: rows }, (_, row) => {
      const line = element("div", "line", this.cells)
      line.setAttribute("role", "row")
      return Array.from({ length: columns }, (_, column) => this.buildPatch(line, [row, column], actions))
    })
    this.cells.onpointerleave = () => actions.unhover()
    this.note = element("div", "note", info ?? panel)
    this.note.setAttribute("aria-live", "polite")
    this.quiet = element("div", "quiet", info ?? panel)
    this.scale = buildLegend(info ?? panel)
    if (!info && fields.shows !== "nothing") offerWholeScreen(panel)
  }

  private buildPatch(line: HTMLElement, patch: Patch, actions: PatchActions): HTMLButtonElement {
    const shown = button(line, "", () => actions.select(patch))
    shown.className = "patch"
    shown.setAttribute("role", "gridcell")
    shown.onkeydown = keyHandler((event) => actions.move(event, this, patch))
    shown.onpointermove = (event) => actions.hover(event, this, patch)
    return shown
  }

  paint(picture: Uint8Array, size: Shape): void {
    paintPicture(this.under, picture, size)
  }

  draw(drawing: Drawing): void {
    const { words, selected, grid, write } = drawing
    const over = (this.over = weightsOver(drawing, this.fields.shows))
    this.map.hidden = !over
    this.scale.legend.hidden = !over
    this.cells.setAttribute("aria-label", this.fields.title || drawing.title)
    this.root.dataset.title = [drawing.title, this.fields.title].filter(Boolean).join(": ")
    const outline = over ? this.drawMap(drawing, over) : ""
    this.note.textContent = over ? patchText(words, over, selected, grid[1], write) : ""
    const square = `M${selected[1]} ${selected[0]}h1v1h-1Z`
    this.paths.halo.setAttribute("d", outline)
    this.paths.outline.setAttribute("d", outline)
    this.paths.chosenHalo.setAttribute("d", square)
    this.paths.chosen.setAttribute("d", square)
    this.patches.forEach((line, row) =>
      line.forEach((patch, column) => {
        const chosen = row === selected[0] && column === selected[1]
        const name = patchText(words, over, [row, column], grid[1], write)
        setAttributes(patch, { "aria-selected": chosen, "aria-label": name })
        patch.tabIndex = chosen ? 0 : -1
      }),
    )
  }

  /** Draws the map with its text and its scale; returns the outline of its strongest patches. */
  private drawMap(drawing: Drawing, over: Float32Array): string {
    const { words, grid, colours, kept } = drawing
    const { shows } = this.fields
    const top = drawing.top ?? largest(over)
    const alone = typeof shows === "number"
    const low = alone ? Math.min(...over) : 0
    const shadeOf = (weight: number) => Math.min(255, Math.round(((weight - low) / (top - low || 1)) * 255))
    paintCells(this.map, grid, (patch) => colours[shadeOf(over[patch]!)]!)
    this.map.style.opacity = String(drawing.opacity)
    const [strongest, count] = kept > 0 ? selectLargest(over, kept) : [null, 0]
    this.quiet.textContent = alone
      ? describeMap(words, over, grid[1])
      : describeMass(words, drawing, shows, over, kept, count)
    this.scale.low.textContent = drawing.write(low)
    this.scale.high.textContent = drawing.write(top)
    this.scale.paint(colours)
    return strongest ? outlineOf(strongest, grid) : ""
  }

  /** Marks a patch by its index, row by row; -1 for none. */
  markPatch(place: number): void {
    this.patches.flat().forEach((patch, at) => patch.classList.toggle("at", at === place))
  }

  focus([row, column]: Patch): void {
    this.patches[row]?.[column]?.focus()
  }
}

/** The lines between patches, and paths around the strongest patches and around the selected one. */
function buildPaths(frame: HTMLElement, rows: number, columns: number) {
  const svg = svgElement("svg", { viewBox: `0 0 ${columns} ${rows}`, preserveAspectRatio: "none" }, frame)
  svg.setAttribute("aria-hidden", "true")
  const across = Array.from({ length: rows - 1 }, (_, row) => `M0 ${row + 1}H${columns}`)
  const down = Array.from({ length: columns - 1 }, (_, column) => `M${column + 1} 0V${rows}`)
  svgElement("path", { class: "lines", d: [...across, ...down].join("") }, svg)
  return {
    halo: svgElement("path", { class: "halo" }, svg),
    outline: svgElement("path", { class: "outline" }, svg),
    chosenHalo: svgElement("path", { class: "chosen-halo" }, svg),
    chosen: svgElement("path", { class: "chosen" }, svg),
  }
}

/* The payload of `patch_picture`: see views/components/patch_picture.py. */

/**
 * The map over a panel: none, or the weights of CLS as the query, of the selected patch as the query, or of that as the
 * key. A number is a row that is a map of its own.
 */
export type Shows = "nothing" | "cls" | "from" | "to" | number

/** One copy of the picture. */
export interface PanelFields {
  title: string
  shows: Shows
}

export interface PictureWords extends PlaceWords {
  patch: string
  weight: string
  toPatch: string
  toPatchKept: string
  fromPatch: string
  fromPatchKept: string
  strongest: string
  options: string // the fold of controls
}

export interface Header extends Choosable {
  controls: readonly Control[]
  grid: Shape // of patches
  panels: readonly PanelFields[]
  title: string
  heading: string
  names: readonly [layers: readonly string[], heads: readonly string[]]
  tops: readonly (readonly number[])[] // of each layer and head, on a shared scale; empty for none
  along: readonly [string, string] // the controls of the first two axes
  beside: boolean // heading, controls and read-outs are next to the picture
  percent: boolean // the numbers are probabilities, which are in per cent
  id: number // of all weights
  scales: Readonly<Record<Theme, readonly string[]>>
  theme: Theme
  words: PictureWords
}

/** A payload with the picture and the maps, those of all heads one after another. */
export interface Payload extends Header {
  pixels: Shape // height and width of the picture
  picture: Uint8Array
  weights: readonly [layers: number, heads: number, rows: number, columns: number]
  maps: Float32Array
}

export function readPicture(bytes: Bytes): Payload {
  const [header, arrays] = unpack<Header>(bytes)
  const pixels = arrays.shape("pixels").slice(0, 2) as unknown as Shape
  const weights = arrays.shape("weights") as unknown as Payload["weights"]
  return { ...header, pixels, picture: arrays.bytes("pixels"), weights, maps: arrays.floats("weights") }
}

/** What formats its numbers. */
export function chooseWriter(payload: Payload): (number: number) => string {
  return payload.percent ? percent : threeDigits
}

/** The map of one layer and head, rounded if the payload is. */
export function mapAt({ maps, weights: [, heads, rows, columns] }: Payload, [layer, head]: readonly number[]): Float32Array {
  const place = layer! * heads + head!
  return maps.subarray(place * rows * columns, (place + 1) * rows * columns)
}

/** The exact numbers of one map, which the page provides next to the component, and their name. */
export function readExact(text: string): readonly [name: string, numbers: Float32Array] | null {
  const [name, encoded] = text.split(" ")
  if (!name || !encoded) return null
  return [name, new Float32Array(Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0)).buffer)]
}

/** The name of a map, as `exact_weights` of the Python file writes it. */
export function mapName({ id }: Payload, at: readonly number[]): string {
  return [id, ...at].join(",")
}

/** The elements of one layout. */
interface Built {
  choices: Choices
  heading: HTMLHeadingElement
  panels: readonly Panel[]
  tip: Tip
}

export class PatchPictureView<Shown extends Payload = Payload> extends ChoosingView<Bytes, Shown> implements PatchActions {
  protected built: Built | undefined
  private drawn = ""
  private exactText: string | undefined
  private exact: readonly [name: string, numbers: Float32Array] | null = null
  private announce: (...at: Pointed[]) => void = () => {}

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".picture-root")
  }

  show(bytes: Bytes): void {
    if (!this.isNew(bytes)) return
    const payload = readPicture(bytes) as Shown
    const [height, width] = payload.pixels
    this.payload = payload
    this.fit(this.layoutOf(payload), payload.theme)
    for (const panel of this.built?.panels ?? []) panel.paint(payload.picture, [height, width])
    this.drawn = ""
    this.followExact()
    this.take(payload)
  }

  /** What the elements depend on: they are built again where it changes. */
  protected layoutOf({ grid, pixels: [height, width], panels, beside }: Shown): readonly unknown[] {
    return [grid, [height, width], panels, beside]
  }

  /** The page may provide the selected map with every digit, if the payload has rounded numbers. */
  protected override followMark(): boolean {
    const changed = super.followMark()
    if (!this.followExact() || !this.chosen) return changed
    this.drawn = ""
    this.arrange(this.chosen)
    return changed
  }

  /** Reads the exact numbers next to the component; whether they changed. */
  private followExact(): boolean {
    const text = this.mark?.exact() ?? ""
    if (text === this.exactText) return false
    this.exactText = text
    this.exact = readExact(text)
    return true
  }

  /** Draws the selection, unless it is on the screen, or not yet sent by the server. */
  protected arrange(chosen: Chosen): void {
    const { payload, built } = this
    if (!payload || !built || !this.theme) return
    built.choices.fit(payload)
    built.choices.show(chosen)
    const at = payload.names.map((names, axis) => names.indexOf(chosen[payload.along[axis]!] ?? names[0]!))
    const drawn = JSON.stringify(chosen)
    if (at.includes(-1) || this.drawn === drawn) return
    this.drawn = drawn
    const selected: Patch = [Number(chosen.row) - 1, Number(chosen.column) - 1]
    const { heading } = built
    heading.textContent = filled(payload.heading, { map: placeInWords(payload.words, chosen.layer ?? "", chosen.head ?? "") })
    heading.hidden = !payload.heading
    const exact = this.exact?.[0] === mapName(payload, at) ? this.exact[1] : null
    const shared = chosen.scale !== "own" && payload.tops.length > 0
    const drawing = {
      words: payload.words,
      title: heading.textContent || payload.title,
      grid: payload.grid,
      colours: lookupTable(payload.scales[this.theme]),
      weights: exact ?? mapAt(payload, at),
      top: shared ? payload.tops[at[0]!]![at[1]!]! : null,
      opacity: Number(chosen.opacity ?? 100) / 100,
      kept: Number(chosen.kept ?? 0) / 100,
      write: chooseWriter(payload),
      selected,
    }
    for (const panel of built.panels) panel.draw(drawing)
    built.tip.hide() // its weight may have changed
    this.root.dataset.drawn = `${heading.textContent || payload.title}: row ${selected[0] + 1}, column ${selected[1] + 1}`
  }

  /** Whether only the server has the selected maps. */
  protected override waits(): boolean {
    const { names, along } = this.payload ?? { names: [], along: [] }
    return along.some((choice, axis) => {
      const value = this.chosen?.[choice]
      return value !== undefined && !names[axis]!.includes(value)
    })
  }

  protected override build(): void {
    if (!this.payload) return
    const { grid, panels, pixels, beside } = this.payload
    this.root.replaceChildren()
    this.root.classList.toggle("beside", beside)
    const holder = element("div", "panels", this.root)
    const aside = beside ? element("div", "aside", this.root) : undefined
    const choices = new Choices(this)
    const heading = element("h2", "", this.root)
    if (aside) {
      const head = element("div", "head", aside)
      head.append(heading)
      offerWholeScreen(this.root, head)
      aside.append(choices.root)
    } else this.root.append(holder)
    const built = panels.map((panel) => new Panel(holder, panel, grid, pixels, this, aside))
    this.built = { choices, heading, panels: built, tip: new Tip(this.root, "pair", "value") }
    this.announce = linkTokens(holder, (at) => this.markPatch(at.find(([name]) => name === PICTURE)?.[1] ?? -1))
  }

  hover(event: PointerEvent, { over }: Panel, [row, column]: Patch): void {
    if (!this.payload) return
    const { grid, words } = this.payload
    const place = row * grid[1] + column
    const weight = over ? chooseWriter(this.payload)(over[place]!) : ""
    this.built?.tip.show(event.clientX, event.clientY, patchName(words, [row, column]), weight)
    this.markPatch(place)
    this.announce([PICTURE, place])
  }

  unhover(): void {
    this.built?.tip.hide()
    this.markPatch(-1)
    this.announce()
  }

  /** Marks a patch in every panel; -1 for none. */
  private markPatch(place: number): void {
    for (const panel of this.built?.panels ?? []) panel.markPatch(place)
  }

  select([row, column]: Patch): void {
    this.set({ row: String(row + 1), column: String(column + 1) })
  }

  move(event: KeyboardEvent, panel: Panel, [row, column]: Patch): void {
    const step = arrowStep(event.key)
    if (!step || !this.payload) return
    event.preventDefault()
    const [rows, columns] = this.payload.grid
    const next: Patch = [clamp(row + step[0], rows), clamp(column + step[1], columns)]
    this.select(next)
    panel.focus(next)
  }
}
