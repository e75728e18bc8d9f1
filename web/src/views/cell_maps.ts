/** Maps of numbers, next to each other, of whose cells the user chooses one. See views/components/cell_maps.py. */

import { ChoosingView, type Choosable, type Chosen, type Control } from "../core/choosing"
import type { Theme } from "../core/colour"
import { mounting } from "../core/component"
import { Choices } from "../core/controls"
import controlsStyle from "../core/controls.css"
import { Heatmap, type ShownMap } from "../core/heatmap"
import { tokensIn } from "../core/labels"
import mapStyle from "../core/heatmap.css"
import { decode, heatmapOf, isOperator, type Matrix, type MatrixSettings, type Operator } from "../core/matrices"
import type { Bytes } from "../core/payload"
import style from "./cell_maps.css"
import { cellIn, cellOf, describeCell, withOwnScale } from "./cell_maps/cells"

type Item = Matrix & { map: string; leads: boolean } // it is the first of its group

const HIGHEST = 480 // pixels of a map

interface Header extends Choosable, MatrixSettings {
  scale: string // names of the two choices
  cell: string
  controls: readonly Control[]
  theme: Theme
  words: Readonly<Record<"read" | "table" | "masked", string> & { options?: string }>
}

type Payload = Header & { items: readonly (Item & { scale: string })[] }

class CellMaps extends ChoosingView<Bytes, Payload> {
  private choices: Choices | undefined
  private maps: Heatmap[] = []
  private names: readonly string[] = [] // ids of the maps
  private drawn = ""
  private sentCell = ""

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".cell-maps")
  }

  show(bytes: Bytes): void {
    if (!this.isNew(bytes)) return
    const payload = decode<Header>(bytes)
    const items = payload.items.filter((item: Matrix | Operator): item is Payload["items"][number] => !isOperator(item))
    this.names = [...new Set(items.map(({ map }) => map))]
    this.drawn = ""
    this.fit(this.names, payload.theme)
    this.take({ ...payload, items })
  }

  protected override build(): void {
    for (const map of this.maps) map.root.remove()
    this.choices ??= new Choices(this)
    this.maps = this.names.map((name) => {
      return new Heatmap(this.root, { pick: (row, column) => this.pick(cellOf(name, row, column)) }, HIGHEST)
    })
  }

  /** Draws the maps in the chosen scale, with the chosen cell marked. */
  protected arrange(chosen: Chosen): void {
    const { payload } = this
    if (!payload) return
    this.choices?.fit(payload)
    this.choices?.show(chosen)
    const [scale, cell] = [chosen[payload.scale] ?? "", chosen[payload.cell] ?? ""]
    if (this.drawn === `${scale} ${cell}`) return
    this.drawn = `${scale} ${cell}`
    const items = payload.items.filter((item) => item.scale === scale)
    const withScale = withOwnScale(items)
    items.forEach((item, place) => {
      this.maps[place]!.show(inputOf(item, payload, this.theme ?? payload.theme, cell, withScale.has(item)))
      const alone = items[place + 1]?.leads ?? true // in its group; two such maps share a row
      this.maps[place]!.root.classList.toggle("leads", item.leads && !alone)
    })
    this.root.dataset.drawn = this.drawn
  }

  private pick(cell: string): void {
    const { payload } = this
    if (!payload || this.chosen?.[payload.cell] === cell) return
    this.sentCell = cell
    this.set({ [payload.cell]: cell })
  }

  /** Only the server can run the network with another cell. */
  protected override waits(): boolean {
    const { payload, chosen } = this
    return Boolean(payload && chosen && chosen[payload.cell] === this.sentCell)
  }
}

function inputOf(item: Item, payload: Header, theme: Theme, cell: string, hasScale: boolean): ShownMap {
  const { words } = payload
  const shown = heatmapOf(item, payload, theme, words.read)
  const cursor = cellIn(cell, item.map, item.shape)
  return {
    ...shown,
    kindOf: (label, side) => (/^\d+$/.test(label) ? "" : tokensIn(item.languages)[side]),
    text: { ...shown.text!, masked: "" },
    drawScale: (scale) => {
      shown.drawScale(scale)
      scale.legend.hidden = !hasScale
    },
    pair: (row, column) => describeCell(item, row, column),
    masked: words.masked,
    table: words.table,
    places: true,
    ...(cursor && { cursor }),
  }
}

export default mounting(CellMaps, controlsStyle + mapStyle + style)
