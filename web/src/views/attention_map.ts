/** Maps next to each other. A cell under the pointer in one is marked in all. */

import { type Choosable, ChoosingView, type Chosen, type Control, type PlaceWords, placeInWords } from "../core/choosing"
import type { Theme } from "../core/colour"
import { mounting } from "../core/component"
import controlsStyle from "../core/controls.css"
import { Choices } from "../core/controls"
import { element, filled } from "../core/dom"
import mapStyle from "../core/heatmap.css"
import { Heatmap, type ShownMap } from "../core/heatmap"
import { type Matrix, type MatrixFields, heatmapOf } from "../core/matrices"
import { threeDigitsOfHalf } from "../core/numbers"
import type { Shape } from "../core/painting"
import { type Bytes, sizeOf, unpack } from "../core/payload"
import style from "./attention_map.css"

/* The payload of maps side by side: sets of maps to choose from. See views/components/linked_heatmaps.py. */

/** The rows and columns of a map that all maps have, in the same order. */
export type Links = readonly (readonly [rows: readonly number[], columns: readonly number[]])[]

/** A map that can be shown; `rounded`: its numbers have half precision only. */
export interface ShownMatrix extends Matrix {
  rounded?: boolean
}

/** Maps of one kind; `at` finds the map of an index in each of the first axes. */
export interface MapSet {
  items: readonly { at: (index: readonly number[]) => ShownMatrix }[]
  heading: string
  names: readonly (readonly string[])[]
  links?: Links | null
}

/** The choices, and all sets by the options of the choice "kind". */
export interface MapSets extends Choosable {
  sets: Readonly<Record<string, MapSet>>
  along: readonly string[]
  held?: Chosen | null // the options whose maps were sent, if others were not
  controls: readonly Control[] | null
  shortcuts?: readonly (readonly [label: string, settings: Chosen])[]
  beside: number
  places: boolean
  theme: Theme
  masked: Readonly<Record<Theme, string>>
  allowed: number
  words: PlaceWords & { options?: string; read: string; table: string; cell: string }
}

interface SentItem extends Omit<MatrixFields, "low" | "high" | "top"> {
  low: readonly number[] // of each map
  high: readonly number[]
  tops: readonly number[]
}

interface Header extends Omit<MapSets, "sets"> {
  sets: Record<string, Omit<MapSet, "items"> & { items: readonly SentItem[] }>
  exact: readonly [name: string, ...index: number[]] | null // the selected maps, if the others are rounded
}

/** Reads a payload. If numbers are rounded, those of the selected maps were sent with every digit too. */
export function readMapSets(bytes: Bytes): MapSets {
  const [header, arrays] = unpack<Header>(bytes)
  const [exactName, ...exactIndex] = header.exact ?? [""]
  const sets = Object.entries(header.sets).map(([name, set]): [string, MapSet] => {
    const items = set.items.map((item, number) => {
      const all = `${name} ${number}`
      const sides = arrays.shape(all)
      let read: Float32Array | undefined
      return {
        at: (index: readonly number[]): ShownMatrix => {
          const known = arrays.has(`exact ${number}`) && name === exactName && index.join() === exactIndex.join()
          const at = placeIn(sides, index)
          const shape = sides.slice(-2) as unknown as Shape
          const cells = sizeOf(shape)
          const values = known ? arrays.floats(`exact ${number}`) : (read ??= arrays.floats(all)).subarray(at * cells, (at + 1) * cells)
          const [low, high, top] = [item.low[at]!, item.high[at]!, item.tops[at]!]
          return { ...item, shape, values, low, high, top, rounded: arrays.rounded(all) && !known }
        },
      }
    })
    return [name, { ...set, items }]
  })
  return { ...header, sets: Object.fromEntries(sets) }
}

/** The number of a map among all of an array, by its index in each of the first axes. */
export function placeIn(shape: readonly number[], index: readonly number[]): number {
  return shape.slice(0, -2).reduce((sum, side, axis) => sum * side + index[axis]!, 0)
}

/** The set of the chosen kind, or the first one, with its name. */
export function chosenSet({ sets }: MapSets, chosen: Chosen): [name: string, set: MapSet] {
  const name = chosen.kind !== undefined && chosen.kind in sets ? chosen.kind : Object.keys(sets)[0]!
  return [name, sets[name]!]
}

/** Whether only the server has the chosen maps. */
export function needsServer({ held }: MapSets, chosen: Chosen): boolean {
  return Object.entries(held ?? {}).some(([choice, value]) => chosen[choice] !== value)
}

/** The name of the chosen set and the index in it; null if only the server has it. */
export function chosenIndex(maps: MapSets, chosen: Chosen): [name: string, index: number[]] | null {
  const [name, { names }] = chosenSet(maps, chosen)
  if (maps.held) return needsServer(maps, chosen) ? null : [name, maps.along.map(() => 0)]
  return [name, maps.along.map((choice, axis) => names[axis]!.indexOf(chosen[choice] ?? ""))]
}

/** The choices, with the first layer and head where the chosen kind has fewer. */
export function withinSet(maps: MapSets, chosen: Chosen): Chosen {
  const [, { names }] = chosenSet(maps, chosen)
  const within = maps.along.map((choice, axis): [string, string] => {
    const [options, value] = [names[axis]!, chosen[choice] ?? ""]
    return [choice, options.includes(value) ? value : options[0]!]
  })
  return { ...chosen, ...Object.fromEntries(within) }
}

/** The cell of another map that is the same as `cell` of map `from`, by the links; -1 for a side that it does not have. */
export function linkedTo(links: Links | null | undefined, from: number, to: number, cell: readonly [number, number]): [number, number] {
  if (!links) return [cell[0], cell[1]]
  const side = (axis: 0 | 1) => links[to]![axis][links[from]![axis].indexOf(cell[axis])] ?? -1
  return [side(0), side(1)]
}

const HIGHEST = 480 // pixels of a map

class AttentionMaps extends ChoosingView<Bytes, MapSets> {
  private drawn = ""
  private count = 0 // of maps
  private shownSet: MapSet | undefined // that is drawn
  private choices: Choices | undefined
  private heading: HTMLHeadingElement | undefined
  private maps: Heatmap[] = []

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".maps")
  }

  show(bytes: Bytes): void {
    if (!this.isNew(bytes)) return
    this.drawn = ""
    this.take(readMapSets(bytes))
  }

  /** Draws the selected maps, unless they are on the screen, or not yet sent by the server. */
  protected arrange(chosen: Chosen): void {
    const { payload } = this
    if (!payload) return
    if (payload.controls) {
      this.choices ??= new Choices(this)
      this.choices.fit({ ...payload, controls: payload.controls })
      this.choices.show(chosen)
    }
    const found = chosenIndex(payload, chosen)
    if (!found || this.drawn === found.join()) return
    this.drawn = found.join()
    const [name, index] = found
    const set = (this.shownSet = payload.sets[name]!)
    const items = set.items.map((item) => item.at(index))
    this.count = items.length
    this.fit([items.length], payload.theme)
    this.root.style.setProperty("--per-row", String(payload.beside))
    const heading = set.heading ? headingOf(set.heading, payload, chosen) : ""
    if (this.heading) {
      this.heading.hidden = !heading
      this.heading.textContent = heading
    }
    items.forEach((item, place) => this.maps[place]!.show(inputOf(item, payload, this.theme ?? payload.theme)))
    this.root.dataset.drawn = [heading, ...items.map((item) => item.name)].join(" ").trim()
  }

  protected override waits(): boolean {
    return Boolean(this.payload && this.chosen && needsServer(this.payload, this.chosen))
  }

  /** The options of a list that exist for the displayed maps. */
  availableIn(name: string): readonly string[] | undefined {
    const { payload } = this
    return payload && chosenSet(payload, this.chosen ?? {})[1].names[payload.along.indexOf(name)]
  }

  /** Falls back to the first layer and head if the kind has fewer. */
  protected override restricted(chosen: Chosen): Chosen {
    return this.payload ? withinSet(this.payload, chosen) : chosen
  }

  protected override build(): void {
    for (const built of [...this.root.children]) if (built !== this.choices?.root) built.remove()
    this.heading = element("h2", "of-all", this.root)
    this.maps = Array.from({ length: this.count }, (_, place) => {
      return new Heatmap(this.root, { select: (row, column) => this.follow(place, [row, column]) }, HIGHEST)
    })
  }

  /** Marks the same cell in the other maps, as far as they have it. */
  private follow(from: number, cell: readonly [number, number]): void {
    this.maps.forEach((map, to) => {
      if (to === from) return
      map.tip.hide()
      map.markCell(...linkedTo(this.shownSet?.links, from, to, cell))
    })
  }
}

function headingOf(heading: string, { words }: MapSets, chosen: Chosen): string {
  return filled(heading, { ...chosen, map: placeInWords(words, chosen.layer ?? "", chosen.head ?? "") })
}

function inputOf(item: ShownMatrix, maps: MapSets, theme: Theme): ShownMap {
  const shown = heatmapOf(item, maps, theme, maps.words.read, maps.words.cell)
  const input: ShownMap = { ...shown, table: maps.words.table, places: maps.places, numbered: !maps.places }
  if (maps.places) input.kindOf = () => ""
  if (item.rounded && !item.words) input.write = threeDigitsOfHalf
  return input
}

export default mounting(AttentionMaps, controlsStyle + mapStyle + style)
