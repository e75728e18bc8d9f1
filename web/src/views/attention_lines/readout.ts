/** What is read out of the chosen lines: the weights of a token, in numbers and in words. */

import { readAt } from "../../core/arranged"
import { filled } from "../../core/dom"
import { isolated } from "../../core/labels"
import { threeDigits } from "../../core/numbers"
import type { DrawnCells, LinesSheet, LinesView, Side, Token, Weights } from "./payload"

const LISTED = 5 // tokens in the status text

/** The weight between a token and one of the other side, averaged over the chosen maps. */
interface PairWeight {
  place: number // of the other token
  name: string
  query: number
  key: number
  masked: boolean
  mean: number
}

/** The chosen maps of a sheet, and texts about them. */
export class ReadOut {
  readonly names: Readonly<Record<Side, readonly string[]>>
  readonly called: Readonly<Record<Side, readonly string[]>> // by these tokens they are found in other views
  readonly maps: readonly number[]
  private weighed: { focus: string; pairs: readonly PairWeight[] } | undefined // the last result of `weightsOf`

  constructor(
    readonly sheet: LinesSheet,
    readonly weights: Weights,
    readonly view: LinesView,
  ) {
    this.names = { query: sheet.queries, key: sheet.keys }
    this.called = { query: readAt(sheet), key: sheet.keys }
    this.maps = view.layers.flatMap((layer) => view.heads.map((head) => layer * weights.heads + head))
  }

  /** The weights between a token and each of the other side. */
  weightsOf(focus: Token): readonly PairWeight[] {
    const name = JSON.stringify(focus)
    if (this.weighed?.focus !== name) this.weighed = { focus: name, pairs: this.weigh(focus) }
    return this.weighed.pairs
  }

  private weigh(focus: Token): PairWeight[] {
    const { weights, maps } = this
    return this.names[otherSide(focus)].map((name, place) => {
      const [query, key] = focus.side === "query" ? [focus.place, place] : [place, focus.place]
      return { place, name, query, key, masked: weights.masked(query, key), mean: weights.mean(maps, query, key) }
    })
  }

  /** The name of a map. */
  nameOf(map: number): string {
    const { heads } = this.weights
    const layer = this.sheet.numbers[Math.floor(map / heads)]!
    return filled(this.sheet.words.one, { layer, head: (map % heads) + 1 })
  }

  /** The text about a token, or what to do for null. */
  describe(focus: Token | null): string {
    const { words } = this.sheet
    if (!this.maps.length) return words.noneChosen
    if (!focus) return words.point
    const token = isolated(this.names[focus.side][focus.place]!)
    const across = strongestFirst(this.weightsOf(focus).filter(({ masked }) => !masked))
    const first = across.slice(0, LISTED).map(({ name, mean }) => `${isolated(name)} ${threeDigits(mean)}`)
    const list = `${first.join(", ")}${across.length > LISTED ? ", \u2026" : ""}`
    const sentence = focus.side === "query" ? words.attends : words.attended
    return filled(sentence, { token, place: focus.place + 1, list, meaning: this.meaning() })
  }

  /** The text about the locked token. */
  describeLocked(locked: Token | null): string {
    return filled(this.sheet.words.locked, { what: this.describe(locked) })
  }

  /** What a number next to a token is. */
  private meaning(): string {
    const { maps, sheet } = this
    return maps.length === 1 ? this.nameOf(maps[0]!) : filled(sheet.words.meanOf, { count: maps.length })
  }

  /** The legend: how many lines are drawn, and of how many. */
  explain({ count, all }: { count: number } & Pick<DrawnCells, "all">): string {
    const { words } = this.sheet
    return filled(count < all ? words.strongestLines : words.allLines, { count, all })
  }

  /** The tokens to label, `gap` places apart, if there is no room for all: those of the largest weights. */
  readable(focus: Token, gap: number): ReadonlySet<number> {
    const named = new Set<number>()
    for (const { place } of strongestFirst(this.weightsOf(focus))) {
      let free = true
      for (let near = place - gap + 1; near < place + gap && free; near++) free = !named.has(near)
      if (free) named.add(place)
    }
    return named
  }
}

/** The side across from a token. */
export function otherSide({ side }: Token): Side {
  const across = side === "query" ? "key" : "query"
  return across
}

function strongestFirst(pairs: readonly PairWeight[]): PairWeight[] {
  return [...pairs].sort((one, other) => other.mean - one.mean)
}

/** A choice that this sheet has: without layers, heads and a locked token that do not exist. */
export function fitting({ layers, heads, mass, locked }: LinesView, weights: Weights): LinesView {
  const there = locked && locked.place < (locked.side === "query" ? weights.queries : weights.keys)
  return {
    layers: layers.filter((layer) => layer < weights.layers),
    heads: heads.filter((head) => head < weights.heads),
    mass,
    locked: there ? { side: locked.side, place: locked.place } : null,
  }
}
