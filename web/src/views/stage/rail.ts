/** All maps of the chosen kind as small pictures, among which the user chooses, and the candidates of a place. */

import { MEAN } from "../../core/choosing"
import { lookupTable, type Theme } from "../../core/colour"
import { arrowStep, button, element, filled, keyHandler, markData, setAttributes } from "../../core/dom"
import { clamp, largest, threeDigits } from "../../core/numbers"
import { paintCells } from "../../core/painting"
import { Former, type KindName, type MapChoice, type StagePayload, type Words, mapOf } from "./payload"
import { mapTitle } from "./reading"

interface Tile extends MapChoice {
  readonly button: HTMLButtonElement
  readonly canvas: HTMLCanvasElement
}

/** What a head does: letters at its small map, and the words for them. */
export interface HeadNote {
  readonly mark: string
  readonly label: string
}

interface SmallMapsHost {
  choose: (choice: MapChoice) => void
  open: ((layer: string) => void) | null // null where layers cannot be opened
  note: (kind: KindName, choice: MapChoice) => HeadNote | null
}

/** The maps of a kind: a row for each layer, a column for each head, and their means. */
export class SmallMaps {
  private readonly grid: HTMLDivElement
  private tiles: Tile[][] = []
  private built = ""
  private painted: readonly unknown[] = []

  constructor(
    parent: ParentNode,
    private readonly host: SmallMapsHost,
  ) {
    this.grid = element("div", "maps", parent)
    this.grid.setAttribute("role", "grid")
  }

  /** Shows the maps of a kind and marks the chosen one. */
  show(payload: StagePayload, kind: KindName, chosen: MapChoice, theme: Theme): void {
    const { layers, heads } = payload.kinds[kind]
    const shape = JSON.stringify([layers, heads])
    if (shape !== this.built) this.build(payload, layers, heads)
    this.built = shape
    const painted = [payload, kind, theme]
    if (painted.some((part, place) => part !== this.painted[place])) this.paint(payload, kind, theme)
    this.painted = painted
    const all = this.tiles.flat()
    const focusable = all.find((tile) => isChosen(tile, chosen)) ?? all[0]
    for (const tile of all) {
      setAttributes(tile.button, { "aria-selected": isChosen(tile, chosen) })
      tile.button.tabIndex = tile === focusable ? 0 : -1
    }
  }

  private build({ words }: StagePayload, layers: readonly string[], heads: readonly string[]): void {
    this.grid.replaceChildren()
    this.grid.setAttribute("aria-label", words.maps)
    this.grid.style.setProperty("--heads", String(heads.length))
    const head = line(this.grid)
    cell(head, "", "gridcell")
    for (const id of heads) cell(head, id === MEAN ? words.mean : id, "columnheader")
    this.tiles = layers.map((layer, row) => {
      const holder = line(this.grid)
      if (layer === MEAN) cell(holder, "", "gridcell")
      else this.buildNumber(cell(holder, "", "rowheader"), layer, words)
      return heads.flatMap((id, column) => {
        if (layer === MEAN && id !== MEAN) {
          cell(holder, "", "gridcell")
          return []
        }
        return [this.buildTile(holder, { layer, head: id }, row, column)]
      })
    })
  }

  /** The number of a layer, which opens it if layers can be opened. */
  private buildNumber(holder: HTMLElement, layer: string, { openNumber }: Words): void {
    const { open } = this.host
    if (!open) {
      holder.textContent = layer
      return
    }
    const title = filled(openNumber, { layer })
    setAttributes(button(holder, layer, () => open(layer)), { "aria-label": title, title, tabindex: -1 })
  }

  private buildTile(holder: ParentNode, choice: MapChoice, row: number, column: number): Tile {
    const node = button(holder, "", () => this.host.choose(choice))
    node.className = "map"
    node.setAttribute("role", "gridcell")
    node.onkeydown = keyHandler((event) => this.move(event, row, column))
    return { ...choice, button: node, canvas: element("canvas", "pixels", node) }
  }

  private move(event: KeyboardEvent, row: number, column: number): void {
    const step = arrowStep(event.key)
    if (!step) return
    event.preventDefault()
    event.stopPropagation()
    const tiles = this.tiles[clamp(row + step[0], this.tiles.length)]!
    tiles[clamp(column + step[1], tiles.length)]!.button.focus()
  }

  private paint(payload: StagePayload, kind: KindName, theme: Theme): void {
    const { queries, keys } = payload.maps[kind]
    const colours = lookupTable(payload.kinds[kind].scales[theme])
    for (const tile of this.tiles.flat()) {
      const map = mapOf(payload, kind, tile)
      const top = largest(map) || 1
      paintCells(tile.canvas, [queries.length, keys.length], (place) => colours[Math.round((map[place]! / top) * 255)]!)
      const note = this.host.note(kind, tile)
      const title = [mapTitle(payload, kind, tile), ...(note ? [note.label] : [])].join(": ")
      tile.button.dataset.mark = note?.mark ?? ""
      setAttributes(tile.button, { "aria-label": filled(payload.words.tile, { map: title }), title })
    }
  }
}

function isChosen(tile: MapChoice, chosen: MapChoice): boolean {
  return tile.layer === chosen.layer && tile.head === chosen.head
}

function line(grid: ParentNode): HTMLDivElement {
  const row = element("div", "line", grid)
  row.setAttribute("role", "row")
  return row
}

function cell(row: ParentNode, text: string, role: string): HTMLElement {
  const node = element("span", "name", row)
  node.setAttribute("role", role)
  node.textContent = text
  return node
}

function buildTitle(head: ParentNode, text: string): void {
  const title = element("th", "number", head)
  title.scope = "col"
  title.textContent = text
}

/** The five most probable tokens of a place, as bars. */
export class Candidates {
  private readonly title: HTMLHeadingElement
  private readonly list: HTMLTableElement
  private readonly hint: HTMLParagraphElement
  private readonly former = new Former()

  constructor(parent: ParentNode) {
    const holder = element("section", "candidates", parent)
    this.title = element("h2", "", holder)
    this.list = element("table", "", holder)
    this.hint = element("p", "hint", holder)
  }

  /** The name of the chosen candidate. */
  get chosen(): Element | null {
    return this.list.querySelector(".chosen th")
  }

  /** Shows the candidates of a place, by probability; without a place, what to do. */
  show(payload: StagePayload, place: number | null): void {
    if (!this.former.changed(payload, place)) return
    const { words, places, french, pulled, drawn } = payload
    const former = place !== null && pulled?.query === place && pulled.kind !== "encoder" ? pulled.former : []
    const draws = (place === null ? null : drawn?.[place]) ?? []
    const titles = draws.length ? [words.draw, words.model] : [words.nowText, words.was]
    this.title.textContent = words.candidates
    this.list.hidden = place === null
    this.hint.hidden = place !== null
    this.hint.textContent = words.hold
    this.list.replaceChildren()
    if (place === null) return
    const body = element("tbody", "", this.list)
    if (former.length || draws.length) {
      const head = element("tr", "", element("thead", "", this.list))
      for (let column = 0; column < 2; column++) element("td", "", head)
      for (const text of titles) buildTitle(head, text.toLowerCase())
    }
    for (const [rank, [label, probability]] of (places[place]?.top ?? []).entries()) {
      const row = element("tr", label === french[place] ? "chosen" : "", body)
      const name = markData(element("th", "", row), "token fr")
      name.scope = "row"
      name.textContent = label
      const bar = element("span", "share", element("td", "", row))
      const share = draws[rank] ?? probability
      bar.style.setProperty("--share", String(share))
      element("td", "number", row).textContent = threeDigits(share)
      if (draws.length) element("td", "number was", row).textContent = threeDigits(probability)
      else if (former.length) element("td", "number was", row).textContent = threeDigits(former[rank] ?? 0)
    }
  }
}
