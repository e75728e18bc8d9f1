/** Maps next to each other. A cell under the pointer in one is marked in all. */

import { ChoosingView, placeInWords, type Chosen } from "../core/choosing"
import type { Theme } from "../core/colour"
import { mounting } from "../core/component"
import { Choices } from "../core/controls"
import controlsStyle from "../core/controls.css"
import { element, filled } from "../core/dom"
import { Heatmap, type ShownMap } from "../core/heatmap"
import mapStyle from "../core/heatmap.css"
import { heatmapOf } from "../core/matrices"
import { threeDigitsOfHalf } from "../core/numbers"
import type { Bytes } from "../core/payload"
import style from "./attention_map.css"
import {
  chosenIndex,
  chosenSet,
  linkedTo,
  needsServer,
  readMapSets,
  withinSet,
  type MapSet,
  type MapSets,
  type ShownMatrix,
} from "./attention_map/map_sets"

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
