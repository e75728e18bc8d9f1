/** What every stage has whose payload has maps of layers and heads: the figure, the small maps, candidates, and a table. */

import { ChoosingView, type Chosen, MEAN } from "../../core/choosing"
import { Choices } from "../../core/controls"
import { arrowStep, button, element, filled, keyHandler, measureTextScale, setAttributes } from "../../core/dom"
import { known } from "../../core/numbers"
import type { Bytes } from "../../core/payload"
import { Requests } from "../../core/requests"
import { Fold } from "../../core/table"
import { buildLiveRegion } from "../../core/tooltip"
import { switchScreen } from "../../core/whole_screen"
import { StageFigure, colourKinds } from "./figure"
import { Lane } from "./lane"
import { PHONE, type Room } from "./layout"
import { Former, type KindName, type MapChoice, type StageAnswers, type StagePayload, type Words, kindIn, mapOf } from "./payload"
import { type Playback, SPEEDS } from "./play"
import { Candidates, type HeadNote, SmallMaps } from "./rail"
import { type Focus, describeToken, fillTable, mapTitle } from "./reading"
import type { FigureEvents, Scene } from "./scene"

/* A button that copies the address of the page, in which a view states everything that is chosen. */

const REPORTED = 3000 // milliseconds that the result is shown

interface LinkWords {
  readonly copyLink: string
  readonly copied: string
  readonly copyThis: string
}

export class CopyLink {
  private readonly button: HTMLButtonElement
  private readonly report: HTMLSpanElement
  private words: LinkWords | undefined

  constructor(parent: ParentNode) {
    this.button = button(parent, "", () => void this.copy())
    this.report = element("span", "copied", parent)
    this.report.setAttribute("role", "status")
  }

  show(words: LinkWords): void {
    this.words = words
    this.button.textContent = words.copyLink
  }

  /** Copies the address; where the browser refuses, as it does without https, shows it selected. */
  private async copy(): Promise<void> {
    const address = new URL(location.href)
    address.searchParams.delete("present") // who opens the link chooses how it is shown
    const { words, report } = this
    if (!words) return
    report.replaceChildren()
    try {
      await navigator.clipboard.writeText(address.href)
    } catch {
      const field = Object.assign(element("input", "", report), { value: address.href, readOnly: true })
      field.setAttribute("aria-label", words.copyThis)
      field.focus()
      return field.select()
    }
    report.textContent = words.copied
    window.setTimeout(() => report.replaceChildren(), REPORTED)
  }
}

/* The buttons below the figure: play, how the next token is chosen, undo and reset, the link and the whole screen. */

interface ToolEvents {
  undo: () => void
  reset: () => void
  fillScreen: () => void
  leave: () => void // called where the button with the keyboard's focus disappears
}

const TEMPERATURES = { min: 0.1, max: 3, step: 0.1 }

export class StageTools {
  private readonly root: HTMLDivElement
  private readonly steps: HTMLSpanElement
  private readonly toggle: HTMLButtonElement
  private readonly back: HTMLButtonElement
  private readonly on: HTMLButtonElement
  private readonly speed: HTMLLabelElement
  private readonly sample: HTMLButtonElement
  private readonly temperature: HTMLLabelElement
  private readonly greedy: HTMLButtonElement
  private readonly undo: HTMLButtonElement
  private readonly reset: HTMLButtonElement
  private readonly link: CopyLink
  private readonly screen: HTMLButtonElement
  private readonly former = new Former()
  private payload: StagePayload | undefined

  /** `sheet`: where a small screen has the buttons that play, next to the candidates. */
  constructor(
    parent: ParentNode,
    private readonly sheet: Element,
    private readonly playback: Playback,
    private readonly events: ToolEvents,
  ) {
    const tools = (this.root = element("div", "tools", parent))
    this.steps = element("span", "slider steps", tools) // whose first two buttons the arrow keys press when presenting
    this.back = button(this.steps, "\u2190", () => playback.step(-1))
    this.on = button(this.steps, "\u2192", () => playback.step(1))
    this.toggle = button(this.steps, "", () => playback.toggle())
    this.steps.onkeydown = keyHandler((event) => {
      const by = arrowStep(event.key)?.[1]
      if (!by) return
      event.stopPropagation() // when presenting, the page would press a button as well
      playback.step(by < 0 ? -1 : 1)
    })
    this.speed = slider(tools, { min: SPEEDS.least, max: SPEEDS.most, step: 0.25 }, (value) => playback.setSpeed(value))
    inputOf(this.speed).valueAsNumber = 1
    this.sample = button(tools, "", () => this.draw())
    this.temperature = slider(tools, TEMPERATURES, (value) => this.nameTemperature(value))
    inputOf(this.temperature).onchange = () => this.go({ temperature: inputOf(this.temperature).value })
    this.greedy = button(tools, "", () => this.go({ method: "greedy" }))
    this.undo = button(tools, "", events.undo)
    this.reset = button(tools, "", events.reset)
    this.link = new CopyLink(tools)
    this.screen = button(tools, "", events.fillScreen)
    this.screen.hidden = !document.fullscreenEnabled // some telephones have none
  }

  /** Places the buttons that play in the sheet of a small screen, or in front of the others. */
  arrange(phone: boolean): void {
    if (phone && this.steps.parentNode !== this.sheet) this.sheet.append(this.steps)
    else if (!phone && this.steps.parentNode !== this.root) this.root.prepend(this.steps)
  }

  show(payload: StagePayload, wholeScreen: boolean): void {
    if (!this.former.changed(payload, wholeScreen, this.playback.playing, this.playback.done)) return
    const { words, decoding, pulled } = payload
    this.showPlay(words)
    setAttributes(this.screen, { "aria-pressed": wholeScreen })
    if (payload === this.payload) return // a slider may be held
    this.payload = payload
    this.undo.textContent = words.undo
    this.reset.textContent = words.reset
    this.link.show(words)
    this.screen.textContent = words.fullScreen
    const focused = [this.undo, this.reset, this.greedy].find((each) => each.matches(":focus"))
    this.undo.hidden = this.reset.hidden = !pulled
    const sampling = decoding.method === "sampling"
    this.temperature.hidden = this.greedy.hidden = !sampling
    if (focused?.hidden) this.events.leave()
    this.sample.textContent = sampling ? words.drawAgain : words.drawSample
    this.greedy.textContent = words.greedyAgain
    inputOf(this.temperature).valueAsNumber = decoding.temperature
    this.nameTemperature(decoding.temperature)
  }

  private nameTemperature(temperature: number): void {
    name(this.temperature, `${this.payload?.words.temperature ?? ""} ${known(temperature, 1)}`)
  }

  private showPlay(words: Words): void {
    const { playing, done } = this.playback
    this.toggle.textContent = playing ? words.pause : words.play
    setAttributes(this.back, { "aria-label": words.back, title: words.back })
    setAttributes(this.on, { "aria-label": words.on, title: words.on })
    const focused = this.back.matches(":focus")
    this.back.disabled = done === 0
    if (focused && this.back.disabled) this.on.focus()
    name(this.speed, words.speed)
  }

  /** Another sample: the first has the seed of the page, each further one the next seed. */
  private draw(): void {
    const { method = "", seed = 0 } = this.payload?.decoding ?? {}
    this.go(method === "sampling" ? { seed: String(seed + 1) } : { method: "sampling" })
  }

  /** Another way to choose the tokens: the address of the page has it, which a run of the page follows. */
  private go(changes: Readonly<Record<string, string>>): void {
    this.playback.end()
    const address = new URL(location.href)
    address.searchParams.delete("pull") // of the former translation
    for (const [parameter, value] of Object.entries(changes)) address.searchParams.set(parameter, value)
    history.pushState(null, "", address)
    window.dispatchEvent(new PopStateEvent("popstate", { state: null }))
  }
}

function slider(parent: ParentNode, range: object, change: (value: number) => void): HTMLLabelElement {
  const label = element("label", "range", parent)
  element("span", "", label)
  const input = Object.assign(element("input", "", label), { type: "range", ...range })
  input.oninput = () => change(input.valueAsNumber)
  return label
}

function name(label: HTMLLabelElement, text: string): void {
  label.firstElementChild!.textContent = text
}

function inputOf(label: HTMLLabelElement): HTMLInputElement {
  return label.querySelector("input")!
}

/* The stage in the whole screen, alone: its lengths are in rem, so the size of a rem follows the screen. */

export class WholeScreen {
  /** Whether the stage fills the screen. */
  on = false

  /** `draw` is called when the stage has got the screen or has left it; `signal` ends both. */
  constructor(
    private readonly root: HTMLElement,
    draw: () => void,
    signal: AbortSignal,
  ) {
    root.dataset.map = "" // for key F
    // Of the page, not of the stage: one that is removed from the whole screen receives no event.
    document.addEventListener(
      "fullscreenchange",
      () => {
        if (this.on === root.matches(":fullscreen")) return
        this.follow(!this.on)
        draw()
      },
      { signal },
    )
    signal.addEventListener("abort", () => this.on && this.follow(false))
  }

  /** Fills the screen, or returns to the page; without effect where a frame around the page forbids it. */
  toggle(): void {
    switchScreen(this.root)
  }

  private follow(on: boolean): void {
    this.on = on
    document.documentElement.style.fontSize = on ? getComputedStyle(this.root).getPropertyValue("--type") : ""
  }
}

const WIDE = 920 // design pixels from which the maps are next to the figure
const COLUMNS_MORE = 152 // design pixels that columns have below the height of rows
const COLUMNS_SPARE = 56 // further ones, where columns are whole with them: the table below leaves the first screen

/** The parameters of the address that name the map that is drawn. */
interface MapSettings {
  readonly layer: string
  readonly head: string
}

export abstract class StageView extends ChoosingView<Bytes, StagePayload> {
  protected readonly main: HTMLDivElement
  protected readonly heading: HTMLDivElement
  protected readonly room: HTMLDivElement
  protected readonly rail: HTMLDivElement
  protected readonly figure: StageFigure
  protected readonly candidates: Candidates
  protected readonly live: HTMLDivElement
  protected readonly screen: WholeScreen
  protected abstract readonly focusing: FigureEvents
  private readonly choices: Choices
  private readonly maps: SmallMaps
  private readonly channels: Pick<Requests<object>, "late" | "drop" | "follow">[] = []
  private readonly notice: HTMLSpanElement // of a late answer
  private readonly caption: HTMLButtonElement
  private readonly meaning: HTMLSpanElement
  private readonly table: Fold
  private readonly lane: Lane
  private readonly opener: HTMLButtonElement
  private readonly remembered = new Map<KindName, MapChoice>()
  private width = 0

  /** `settings`: of the map in the address; `opens`: whether layers can be opened. */
  constructor(
    parent: Element | ShadowRoot,
    private readonly settings: MapSettings,
    private readonly opens = true,
  ) {
    super(parent, ".stage-root")
    this.main = element("div", "main", this.root)
    this.heading = element("div", "caption", this.main)
    this.caption = button(this.heading, "", () => {
      setAttributes(this.caption, { "aria-expanded": this.root.classList.toggle("choosing") })
    })
    this.meaning = element("span", "meaning", this.heading)
    this.notice = element("span", "late notice", this.heading)
    this.notice.setAttribute("role", "status")
    this.room = element("div", "room", this.main)
    this.figure = new StageFigure(this.room, {
      point: (focus, key) => this.focusing.point(focus, key),
      press: (focus) => this.focusing.press(focus),
      type: (event, focus) => this.type(event, focus),
      focus: (focus) => this.focusing.focus(focus),
      grab: (focus, key, event) => this.focusing.grab(focus, key, event),
    })
    this.rail = element("div", "rail", this.root)
    const chooser = element("div", "chooser", this.rail)
    this.choices = new Choices({ root: chooser, set: (changes) => this.chooseKind(changes) })
    this.maps = new SmallMaps(chooser, {
      choose: ({ layer, head }) => this.set({ [settings.layer]: layer, [settings.head]: head }),
      open: opens ? (layer) => this.openLayer(this.looked, layer) : null,
      note: (kind, choice) => this.noteOf(kind, choice),
    })
    this.candidates = new Candidates(this.rail)
    this.opener = button(this.rail, "", () => this.openLayer(this.looked))
    this.opener.className = "open-layer"
    this.opener.hidden = !opens
    this.lane = new Lane(this.root, {
      requests: this.channel("layer"),
      choice: (kind) => this.choiceOf(kind),
      about: () => ({ text: this.payload?.sentence ?? "", pulls: this.answers()?.pulls ?? "" }),
      leave: (focus) => this.figure.moveTo(focus),
      ribbon: (focus, key) => this.figure.line(focus, key),
    })
    this.table = new Fold(this.root, (holder) => fillTable(holder, this.scene()))
    this.live = buildLiveRegion(this.root)
    this.screen = new WholeScreen(this.root, () => this.draw(), this.mounted.signal)
    this.resized = new ResizeObserver(() => this.followWidth())
    this.resized.observe(this.root)
  }

  /** Requests whose answers are expected; where one is late, the stage says what to do. */
  protected channel<Request extends object>(name: string): Requests<Request> {
    const requests = new Requests<Request>(this, name, () => {
      const late = this.channels.some((channel) => channel.late)
      this.notice.textContent = late ? (this.payload?.words.noAnswer ?? "") : ""
    })
    this.channels.push(requests)
    return requests
  }

  override leave(): void {
    super.leave()
    for (const channel of this.channels) channel.drop()
  }

  /** The token that is held, else what has the attention. */
  protected abstract get looked(): Focus | null

  private type(event: KeyboardEvent, focus: Focus): void {
    if (!this.opens || event.key.toLowerCase() !== "l" || event.ctrlKey || event.metaKey || event.altKey) return this.focusing.type(event, focus)
    event.preventDefault()
    event.stopPropagation()
    if (!this.looked) this.focusing.press(focus)
    this.openLayer(this.looked)
  }

  /** Opens a layer for a token: the one that is drawn, or another, which is drawn then. */
  private openLayer(focus: Focus | null, layer?: string): void {
    if (layer) this.set({ [this.settings.layer]: layer })
    const { words } = this.payload ?? {}
    if (focus && this.chosen) this.lane.open(focus, this.chosen)
    else if (words) this.live.textContent = words.hold
  }

  /** Follows the token that is held: what is opened belongs to it. */
  protected followHeld(held: Focus | null): void {
    this.opener.disabled = !held
    this.lane.follow(held)
  }

  protected override followMark(): boolean {
    if (this.payload) this.lane.take(this.answers(), this.payload.words)
    return super.followMark()
  }

  /** The answers of the server that the page has. */
  protected answers(): StageAnswers | null {
    return (this.mark?.answer() ?? null) as StageAnswers | null
  }

  /** Draws what has the attention. */
  protected abstract showAttention(): void

  /** What is noted at the small map of a head; overridden by subclasses. */
  protected noteOf(kind: KindName, choice: MapChoice): HeadNote | null {
    void [kind, choice]
    return null
  }

  /** Takes a kind before it is drawn; overridden by subclasses. */
  protected followKind(kind: KindName): void {
    void kind
  }

  /** Arranges what a subclass adds for a phone or a wider screen. */
  protected arrangeAdded(phone: boolean): void {
    void phone
  }

  /** Shows a payload. */
  protected override take(payload: StagePayload): void {
    this.lane.close()
    for (const channel of this.channels) channel.follow(payload.state)
    this.opener.textContent = payload.words.openLayer
    super.take(payload)
    if (this.theme && this.theme !== payload.theme) this.reportTheme(this.theme)
    this.root.dataset.drawn = `${payload.english.join(" ")} / ${payload.french.join(" ")}`
  }

  /** Another kind: with the layer and head that it had before. */
  private chooseKind(changes: Chosen): void {
    const { layer, head } = this.choiceOf(kindIn(changes))
    this.set({ ...changes, [this.settings.layer]: layer, [this.settings.head]: head })
  }

  protected choiceOf(kind: KindName): MapChoice {
    const { layers = [], heads = [] } = this.payload?.kinds[kind] ?? {}
    return this.remembered.get(kind) ?? { layer: layers.at(-2) ?? MEAN, head: heads.at(-1) ?? MEAN }
  }

  protected arrange(chosen: Chosen): void {
    const { payload, settings } = this
    if (!payload) return
    const kind = kindIn(chosen)
    const choice = { layer: chosen[settings.layer] ?? MEAN, head: chosen[settings.head] ?? MEAN }
    this.remembered.set(kind, choice)
    this.followKind(kind)
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

  protected scene(): Scene<StagePayload> | null {
    const { payload, chosen } = this
    if (!payload || !chosen) return null
    const map = (kind: KindName) => mapOf(payload, kind, this.choiceOf(kind))
    return { payload, kind: kindIn(chosen), maps: { encoder: map("encoder"), cross: map("cross"), decoder: map("decoder") } }
  }

  private followWidth(): void {
    if (this.root.clientWidth !== this.width || this.screen.on) this.draw()
  }

  protected draw(): void {
    const scene = this.scene()
    this.width = this.root.clientWidth
    if (!scene || !this.width) return
    const unit = measureTextScale()
    const phone = this.width < PHONE * unit
    this.root.classList.toggle("phone", phone)
    this.arrangeAdded(phone)
    this.root.classList.toggle("wide", this.width >= WIDE * unit)
    this.room.classList.remove("scrolls")
    const height = parseFloat(getComputedStyle(this.room).minHeight) // not that of what was drawn before
    const room = { width: this.main.getBoundingClientRect().width, height, unit, phone } // columns that were drawn are narrower
    this.figure.draw(scene, room)
    if (!this.figure.layout?.rows && !phone) this.drawColumns(scene, { ...room, height: height + this.moreInColumns() * unit })
    this.root.classList.toggle("columns", !this.figure.layout?.rows)
    this.figure.name((focus) => describeToken(scene.payload, scene.kind, scene.maps[scene.kind], focus))
    this.showAttention()
    this.lane.draw()
  }

  /** Design pixels that columns have in addition: the texts are next to them. A page sets another number. */
  private moreInColumns(): number {
    return parseFloat(getComputedStyle(this.root).getPropertyValue("--more-in-columns")) || COLUMNS_MORE
  }

  /** Draws columns, which scroll together where both sentences are too long for the room. */
  private drawColumns(scene: Scene, room: Room): void {
    this.figure.draw(scene, room)
    const { height } = this.figure.layout!
    const scrolls = height > room.height + COLUMNS_SPARE * room.unit + 1
    this.room.classList.toggle("scrolls", scrolls)
    this.room.style.setProperty("--most", `${scrolls ? room.height : Math.max(height, room.height)}px`)
  }

  /** The number of heads whose mean is drawn. */
  protected averaged({ kinds }: StagePayload): number {
    const kind = kindIn(this.chosen ?? {})
    const { layer, head } = this.choiceOf(kind)
    return (layer === MEAN ? kinds[kind].layers.length - 1 : 1) * (head === MEAN ? kinds[kind].heads.length - 1 : 1)
  }
}
