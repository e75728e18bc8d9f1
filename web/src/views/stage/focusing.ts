/** What a user points at, holds and chooses in the figure, by pointer and keys. */

import { arrowStep, filled } from "../../core/dom"
import { clamp } from "../../core/numbers"
import { dragWeight } from "./dragging"
import type { Attention, Scene, StageFigure } from "./figure"
import type { StagePayload } from "./payload"
import type { Playback } from "./play"
import { pullsByKey, type Pulling } from "./pulling"
import { describeToken, keepsFocus, rowOf, sameFocus, twoDigits, type Focus } from "./reading"

const DRAG = 200 // design pixels from the weight 0 to 1

export interface FocusHost {
  readonly figure: StageFigure
  readonly playback: Playback
  readonly pulling: Pulling
  scene: () => Scene | null
  refresh: () => void // draws what has the attention
  announce: (text: string) => void
}

export class Focusing {
  held: Focus | null = null
  key = -1 // chosen in the row of the focus
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

  /** Holds the place of a pull, unless the user holds another one; frees a place that a shorter translation lacks. */
  followPulled({ pulled, french }: StagePayload): void {
    if (pulled?.kind === "cross" && pulled.query < french.length && !this.held) {
      this.held = { side: "french", place: pulled.query }
      this.key = pulled.key
      this.host.pulling.target = { query: pulled.query, key: this.key }
    }
    if (this.held?.side === "french" && this.held.place >= french.length) this.free()
  }

  /** Keeps what is held if it has a row in this kind. */
  followKind(kind: Scene["kind"]): void {
    this.held = this.held && keepsFocus(this.held, kind) ? this.held : null
  }

  /** The drawn weights of a place of cross-attention. */
  rowAt(place: number): Float32Array {
    const scene = this.host.scene()
    return scene ? rowOf(scene.maps.cross, place, scene.payload.english.length) : new Float32Array()
  }

  /** Whether the chosen weight can be pulled. */
  canPull(kind: Scene["kind"]): this is { held: Focus } {
    return this.held?.side === "french" && this.key >= 0 && this.host.pulling.target?.key === this.key && kind === "cross"
  }

  /** Begins to pull a ribbon, which a drag sideways makes wider or narrower. */
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
    if (this.held?.side === "french" && focus.side === "english" && this.host.scene()?.kind === "cross") {
      return this.pick(focus.place)
    }
    this.hold(sameFocus(focus, this.held) ? null : focus)
  }

  /** Chooses a key in the row of the place that is held. */
  private pick(key: number, byKeys = false): void {
    this.key = key
    if (this.held?.side === "french") this.host.pulling.open({ query: this.held.place, key }, byKeys)
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
    if (!scene || this.held?.side !== "french" || this.key < 0) return
    const { english, french, words } = scene.payload
    const weight = this.host.pulling.weight ?? this.rowAt(this.held.place)[this.key]!
    const pair = { query: french[this.held.place]!, key: english[this.key]!, weight: twoDigits(weight) }
    this.host.announce(filled(words.pair, pair))
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
    const row = this.held?.side === "french" && this.key >= 0 ? this.rowAt(this.held.place) : null
    return pullsByKey(event, this.host.pulling, row ? row[this.key]! : null)
  }

  /** Along the tokens to the next one, across them to the next key of a French token. */
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
    } else if (focus.side === "french" && scene) {
      this.held = focus
      this.pick(clamp(this.key + across, scene.payload.english.length), true)
    }
    return true
  }
}
