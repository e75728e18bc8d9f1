/** What a user points at, holds and chooses in the figure, by pointer and keys. */

import { arrowStep, filled } from "../../core/dom"
import { clamp } from "../../core/numbers"
import type { StageFigure } from "./figure"
import type { StagePayload } from "./payload"
import type { Playback } from "./play"
import { type Pulling, type Target, dragWeight, pullsByKey, sameTarget } from "./pulling"
import { type Focus, describeToken, keepsFocus, keyOfToken, querySide, rowOf, sameFocus, visibleKeys, weightText } from "./reading"
import type { Attention, FigureEvents, Scene } from "./scene"

/* A token that a user looks at or holds, in a figure without pulls. */

interface HoldingHost {
  readonly figure: Pick<StageFigure, "layout" | "moveTo">
  refresh: () => void // draws what has the attention
  announce: (held: Focus | null) => void
}

export class Holding implements FigureEvents {
  held: Focus | null = null
  private pointed: Focus | null = null
  private focused: Focus | null = null

  constructor(private readonly host: HoldingHost) {}

  get attention(): Attention {
    return { focus: this.held ?? this.focused ?? this.pointed, held: Boolean(this.held), key: -1, weight: null }
  }

  /** Holds nothing, as for another sentence. */
  free(): void {
    this.held = this.pointed = null
  }

  point(focus: Focus | null): void {
    if (sameFocus(focus, this.pointed)) return
    this.pointed = focus
    this.host.refresh()
  }

  press(focus: Focus): void {
    this.hold(sameFocus(focus, this.held) ? null : focus)
  }

  focus(focus: Focus | null): void {
    this.focused = focus
    this.host.refresh()
  }

  grab(focus: Focus): void {
    this.hold(focus)
  }

  private hold(focus: Focus | null): void {
    this.held = focus
    if (!focus) this.pointed = null
    this.host.refresh()
    this.host.announce(focus)
  }

  /** Arrow keys move along a sentence, Escape frees the token that is held; Enter presses it by itself. */
  type(event: KeyboardEvent, focus: Focus): void {
    const { figure } = this.host
    const step = arrowStep(event.key)
    const along = step ? step[figure.layout?.rows ? 1 : 0] : 0
    if (event.key === "Escape" && this.held) this.hold(null)
    else if (along) {
      this.held = null
      figure.moveTo({ ...focus, place: focus.place + along })
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
}

const DRAG = 200 // design pixels from the weight 0 to 1

interface FocusHost {
  readonly figure: StageFigure
  readonly playback: Playback
  readonly pulling: Pulling
  scene: () => Scene<StagePayload> | null
  refresh: () => void // draws what has the attention
  announce: (text: string) => void
}

export class Focusing {
  held: Focus | null = null
  key = -1 // chosen in the row of the focus
  private kind: Scene["kind"] | undefined // that is drawn
  private pointed: Focus | null = null
  private focused: Focus | null = null

  constructor(private readonly host: FocusHost) {}

  get attention(): Attention {
    const { done } = this.host.playback
    if (done !== null) return { focus: { side: "french", place: done }, held: false, key: -1, weight: null }
    const focus = this.held ?? this.pointed ?? this.focused
    return { focus, held: Boolean(this.held), key: this.key, weight: this.held ? this.host.pulling.weight : null }
  }

  free(): void {
    this.held = this.pointed = this.focused = null
    this.key = -1
    this.host.pulling.open(null)
  }

  /** Holds the query of a pull of the kind that is drawn, unless the user holds another; frees a place that a shorter translation lacks. */
  followPulled({ pulled, french, maps }: StagePayload, kind: Scene["kind"]): void {
    this.followKind(kind)
    if (pulled?.kind === kind && pulled.query < maps[kind].queries.length && !this.held) {
      this.held = { side: querySide(kind), place: pulled.query }
      this.key = pulled.key
      this.host.pulling.target = { kind, query: pulled.query, key: this.key }
    }
    if (this.held?.side === "french" && this.held.place >= french.length) this.free()
  }

  /** Keeps what is held if it has a row in another kind that is drawn; its keys are others. */
  followKind(kind: Scene["kind"]): void {
    if (kind === this.kind) return
    this.kind = kind
    this.key = -1
    this.host.pulling.open(null)
    this.held = this.held && keepsFocus(this.held, kind) ? this.held : null
  }

  /** The drawn weights of a query of the chosen kind. */
  rowAt(query: number): Float32Array {
    const scene = this.host.scene()
    return scene ? rowOf(scene.maps[scene.kind], query, scene.payload.maps[scene.kind].keys.length) : new Float32Array()
  }

  /** The weight that is chosen to be pulled; null if none is. */
  get pullable(): Target | null {
    const { key, query } = this
    const { target } = this.host.pulling
    return query && target && sameTarget(target, { ...query, key }) ? target : null
  }

  /** The query of the chosen kind that is held; null if none is. */
  private get query(): Omit<Target, "key"> | null {
    const { held, kind } = this
    return held && kind && held.side === querySide(kind) ? { kind, query: held.place } : null
  }

  /** Begins to pull a ribbon or an arc, which a drag sideways makes wider or narrower. */
  grab(focus: Focus, key: number, event: PointerEvent): void {
    const { figure, playback, pulling } = this.host
    event.preventDefault()
    playback.end()
    if (!sameFocus(focus, this.held)) this.held = focus
    this.pick(key)
    dragWeight(event, this.rowAt(focus.place)[key]!, DRAG * (figure.layout?.unit ?? 1), pulling)
  }

  point(focus: Focus | null, key = -1): void {
    const { playback, pulling, refresh } = this.host
    if (playback.done !== null || (sameFocus(focus, this.pointed) && key === this.key)) return
    this.pointed = focus
    if (!this.held) this.key = key
    else if (sameFocus(focus, this.held) && key >= 0 && !pulling.target) this.key = key
    else return
    refresh()
  }

  press(focus: Focus): void {
    this.host.playback.end()
    const { query } = this
    const key = query && !sameFocus(focus, this.held) ? keyOfToken(query.kind, query.query, focus) : -1
    const again = key === this.key && focus.side === this.held?.side // a second tap holds another query
    if (key >= 0 && !again) return this.pick(key)
    this.hold(sameFocus(focus, this.held) ? null : focus)
  }

  /** Chooses a key in the row of the query that is held. */
  private pick(key: number, byKeys = false): void {
    this.key = key
    if (this.query) this.host.pulling.open({ ...this.query, key }, byKeys)
    this.host.refresh()
    this.announcePair()
  }

  private hold(focus: Focus | null): void {
    this.held = focus
    this.key = -1
    this.host.pulling.open(null)
    if (!focus) this.pointed = null
    this.host.refresh()
    const scene = this.host.scene()
    if (!scene) return
    const { words } = scene.payload
    this.host.announce(focus ? filled(words.held, { token: this.describe(scene, focus) }) : words.freed)
  }

  focus(focus: Focus | null): void {
    this.focused = focus
    this.host.refresh()
  }

  describe({ payload, kind, maps }: Scene, focus: Focus): string {
    return describeToken(payload, kind, maps[kind], focus)
  }

  private announcePair(): void {
    const scene = this.host.scene()
    const { query } = this
    if (!scene || !query || this.key < 0) return
    const { queries, keys } = scene.payload.maps[query.kind]
    const weight = this.host.pulling.weight ?? this.rowAt(query.query)[this.key]!
    const pair = { query: queries[query.query]!, key: keys[this.key]!, weight: weightText(weight, scene.payload.decimals) }
    this.host.announce(filled(scene.payload.words.pair, pair))
  }

  type(event: KeyboardEvent, focus: Focus): void {
    const { playback } = this.host
    if (event.key === "Escape" && playback.done !== null) playback.end()
    else if (event.key === "Escape" && this.held) this.hold(null)
    else if (this.pullByKey(event)) this.announcePair()
    else if (!this.move(event, focus)) return
    event.preventDefault()
    event.stopPropagation()
  }

  private pullByKey(event: KeyboardEvent): boolean {
    const row = this.query && this.key >= 0 ? this.rowAt(this.query.query) : null
    return pullsByKey(event, this.host.pulling, row ? row[this.key]! : null)
  }

  /** Along the tokens to the next one, across them to the next key of a query. */
  private move({ key }: KeyboardEvent, focus: Focus): boolean {
    const { figure } = this.host
    const step = arrowStep(key)
    if (!step) return false
    const [along, across] = figure.layout?.rows ? [step[1], step[0]] : [step[0], step[1]]
    const scene = this.host.scene()
    if (along) {
      if (this.held?.side === focus.side) this.held = null
      this.key = -1
      figure.moveTo({ ...focus, place: focus.place + along })
    } else if (scene && focus.side === querySide(scene.kind)) {
      const keys = scene.payload.maps[scene.kind].keys.length
      this.held = focus
      this.pick(clamp(this.key + across, visibleKeys(scene.kind, focus.place, keys)), true)
    }
    return true
  }
}
