/**
 * The stage: English tokens, ribbons of cross-attention, French tokens each with a bar of length 1 that its ribbons divide,
 * and arcs of self-attention above and below. All of it is drawn from the payload: pointing, holding a token and choosing a
 * map send no request; the server receives the chosen map later.
 */

import { announceAction, type Chosen } from "../core/choosing"
import { mounting } from "../core/component"
import { element, keyHandler } from "../core/dom"
import type { Bytes } from "../core/payload"
import { ACTIONS, Former, type KindName, type StagePayload, decodeStage, kindIn, withChanges } from "./stage/payload"
import { Focusing } from "./stage/focusing"
import { PullPanel, Pulling, pullableAt, sameTarget, undoByKey } from "./stage/pulling"
import { Playback } from "./stage/play"
import { type Focus, StageTexts } from "./stage/reading"
import styles from "./stage/styles"
import { StageTools, StageView } from "./stage/view"
import { LiveTyping } from "./stage/typing"

class Stage extends StageView {
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
  protected readonly focusing: Focusing
  private readonly typing: LiveTyping
  private unpulled: StagePayload | undefined
  private readonly opened = new Former() // the weight that can be pulled
  private changes = "" // that are shown, as the page's mark has them

  constructor(parent: Element | ShadowRoot) {
    super(parent, { layer: "layer", head: "head" })
    const page = { root: this.root, notice: element("span", "notice", this.heading), signal: this.mounted.signal }
    this.typing = new LiveTyping(page, this.channel("type"))
    this.pulling = new Pulling({
      requests: this.channel("ask"),
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
    document.addEventListener("keydown", keyHandler((event) => undoByKey(event, this.pulling)), { signal: this.mounted.signal })
    const [brief, play] = [element("div", "brief lines"), element("div", "play")]
    this.rail.prepend(brief, play)
    this.texts = new StageTexts(this.main, brief)
    this.tools = new StageTools(this.main, play, this.playback, {
      undo: () => this.pulling.takeBack("undo"),
      reset: () => this.pulling.takeBack("reset"),
      fillScreen: () => this.screen.toggle(),
      leave: () => this.figure.moveTo(this.focusing.held ?? { side: "french", place: 0 }),
    })
    this.panel = new PullPanel(this.rail, {
      preview: (weight) => this.pulling.preview(weight),
      release: (weight) => this.pulling.release(weight),
      scope: (scope) => this.pulling.setScope(scope),
    })
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
    this.pulling.take(this.answers())
    this.pulling.follow(payload)
    this.pulling.takeLeftOut(this.answers())
    this.typing.follow(payload)
    this.take(payload)
  }

  protected override followMark(): boolean {
    if (this.unpulled && this.mark?.changes() !== this.changes) this.showPulled(this.unpulled)
    const answers = this.answers()
    this.typing.take(answers)
    this.pulling.take(answers)
    this.pulling.takeLeftOut(answers)
    return super.followMark()
  }

  protected override followKind(kind: KindName): void {
    this.focusing.followKind(kind)
  }

  protected override arrangeAdded(phone: boolean): void {
    this.tools.arrange(phone)
  }

  protected get looked(): Focus | null {
    return this.focusing.held
  }

  protected showAttention(): void {
    const { payload } = this
    const { attention } = this.focusing
    if (!payload) return
    this.followHeld(this.looked)
    this.root.classList.toggle("stepping", this.playback.done !== null)
    this.figure.reveal(this.playback.done)
    this.figure.show(attention)
    this.candidates.show(payload, attention.focus?.side === "french" ? attention.focus.place : null)
    this.showPull(payload)
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
