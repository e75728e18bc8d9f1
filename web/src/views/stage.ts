/**
 * The stage: English tokens, ribbons of cross-attention, French tokens each with a bar of length 1 that its ribbons divide,
 * and arcs of self-attention above and below. All of it is drawn from the payload: pointing, holding a token and choosing a
 * map send no request; the server receives the chosen map later.
 */

import { announceAction, ChoosingView, MEAN, type Chosen } from "../core/choosing"
import { mounting } from "../core/component"
import { Choices } from "../core/controls"
import { button, element, filled, setAttributes } from "../core/dom"
import type { Bytes } from "../core/payload"
import { Fold } from "../core/table"
import { buildLiveRegion } from "../core/tooltip"
import { withChanges } from "./stage/changes"
import { colourKinds } from "./stage/elements"
import { Focusing } from "./stage/focusing"
import { StageFigure, type Scene } from "./stage/figure"
import { Former } from "./stage/former"
import { PHONE, type Room } from "./stage/layout"
import { ACTIONS, decodeStage, kindIn, mapOf, type KindName, type MapChoice, type StagePayload } from "./stage/payload"
import { pullableAt, PullPanel } from "./stage/panel"
import type { Answer } from "./stage/pull"
import { Playback } from "./stage/play"
import { Pulling, sameTarget } from "./stage/pulling"
import { Candidates, SmallMaps } from "./stage/rail"
import { mapTitle } from "./stage/reading"
import { fillTable } from "./stage/table"
import styles from "./stage/styles"
import { StageTexts } from "./stage/texts"
import { StageTools } from "./stage/tools"
import { LiveTyping } from "./stage/typing"
import { WholeScreen } from "./stage/whole_screen"

const WIDE = 920 // design pixels from which the maps are next to the figure
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
    scrolls: () => this.room.classList.contains("scrolls"),
  })
  private readonly panel: PullPanel
  private readonly pulling: Pulling
  private readonly focusing: Focusing
  private readonly table: Fold
  private readonly live: HTMLDivElement
  private readonly typing: LiveTyping
  private readonly screen: WholeScreen
  private readonly remembered = new Map<KindName, MapChoice>()
  private unpulled: StagePayload | undefined
  private readonly opened = new Former() // the weight that can be pulled
  private changes = "" // that are shown, as the page's mark has them
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
      point: (focus, key) => this.focusing.point(focus, key),
      press: (focus) => this.focusing.press(focus),
      type: (event, focus) => this.focusing.type(event, focus),
      focus: (focus) => this.focusing.focus(focus),
      grab: (focus, key, event) => this.focusing.grab(focus, key, event),
    })
    this.pulling = new Pulling({
      ask: (request) => this.answer("ask", request),
      act: () => announceAction(ACTIONS),
      refresh: () => this.showAttention(),
      choice: (kind) => this.choiceOf(kind),
    })
    this.focusing = new Focusing({
      figure: this.figure,
      playback: this.playback,
      pulling: this.pulling,
      scene: () => this.scene(),
      refresh: () => this.showAttention(),
      announce: (text) => (this.live.textContent = text),
    })
    const rail = element("div", "rail", this.root)
    this.texts = new StageTexts(main, element("div", "brief lines", rail))
    this.tools = new StageTools(main, element("div", "play", rail), this.playback, {
      undo: () => this.pulling.takeBack("undo"),
      reset: () => this.pulling.takeBack("reset"),
      fillScreen: () => this.screen.toggle(),
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
    this.screen = new WholeScreen(this.root, () => this.draw(), this.mounted.signal)
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
    if (before && JSON.stringify(before.english) !== JSON.stringify(payload.english)) this.focusing.free()
    this.focusing.followPulled(payload, kindIn(this.chosen ?? (this.mark?.read() as Chosen | null) ?? {}))
    this.pulling.follow(payload.pulled)
    this.pulling.takeLeftOut(this.mark?.answer() as Answer | null)
    this.typing.follow(payload)
    this.take(payload)
    if (this.theme && this.theme !== payload.theme) this.reportTheme(this.theme)
    this.root.dataset.drawn = `${payload.english.join(" ")} / ${payload.french.join(" ")}`
  }

  protected override followMark(): boolean {
    if (this.unpulled && this.mark?.changes() !== this.changes) this.showPulled(this.unpulled)
    const answer = this.mark?.answer() as Answer | null
    this.typing.take(answer)
    this.pulling.take(answer)
    this.pulling.takeLeftOut(answer)
    return super.followMark()
  }

  /** Another kind: with the layer and head that it had before. */
  private chooseKind(changes: Chosen): void {
    this.set({ ...changes, ...this.choiceOf(kindIn(changes)) })
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
    this.focusing.followKind(kind)
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

  private scene(): Scene<StagePayload> | null {
    const { payload, chosen } = this
    if (!payload || !chosen) return null
    const map = (kind: KindName) => mapOf(payload, kind, this.choiceOf(kind))
    return { payload, kind: kindIn(chosen), maps: { encoder: map("encoder"), cross: map("cross"), decoder: map("decoder") } }
  }

  private followWidth(): void {
    if (this.root.clientWidth !== this.width || this.screen.on) this.draw()
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
    this.room.classList.remove("scrolls")
    const height = parseFloat(getComputedStyle(this.room).minHeight) // not that of what was drawn before
    const room = { width: this.room.getBoundingClientRect().width, height, unit, phone }
    this.figure.draw(scene, room)
    if (!this.figure.layout?.rows && !phone) this.drawColumns(scene, { ...room, height: height + COLUMNS_MORE * unit })
    this.root.classList.toggle("columns", !this.figure.layout?.rows)
    this.figure.name((focus) => this.focusing.describe(scene, focus))
    this.showAttention()
  }

  /** Draws columns, which scroll together where both sentences are too long for the room. */
  private drawColumns(scene: Scene, room: Room): void {
    this.figure.draw(scene, room)
    this.room.classList.toggle("scrolls", this.figure.layout!.height > room.height + 1)
    this.room.style.setProperty("--most", `${room.height}px`)
  }

  private showAttention(): void {
    const { payload } = this
    const { attention } = this.focusing
    if (!payload) return
    this.root.classList.toggle("stepping", this.playback.done !== null)
    this.figure.reveal(this.playback.done)
    this.figure.show(attention)
    this.candidates.show(payload, attention.focus?.side === "french" ? attention.focus.place : null)
    this.showPull(payload)
  }

  /** The number of heads whose mean is drawn. */
  private averaged({ kinds }: StagePayload): number {
    const kind = kindIn(this.chosen ?? {})
    const { layer, head } = this.choiceOf(kind)
    return (layer === MEAN ? kinds[kind].layers.length - 1 : 1) * (head === MEAN ? kinds[kind].heads.length - 1 : 1)
  }

  private showPull(payload: StagePayload): void {
    const { pulling, focusing } = this
    const { words, pulled } = payload
    const problem = pulling.error || pulling.leftOut
    const control = pulling.error ? [] : pulling.control
    this.texts.show(payload, { tried: pulling.triedText, control, problem, averaged: this.averaged(payload) })
    this.tools.show(payload, this.screen.on)
    const target = focusing.pullable
    this.root.classList.toggle("pulling", Boolean(target))
    if (!target) {
      if (this.opened.changed(null)) this.panel.open(null, words, pulling.scope)
      return
    }
    const now = focusing.rowAt(target.query)[target.key]!
    const weight = pulling.sweep && sameTarget(pulled, target) ? pulling.sweep.before : now
    const choice = this.choiceOf(target.kind)
    const { kind, query, key } = target
    if (this.opened.changed(payload, kind, query, key, choice.layer, choice.head, weight, pulling.scope)) {
      this.panel.open(pullableAt(payload, choice, target, weight), words, pulling.scope)
    }
    this.panel.showWeight(pulling.weight ?? now, words)
    this.panel.showSweep(pulling.sweep, words)
  }
}

export default mounting(Stage, styles)
