/**
 * The stage: English tokens, ribbons of cross-attention, French tokens each with a bar of length 1 that its ribbons divide,
 * and arcs of self-attention above and below. All of it is drawn from the payload: pointing, holding a token and choosing a
 * map send no request; the server receives the chosen map later.
 */

import { ChoosingView, MEAN, type Chosen } from "../core/choosing"
import { mounting } from "../core/component"
import { Choices } from "../core/controls"
import { arrowStep, button, element, filled, setAttributes } from "../core/dom"
import { clamp } from "../core/numbers"
import type { Bytes } from "../core/payload"
import { Fold } from "../core/table"
import { buildLiveRegion } from "../core/tooltip"
import { withChanges } from "./stage/changes"
import { dragWeight } from "./stage/dragging"
import { colourKinds } from "./stage/elements"
import { StageFigure, type Attention, type Scene } from "./stage/figure"
import { decodeStage, kindIn, mapOf, type KindName, type MapChoice, type StagePayload } from "./stage/payload"
import { pullableAt, PullPanel } from "./stage/panel"
import type { Answer } from "./stage/pull"
import { Playback } from "./stage/play"
import { Pulling, pullsByKey } from "./stage/pulling"
import { Candidates, SmallMaps } from "./stage/rail"
import { describeToken, keepsFocus, mapTitle, rowOf, sameFocus, twoDigits, type Focus } from "./stage/reading"
import { fillTable } from "./stage/table"
import styles from "./stage/styles"
import { StageTexts } from "./stage/texts"
import { StageTools } from "./stage/tools"
import { LiveTyping } from "./stage/typing"

const WIDE = 920 // design pixels from which the maps are next to the figure
const PHONE = 620 // below: columns, with the maps in a sheet
const DRAG = 200 // design pixels from the weight 0 to 1
const COLUMNS_MORE = 152 // design pixels that columns have below the height of rows

class Stage extends ChoosingView<Bytes, StagePayload> {
  private readonly choices: Choices
  private readonly maps: SmallMaps
  private readonly candidates: Candidates
  private readonly figure: StageFigure
  private readonly caption: HTMLButtonElement
  private readonly meaning: HTMLSpanElement
  private readonly room: HTMLDivElement
  private readonly texts: StageTexts
  private readonly tools: StageTools
  private readonly playback = new Playback({
    count: () => this.payload?.french.length ?? 0,
    refresh: () => this.showAttention(),
    candidate: () => this.candidates.chosen,
    slot: (place) => this.figure.slot(place),
    follows: () => this.root.classList.contains("phone"),
  })
  private readonly panel: PullPanel
  private readonly pulling: Pulling
  private readonly table: Fold
  private readonly live: HTMLDivElement
  private readonly typing: LiveTyping
  private readonly remembered = new Map<KindName, MapChoice>()
  private held: Focus | null = null
  private pointed: Focus | null = null
  private focused: Focus | null = null
  private unpulled: StagePayload | undefined
  private changes = "" // that are shown, as the page's mark has them
  private key = -1 // chosen in the row of the focus
  private width = 0

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".stage-root")
    const main = element("div", "main", this.root)
    const heading = element("div", "caption", main)
    this.caption = button(heading, "", () => {
      setAttributes(this.caption, { "aria-expanded": this.root.classList.toggle("choosing") })
    })
    this.meaning = element("span", "meaning", heading)
    const page = { root: this.root, notice: element("span", "notice", heading), signal: this.mounted.signal }
    this.typing = new LiveTyping(page, (serial, text) => this.answer("type", { serial, text }))
    this.room = element("div", "room", main)
    this.figure = new StageFigure(this.room, {
      point: (focus, key) => this.point(focus, key),
      press: (focus) => this.press(focus),
      type: (event, focus) => this.typed(event, focus),
      focus: (focus) => this.focus(focus),
      grab: (focus, key, event) => this.grab(focus, key, event),
    })
    this.pulling = new Pulling({
      ask: (request) => this.answer("ask", request),
      refresh: () => this.showAttention(),
      choice: () => this.choiceOf("cross"),
    })
    const rail = element("div", "rail", this.root)
    this.texts = new StageTexts(main, element("div", "brief lines", rail))
    this.tools = new StageTools(main, element("div", "play", rail), this.playback, {
      undo: () => this.pulling.takeBack("undo"),
      reset: () => this.pulling.takeBack("reset"),
    })
    const chooser = element("div", "chooser", rail)
    this.choices = new Choices({ root: chooser, set: (changes) => this.chooseKind(changes) })
    this.maps = new SmallMaps(chooser, (choice) => this.set({ layer: choice.layer, head: choice.head }))
    this.candidates = new Candidates(rail)
    this.panel = new PullPanel(rail, {
      preview: (weight) => this.pulling.preview(weight),
      release: (weight) => this.pulling.release(weight),
      scope: (scope) => this.pulling.setScope(scope),
    })
    this.table = new Fold(this.root, (holder) => fillTable(holder, this.scene()))
    this.live = buildLiveRegion(this.root)
    this.resized = new ResizeObserver(() => this.followWidth())
    this.resized.observe(this.root)
  }

  show(bytes: Bytes): void {
    if (!this.isNew(bytes)) return
    this.unpulled = decodeStage(bytes)
    this.showPulled(this.unpulled)
  }

  /** Shows the translation with what pulls change in it. */
  private showPulled(unpulled: StagePayload): void {
    const before = this.payload
    this.playback.end()
    this.changes = this.mark?.changes() ?? ""
    const payload = withChanges(unpulled, this.changes)
    if (before && JSON.stringify(before.english) !== JSON.stringify(payload.english)) this.free()
    if (payload.pulled?.kind === "cross" && payload.pulled.query < payload.french.length && !this.held) {
      this.held = { side: "french", place: payload.pulled.query }
      this.key = payload.pulled.key
      this.pulling.target = { query: payload.pulled.query, key: this.key }
    }
    if (this.held?.side === "french" && this.held.place >= payload.french.length) this.free()
    this.pulling.follow(payload.pulled)
    this.typing.follow(payload)
    this.take(payload)
    if (this.theme && this.theme !== payload.theme) this.reportTheme(this.theme)
    this.root.dataset.drawn = `${payload.english.join(" ")} / ${payload.french.join(" ")}`
  }

  private free(): void {
    this.held = this.pointed = this.focused = null
    this.key = -1
    this.pulling.open(null)
  }

  protected override followMark(): boolean {
    if (this.unpulled && this.mark?.changes() !== this.changes) this.showPulled(this.unpulled)
    const answer = this.mark?.answer() as Answer | null
    this.typing.take(answer)
    this.pulling.take(answer)
    return super.followMark()
  }

  /** Another kind: with the layer and head that it had before. */
  private chooseKind(changes: Chosen): void {
    const kind = kindIn(changes)
    this.held = this.held && keepsFocus(this.held, kind) ? this.held : null
    this.set({ ...changes, ...this.choiceOf(kind) })
  }

  private choiceOf(kind: KindName): MapChoice {
    const { layers = [], heads = [] } = this.payload?.kinds[kind] ?? {}
    return this.remembered.get(kind) ?? { layer: layers.at(-2) ?? MEAN, head: heads.at(-1) ?? MEAN }
  }

  protected arrange(chosen: Chosen): void {
    const { payload } = this
    if (!payload) return
    const kind = kindIn(chosen)
    const choice = { layer: chosen.layer ?? MEAN, head: chosen.head ?? MEAN }
    this.remembered.set(kind, choice)
    this.choices.fit({ ...payload, controls: payload.controls })
    this.choices.show(chosen)
    this.maps.show(payload, kind, choice, this.theme ?? payload.theme)
    colourKinds(this.root, payload, this.theme ?? payload.theme)
    this.root.dataset.kind = kind
    this.caption.textContent = mapTitle(payload, kind, choice)
    this.meaning.textContent = `${payload.kinds[kind].meaning} ${payload.words.barIsOne}`
    this.table.title.textContent = filled(payload.words.table, { map: mapTitle(payload, kind, choice) })
    this.draw()
    this.table.follow()
  }

  private scene(): Scene | null {
    const { payload, chosen } = this
    if (!payload || !chosen) return null
    const map = (kind: KindName) => mapOf(payload, kind, this.choiceOf(kind))
    return { payload, kind: kindIn(chosen), maps: { encoder: map("encoder"), cross: map("cross"), decoder: map("decoder") } }
  }

  private followWidth(): void {
    if (this.root.clientWidth !== this.width) this.draw()
  }

  private draw(): void {
    const scene = this.scene()
    this.width = this.root.clientWidth
    if (!scene || !this.width) return
    const unit = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16
    const phone = this.width < PHONE * unit
    this.root.classList.toggle("phone", phone)
    this.tools.arrange(phone)
    this.root.classList.toggle("wide", this.width >= WIDE * unit)
    const ruler = this.room.getBoundingClientRect()
    const room = { width: ruler.width, height: ruler.height, unit, phone }
    this.figure.draw(scene, room)
    if (!this.figure.layout?.rows && !phone) this.figure.draw(scene, { ...room, height: ruler.height + COLUMNS_MORE * unit })
    this.root.classList.toggle("columns", !this.figure.layout?.rows)
    this.figure.name((focus) => describeToken(scene.payload, scene.kind, scene.maps[scene.kind], focus))
    this.showAttention()
  }

  private get attention(): Attention {
    const { done } = this.playback
    if (done !== null) return { focus: { side: "french", place: done }, held: false, key: -1, weight: null }
    const focus = this.held ?? this.pointed ?? this.focused
    return { focus, held: Boolean(this.held), key: this.key, weight: this.held ? this.pulling.weight : null }
  }

  private showAttention(): void {
    const { payload, attention } = this
    if (!payload) return
    this.root.classList.toggle("stepping", this.playback.done !== null)
    this.figure.reveal(this.playback.done)
    this.figure.show(attention)
    this.candidates.show(payload, attention.focus?.side === "french" ? attention.focus.place : null)
    this.showPull(payload)
  }

  private showPull(payload: StagePayload): void {
    const { pulling, held, key } = this
    const { words, pulled } = payload
    const control = pulling.error ? [pulling.error] : pulling.control
    this.texts.show(payload, pulling.triedText, control)
    this.tools.show(payload)
    const choice = this.choiceOf("cross")
    const ready = held?.side === "french" && key >= 0 && pulling.target?.key === key && this.root.dataset.kind === "cross"
    this.root.classList.toggle("pulling", ready)
    if (!ready) return this.panel.open(null, words, pulling.scope)
    const now = this.rowOfCross(held.place)[key]!
    const own = pulled?.query === held.place && pulled.key === key
    const weight = own && pulling.sweep ? pulling.sweep.before : now
    this.panel.open(pullableAt(payload, choice, [held.place, key], weight), words, pulling.scope)
    this.panel.showWeight(pulling.weight ?? now, words)
    this.panel.showSweep(pulling.sweep, words)
  }

  /** Begins to pull a ribbon, which a drag sideways makes wider or narrower. */
  private grab(focus: Focus, key: number, event: PointerEvent): void {
    const { payload, figure } = this
    if (!payload) return
    event.preventDefault()
    this.playback.end()
    if (!sameFocus(focus, this.held)) this.held = focus
    this.pick(key)
    const start = this.rowOfCross(focus.place)[key]!
    dragWeight(event, start, DRAG * (figure.layout?.unit ?? 1), this.pulling)
  }

  private point(focus: Focus | null, key = -1): void {
    if (this.playback.done !== null || (sameFocus(focus, this.pointed) && key === this.key)) return
    this.pointed = focus
    if (!this.held) this.key = key
    else if (sameFocus(focus, this.held) && key >= 0 && !this.pulling.target) this.key = key
    else return
    this.showAttention()
  }

  private press(focus: Focus): void {
    this.playback.end()
    if (this.held?.side === "french" && focus.side === "english" && this.root.dataset.kind === "cross") {
      return this.pick(focus.place)
    }
    this.hold(sameFocus(focus, this.held) ? null : focus)
  }

  /** Chooses a key in the row of the place that is held. */
  private pick(key: number, byKeys = false): void {
    this.key = key
    if (this.held?.side === "french") this.pulling.open({ query: this.held.place, key }, byKeys)
    this.showAttention()
    this.announce()
  }

  private hold(focus: Focus | null): void {
    const { words } = this.payload ?? {}
    this.held = focus
    this.key = -1
    this.pulling.open(null)
    if (!focus) this.pointed = null
    this.showAttention()
    if (words) this.live.textContent = focus ? filled(words.held, { token: this.describe(focus) }) : words.freed
  }

  private focus(focus: Focus | null): void {
    this.focused = focus
    this.showAttention()
  }

  private describe(focus: Focus): string {
    const scene = this.scene()
    return scene ? describeToken(scene.payload, scene.kind, scene.maps[scene.kind], focus) : ""
  }

  private announce(): void {
    const [scene, focus] = [this.scene(), this.held]
    if (!scene || focus?.side !== "french" || this.key < 0) return
    const { english, french, words } = scene.payload
    const weight = rowOf(scene.maps.cross, focus.place, english.length)[this.key]!
    const pair = { query: french[focus.place]!, key: english[this.key]!, weight: twoDigits(weight) }
    this.live.textContent = filled(words.pair, { ...pair, weight: twoDigits(this.pulling.weight ?? weight) })
  }

  private typed(event: KeyboardEvent, focus: Focus): void {
    if (event.key === "Escape" && this.playback.done !== null) this.playback.end()
    else if (event.key === "Escape" && this.held) this.hold(null)
    else if (this.pullByKey(event)) this.announce()
    else if (!this.move(event, focus)) return
    event.preventDefault()
    event.stopPropagation()
  }

  private pullByKey(event: KeyboardEvent): boolean {
    const { payload, held, key } = this
    const row = payload && held?.side === "french" && key >= 0 ? this.rowOfCross(held.place) : null
    return pullsByKey(event, this.pulling, row ? row[key]! : null)
  }

  /** The drawn weights of a place. */
  private rowOfCross(place: number): Float32Array {
    const { payload } = this
    return payload ? rowOf(mapOf(payload, "cross", this.choiceOf("cross")), place, payload.english.length) : new Float32Array()
  }

  /** Along the tokens to the next one, across them to the next key of a French token. */
  private move({ key }: KeyboardEvent, focus: Focus): boolean {
    const step = arrowStep(key)
    if (!step) return false
    const [along, across] = this.figure.layout?.rows ? [step[1], step[0]] : [step[0], step[1]]
    if (along) {
      if (this.held?.side === focus.side) this.held = null
      this.key = -1
      this.figure.moveTo({ ...focus, place: focus.place + along })
    } else if (focus.side === "french" && this.payload) {
      this.held = focus
      this.pick(clamp(this.key + across, this.payload.english.length), true)
    }
    return true
  }
}

export default mounting(Stage, styles)
