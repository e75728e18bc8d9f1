/** One copy of the picture: a map, lines and an outline over it, and a button for each patch. */

import { button, element, keyHandler, setAttributes, svgElement } from "../../core/dom"
import { largest } from "../../core/numbers"
import { buildLegend, paintCells, paintPicture, type Legend, type Shape } from "../../core/painting"
import { offerWholeScreen } from "../../core/whole_screen"
import { describeMap, describeMass, patchText, weightsOver, type Patch, type Selection } from "./maps"
import { outlineOf, selectLargest } from "./outline"
import type { PanelFields, PictureWords } from "./payload"

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
