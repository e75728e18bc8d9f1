/**
 * The stage: English tokens, ribbons of cross-attention, French tokens each with a bar of length 1 that its ribbons divide,
 * and arcs of self-attention above and below. All of it is drawn from the payload: pointing, holding a token and choosing a
 * map send no request; the server receives the chosen map later.
 */

import { ChoosingView, MEAN, type Chosen } from "../core/choosing"
import { mounting } from "../core/component"
import { Choices } from "../core/controls"
import controlsStyle from "../core/controls.css"
import { arrowStep, button, element, filled, setAttributes } from "../core/dom"
import { clamp } from "../core/numbers"
import type { Bytes } from "../core/payload"
import { buildTable, Fold } from "../core/table"
import { buildLiveRegion } from "../core/tooltip"
import style from "./stage.css"
import { StageFigure, type Attention, type Scene } from "./stage/figure"
import { decodeStage, kindIn, KINDS, mapOf, type KindName, type MapChoice, type StagePayload } from "./stage/payload"
import { Candidates, SmallMaps } from "./stage/rail"
import { describeToken, mapTitle, rowOf, twoDigits, type Focus } from "./stage/reading"

const WIDE = 920 // design pixels from which the maps are next to the figure
const PHONE = 620 // below: columns, with the maps in a sheet
const COLUMNS_MORE = 152 // design pixels that columns have below the height of rows

class Stage extends ChoosingView<Bytes, StagePayload> {
  private readonly choices: Choices
  private readonly maps: SmallMaps
  private readonly candidates: Candidates
  private readonly figure: StageFigure
  private readonly caption: HTMLButtonElement
  private readonly meaning: HTMLSpanElement
  private readonly room: HTMLDivElement
  private readonly note: HTMLParagraphElement
  private readonly table: Fold
  private readonly live: HTMLDivElement
  private readonly remembered = new Map<KindName, MapChoice>()
  private held: Focus | null = null
  private pointed: Focus | null = null
  private focused: Focus | null = null
  private key = -1 // chosen in the row of the focus
  private width = 0

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".stage-root")
    const main = element("div", "main", this.root)
    const heading = element("div", "caption", main)
    this.caption = button(heading, "", () => this.toggleMaps())
    this.meaning = element("span", "meaning", heading)
    this.room = element("div", "room", main)
    this.figure = new StageFigure(this.room, {
      point: (focus, key) => this.point(focus, key),
      press: (focus) => this.press(focus),
      type: (event, focus) => this.typed(event, focus),
      focus: (focus) => this.focus(focus),
    })
    const texts = element("div", "texts", main)
    this.note = element("p", "note", texts)
    const rail = element("div", "rail", this.root)
    const chooser = element("div", "chooser", rail)
    this.choices = new Choices({ root: chooser, set: (changes) => this.chooseKind(changes) })
    this.maps = new SmallMaps(chooser, (choice) => this.set({ layer: choice.layer, head: choice.head }))
    this.candidates = new Candidates(rail)
    this.table = new Fold(this.root, (holder) => this.fillTable(holder))
    this.live = buildLiveRegion(this.root)
    this.resized = new ResizeObserver(() => this.followWidth())
    this.resized.observe(this.root)
  }

  show(bytes: Bytes): void {
    if (!this.isNew(bytes)) return
    const before = this.payload
    const payload = decodeStage(bytes)
    if (before && JSON.stringify([before.english, before.french]) !== JSON.stringify([payload.english, payload.french])) {
      this.held = this.pointed = this.focused = null
      this.key = -1
    }
    this.take(payload)
    if (this.theme && this.theme !== payload.theme) this.reportTheme(this.theme)
    this.root.dataset.drawn = `${payload.english.join(" ")} / ${payload.french.join(" ")}`
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
    this.colour(payload)
    this.root.dataset.kind = kind
    this.caption.textContent = mapTitle(payload, kind, choice)
    this.meaning.textContent = `${payload.kinds[kind].meaning} ${payload.words.barIsOne}`
    this.note.textContent = payload.words.note
    this.table.title.textContent = filled(payload.words.table, { map: mapTitle(payload, kind, choice) })
    this.draw()
    this.table.follow()
  }

  private colour({ kinds, theme }: StagePayload): void {
    for (const kind of KINDS) {
      const scale = kinds[kind].scales[this.theme ?? theme]
      const at = (share: number) => scale[Math.round(share * (scale.length - 1))]!
      this.root.style.setProperty(`--${kind}`, at(0.56))
      this.root.style.setProperty(`--${kind}-ink`, at(0.82))
    }
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
    return { focus: this.held ?? this.pointed ?? this.focused, held: Boolean(this.held), key: this.key }
  }

  private showAttention(): void {
    const { payload, attention } = this
    if (!payload) return
    this.figure.show(attention)
    this.candidates.show(payload, attention.focus?.side === "french" ? attention.focus.place : null)
  }

  private point(focus: Focus | null, key = -1): void {
    if (sameFocus(focus, this.pointed) && key === this.key) return
    this.pointed = focus
    if (!this.held) this.key = key
    else if (sameFocus(focus, this.held) && key >= 0) this.key = key
    else return
    this.showAttention()
  }

  private press(focus: Focus): void {
    if (this.held?.side === "french" && focus.side === "english" && this.root.dataset.kind === "cross") {
      return this.pick(focus.place)
    }
    this.hold(sameFocus(focus, this.held) ? null : focus)
  }

  /** Chooses a key in the row of the place that is held. */
  private pick(key: number): void {
    this.key = key
    this.showAttention()
    this.announce()
  }

  private hold(focus: Focus | null): void {
    const { words } = this.payload ?? {}
    this.held = focus
    this.key = -1
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
    this.live.textContent = filled(words.pair, pair)
  }

  private typed(event: KeyboardEvent, focus: Focus): void {
    if (event.key === "Escape" && this.held) this.hold(null)
    else if (!this.move(event, focus)) return
    event.preventDefault()
    event.stopPropagation()
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
      this.pick(clamp(this.key + across, this.payload.english.length))
    }
    return true
  }

  private toggleMaps(): void {
    const open = this.root.classList.toggle("choosing")
    setAttributes(this.caption, { "aria-expanded": open })
  }

  private fillTable(holder: HTMLElement): void {
    const scene = this.scene()
    if (!scene) return
    const { queries, keys } = scene.payload.maps[scene.kind]
    const map = scene.maps[scene.kind]
    const masked = (query: number, key: number) => scene.kind === "decoder" && key > query
    const cell = (query: number) => (weight: number, key: number) =>
      masked(query, key) ? scene.payload.words.masked : twoDigits(weight)
    const rows = queries.map((name, query) => {
      return [`${query + 1} ${name}`, ...Array.from(rowOf(map, query, keys.length), cell(query))] as const
    })
    const columns = [scene.payload.words.corner, ...keys].map((title, place) => [title, place ? "token" : ""] as const)
    buildTable(holder, columns, rows, "token")
  }
}

function sameFocus(one: Focus | null, other: Focus | null): boolean {
  return one?.side === other?.side && one?.place === other?.place
}

/** Whether a token that is held has a row in this kind. */
function keepsFocus({ side }: Focus, kind: KindName): boolean {
  return kind === "cross" || (side === "english") === (kind === "encoder")
}

export default mounting(Stage, controlsStyle + style)
