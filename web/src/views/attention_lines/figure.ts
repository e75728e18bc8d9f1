/** The drawing of the lines: tokens on both sides, the lines between them, and what is read out of them. */

import { type Pointed, calledIn, linkTokens, linkedCell } from "../../core/brushing"
import { type DataKind, arrowStep, button, element, filled, followDrag, keyHandler, markData, setAttributes } from "../../core/dom"
import { cellNodes, isolated, tokensIn, writeSentence } from "../../core/labels"
import { clamp, threeDigits } from "../../core/numbers"
import { Fold, buildTable } from "../../core/table"
import { Tip, buildLiveRegion } from "../../core/tooltip"
import { FAINT, NEAR, StrokeCanvas, type Strokes, cellsWidth, isLong, rowHeight, slotWidth, strokeAcross, strokesOf } from "./strokes"
import type { HeadStyle, LinesSheet, LinesView, Side, Token } from "./payload"
import { type Drawing, savePng, saveSvg } from "./picture"
import { type ReadOut, otherSide } from "./readout"

/* The controls of the lines: buttons for heads and layers, the slider for the share, export. */

type Field = "heads" | "layers"

/** What the controls set. */
export interface LinesSettings {
  readonly view: LinesView
  readonly unsent: AbortController | undefined
  change: (changes: Partial<LinesView>, tell?: boolean) => void
  tellView: () => void
}

/** What the buttons for the drawing do. */
interface DrawingActions {
  tall?: { pressed: boolean; set: (pressed: boolean) => void } // of a long input
  saveSvg: () => void
  savePng: () => void
}

interface Group {
  field: Field
  toggles: readonly HTMLButtonElement[]
  only: HTMLButtonElement
}

export class LinesControls {
  private readonly heads: Group
  private readonly layers: Group
  private readonly massWords: HTMLSpanElement
  private readonly mass: HTMLInputElement

  constructor(
    root: ParentNode,
    private readonly settings: LinesSettings,
    private readonly sheet: LinesSheet,
    actions: DrawingActions,
  ) {
    const { words } = sheet
    const [layers, heads] = sheet.shape
    const holder = element("div", "controls", root)
    this.heads = this.buildGroup(holder, "heads", words.heads, words.head, heads)
    this.layers = this.buildGroup(holder, "layers", words.layers, words.layer, layers)
    const label = element("label", "mass", holder)
    this.massWords = element("span", "", label)
    const mass = (this.mass = element("input", "", label))
    Object.assign(mass, { type: "range", min: 5, max: 100, step: 5 })
    const follow = () => settings.change({ mass: mass.valueAsNumber / 100 })
    followDrag(settings, mass, follow, () => settings.tellView())
    const files = element("div", "files", holder)
    if (actions.tall) buildTall(files, words.tall, actions.tall)
    button(files, words.svg, actions.saveSvg)
    button(files, words.png, actions.savePng)
  }

  private buildGroup(holder: ParentNode, field: Field, title: string, name: string, count: number): Group {
    const { words, numbers } = this.sheet
    const group = element("div", "group", holder)
    setAttributes(group, { role: "group", "aria-label": title })
    element("span", "title", group).textContent = title
    const toggles = placesOf(count).map((place) => {
      const number = field === "layers" ? numbers[place]! : place + 1
      const toggle = button(group, "", () => this.pick(field, place))
      toggle.className = "toggle"
      if (field === "heads") element("canvas", "chip", toggle)
      element("span", "", toggle).textContent = String(number)
      toggle.setAttribute("aria-label", filled(name, { number }))
      return toggle
    })
    const only = button(group, words.single, () => this.single(field, only))
    only.setAttribute("aria-pressed", "false")
    button(group, words.all, () => this.settings.change({ [field]: placesOf(count) }, true))
    button(group, words.none, () => this.settings.change({ [field]: [] }, true))
    return { field, toggles, only }
  }

  private pick(field: Field, place: number): void {
    const one = isPressed(this[field].only)
    this.settings.change({ [field]: one ? [place] : toggled(this.settings.view[field], place) }, true)
  }

  private single(field: Field, only: HTMLButtonElement): void {
    const on = !isPressed(only)
    only.setAttribute("aria-pressed", String(on))
    const selected = this.settings.view[field]
    if (on && selected.length > 1) this.settings.change({ [field]: selected.slice(0, 1) }, true)
  }

  /** Shows what is chosen. */
  follow(view: LinesView, styles: readonly HeadStyle[]): void {
    for (const { field, toggles, only } of [this.heads, this.layers]) {
      toggles.forEach((toggle, place) => toggle.setAttribute("aria-pressed", String(view[field].includes(place))))
      if (view[field].length > 1) only.setAttribute("aria-pressed", "false") // several end "one at a time"
    }
    this.heads.toggles.forEach((toggle, place) => paintChip(toggle.querySelector("canvas")!, styles[place]!))
    const share = Math.round(100 * view.mass)
    this.mass.value = String(share)
    this.massWords.textContent = filled(this.sheet.words.mass, { share })
    this.mass.setAttribute("aria-valuetext", `${share} %`)
  }
}

/** Places in order, with `place` added or taken out. */
export function toggled(places: readonly number[], place: number): number[] {
  const others = places.filter((other) => other !== place)
  return others.length < places.length ? others : [...places, place].sort((one, other) => one - other)
}

function placesOf(count: number): number[] {
  return [...Array(count).keys()]
}

function isPressed(toggle: HTMLButtonElement): boolean {
  return toggle.getAttribute("aria-pressed") === "true"
}

function buildTall(files: ParentNode, text: string, tall: NonNullable<DrawingActions["tall"]>): void {
  const toggle = button(files, text, () => {
    const pressed = !isPressed(toggle)
    toggle.setAttribute("aria-pressed", String(pressed))
    tall.set(pressed)
  })
  toggle.setAttribute("aria-pressed", String(tall.pressed))
}

/** A short stroke of a head's line, with its dashes. */
function paintChip(canvas: HTMLCanvasElement, [colour, dashes]: HeadStyle): void {
  canvas.width = 44
  canvas.height = 12
  strokeAcross(canvas.getContext("2d")!, [0, 6], [44, 8], [colour, dashes.map((length) => 2 * length)])
}

/* The tooltip of a pair of tokens. */

const DETAILS = 10 // heads in the tooltip

/** Fills `box` with the weights between the locked token and one of the other side, head by head, the largest first. */
export function fillPair(
  box: HTMLElement,
  readOut: ReadOut,
  styles: readonly HeadStyle[],
  [locked, other]: readonly [Token, Token],
): void {
  const { names, weights, maps, sheet } = readOut
  const { words } = sheet
  const [query, key] = locked.side === "query" ? [locked.place, other.place] : [other.place, locked.place]
  box.replaceChildren()
  element("div", "pair", box).append(...cellNodes(words.cell, names.query[query]!, names.key[key]!, tokensIn(sheet.languages)))
  const value = element("div", "value", box)
  if (weights.masked(query, key)) {
    value.textContent = words.masked
    return
  }
  value.textContent = filled(words.meanIs, { weight: threeDigits(weights.mean(maps, query, key)) })
  const order = [...maps].sort((one, two) => weights.at(two, query, key) - weights.at(one, query, key))
  for (const map of order.slice(0, DETAILS)) {
    const line = element("div", "detail", box)
    element("span", "chip", line).style.background = styles[map % weights.heads]![0]
    element("span", "", line).textContent = `${readOut.nameOf(map)}: ${threeDigits(weights.at(map, query, key))}`
  }
  if (order.length <= DETAILS) return
  element("div", "detail", box).textContent = filled(words.more, { count: order.length - DETAILS })
}

/* The table of all weights of the locked token, head by head. */

/** Fills `holder` with the table, or with what to do if no token is locked. */
export function fillLocked(holder: HTMLElement, readOut: ReadOut): void {
  const { maps, weights, names, sheet, view } = readOut
  const { words } = sheet
  const { locked } = view
  if (!locked || !maps.length) {
    holder.textContent = words.noneLocked
    return
  }
  const several = maps.length > 1
  const columns = [words.token, ...(several ? [words.mean] : []), ...maps.map((map) => readOut.nameOf(map))]
  const rows = readOut.weightsOf(locked).map(({ place, name, query, key, masked, mean }) => {
    const values = [...(several ? [mean] : []), ...maps.map((map) => weights.at(map, query, key))]
    const texts = values.map((value) => (masked ? words.masked : threeDigits(value)))
    return [`${place + 1} ${name}`, ...texts] as const
  })
  const headings = columns.map((title) => [title] as const)
  const table = buildTable(holder, headings, rows, tokensIn(sheet.languages)[locked.side === "query" ? 1 : 0])
  const caption = locked.side === "query" ? words.queryTable : words.keyTable
  writeSentence(table.createCaption(), filled(caption, { token: isolated(names[locked.side][locked.place]!) }))
}

/* The tokens of one side of the lines: a list box with the weights next to its tokens. */

/** What a user does with the tokens of a side. */
interface TokenEvents {
  point: (token: Token | null, event?: PointerEvent) => void
  press: (token: Token) => void
  type: (event: KeyboardEvent, token: Token) => void
  focus: (token: Token | null, shown: HTMLElement | null) => void
}

interface Item {
  token: HTMLDivElement
  label: HTMLSpanElement
  weight: HTMLSpanElement
}

export class TokenList {
  private readonly list: HTMLDivElement
  private readonly items: readonly Item[]
  private row = 0 // pixels per token

  constructor(
    field: ParentNode,
    private readonly side: Side,
    readonly count: number,
    events: TokenEvents,
  ) {
    const list = (this.list = element("div", `side ${side}`, field))
    list.setAttribute("role", "listbox")
    this.items = Array.from({ length: count }, (_, place) => buildItem(list, place === 0))
    const pointed = ({ clientY }: MouseEvent) => {
      return this.at(clamp(Math.floor((clientY - list.getBoundingClientRect().top) / this.row), count))
    }
    list.onpointermove = (event) => events.point(pointed(event), event)
    list.onpointerleave = () => events.point(null)
    list.onclick = (event) => events.press(pointed(event))
    list.onkeydown = keyHandler((event) => events.type(event, this.at(this.placeOf(event))))
    list.addEventListener("focusin", (event) => {
      const place = this.placeOf(event)
      this.items.forEach(({ token }, other) => (token.tabIndex = other === place ? 0 : -1))
      events.focus(this.at(place), this.items[place]!.token)
    })
    list.addEventListener("focusout", () => events.focus(null, null))
  }

  private at(place: number): Token {
    return { side: this.side, place }
  }

  private placeOf({ target }: Event): number {
    return this.items.findIndex(({ token }) => token === target)
  }

  /** Focuses a token, the nearest one if there is none at `place`. */
  focus(place: number): void {
    this.items[clamp(place, this.count)]!.token.focus()
  }

  /** Writes the labels of the list and of its tokens. */
  name(axis: string, names: readonly string[], kind: DataKind): void {
    this.list.setAttribute("aria-label", axis)
    this.items.forEach(({ label }, place) => (markData(label, kind).textContent = names[place]!))
  }

  /** Marks the token in focus, or writes the weights between it and each token here; `row`: pixels per token. */
  show(readOut: ReadOut, focus: Token | null, row: number): void {
    const { sheet, maps, view } = readOut
    this.row = row
    const roomy = row >= NEAR
    const across = focus && focus.side !== this.side ? readOut.weightsOf(focus) : []
    const read = focus && across.length && !roomy ? readOut.readable(focus, Math.ceil(NEAR / row)) : null
    const step = Math.max(1, Math.ceil(NEAR / row))
    const mask = roomy ? sheet.words.masked : "" // in compressed rows its faint label suffices
    this.items.forEach(({ token, weight }, place) => {
      const own = focus?.side === this.side && focus.place === place
      const near = focus?.side === this.side && Math.abs(focus.place - place) < step
      const named = own || roomy || (read ? read.has(place) : place % step === 0 && !near)
      const item = across[place]
      const text = item && named && maps.length ? (item.masked ? mask : threeDigits(item.mean)) : ""
      const names = `token${own ? " own" : ""}${named ? "" : " unnamed"}${item?.masked ? " masked" : ""}`
      if (token.className !== names) token.className = names
      if (weight.textContent !== text) weight.textContent = text
      const selected = String(own && Boolean(view.locked))
      if (token.getAttribute("aria-selected") !== selected) token.setAttribute("aria-selected", selected)
    })
  }
}

function buildItem(list: ParentNode, first: boolean): Item {
  const token = element("div", "token", list)
  setAttributes(token, { role: "option", tabindex: first ? 0 : -1 })
  return { token, label: element("span", "label", token), weight: element("span", "weight", token) }
}

const MOST_LINES = 4000 // in the overview; more would hide each other
const MOST_ALONE = 1000 // of one token
const MANY = 400 // lines that are painted on coarser pixels

/** Colours of the page's theme. */
export interface Colours {
  styles: readonly HeadStyle[]
  background: string
}

/** The elements of one layout of a sheet. A sheet of the same layout is shown in the same elements. */
export class LinesFigure {
  readonly middle: HTMLDivElement
  private readonly controls: LinesControls
  private readonly status: HTMLDivElement
  private readonly unlockButton: HTMLButtonElement
  private readonly axes: readonly HTMLDivElement[]
  private readonly sides: Readonly<Record<Side, TokenList>>
  private readonly overview: StrokeCanvas
  private readonly front: StrokeCanvas
  private readonly legend: HTMLDivElement
  private readonly table: Fold
  private readonly liveRegion: HTMLDivElement
  private readonly tip: Tip
  private readonly pointElsewhere: (...at: Pointed[]) => void
  private row = 0 // pixels
  private width = 0
  private height = 0
  private strokes: Strokes // of all tokens
  private alone: Strokes // of the token in focus
  private pointed: Token | null = null
  private focused: Token | null = null
  private linked: Token | null = null // under the pointer in another view
  private focusShown = ""

  /** `tall`: whether the rows of a long input need not fit the screen. */
  constructor(
    private readonly root: HTMLElement,
    private readonly settings: LinesSettings,
    private readOut: ReadOut,
    private colours: Colours,
    public tall: boolean,
  ) {
    const { sheet, weights } = readOut
    const { words } = sheet
    this.controls = this.buildControls()
    const bar = element("div", "status-bar", root)
    this.status = element("div", "status", bar)
    this.unlockButton = button(bar, words.unlock, () => this.lock(null))
    this.unlockButton.classList.add("unlock")
    const field = element("div", "field", root)
    this.axes = ["query-axis", "sense", "key-axis"].map((name) => element("div", name, field))
    const query = this.buildSide(field, "query", weights.queries)
    this.middle = element("div", "middle", field)
    this.overview = new StrokeCanvas(element("canvas", "overview", this.middle))
    this.front = new StrokeCanvas(element("canvas", "front", this.middle))
    this.sides = { query, key: this.buildSide(field, "key", weights.keys) }
    this.legend = element("div", "legend", root)
    this.table = new Fold(root, (holder) => fillLocked(holder, this.readOut))
    this.table.title.textContent = words.table
    this.liveRegion = buildLiveRegion(root)
    this.tip = new Tip(root)
    this.pointElsewhere = linkTokens(field, (at) => this.markLinked(at))
    this.strokes = this.alone = strokesOf(weights, [], { focus: null, most: 0, row: 1, width: 0 })
    this.open(readOut, colours)
  }

  private buildControls(): LinesControls {
    const { sheet, weights } = this.readOut
    const set = (pressed: boolean) => {
      this.tall = pressed
      this.draw()
    }
    return new LinesControls(this.root, this.settings, sheet, {
      tall: isLong(Math.max(weights.queries, weights.keys)) ? { pressed: this.tall, set } : undefined,
      saveSvg: () => saveSvg(this.drawing(), this.root),
      savePng: () => savePng(this.drawing(), this.root),
    })
  }

  private buildSide(field: ParentNode, side: Side, count: number): TokenList {
    return new TokenList(field, side, count, {
      point: (token, event) => this.point(token, event),
      press: (token) => this.toggleLock(token),
      type: (event, token) => this.typed(event, token),
      focus: (token, shown) => this.follow(token, shown),
    })
  }

  /** Shows another sheet of the same layout, or another theme; `show` draws it. */
  open(readOut: ReadOut, colours: Colours): void {
    const { queryAxis, keyAxis, words } = readOut.sheet
    this.readOut = readOut
    this.colours = colours
    const kinds = tokensIn(readOut.sheet.languages)
    this.sides.query.name(filled(words.side, { axis: queryAxis }), readOut.names.query, kinds[0])
    this.sides.key.name(filled(words.side, { axis: keyAxis }), readOut.names.key, kinds[1])
    for (const [place, text] of [queryAxis, words.sense, keyAxis].entries()) this.axes[place]!.textContent = text
    this.pointed = null
  }

  /** Shows other choices; `lockedOnly`: only another token is locked. */
  show(readOut: ReadOut, lockedOnly: boolean): void {
    this.readOut = readOut
    this.controls.follow(readOut.view, this.colours.styles)
    if (lockedOnly) this.showFocus(true)
    else this.draw()
  }

  /** Draws the lines again if there is more or less room for them. */
  followWidth(): void {
    if (this.middle.clientWidth !== this.width) this.draw()
  }

  draw(): void {
    const { weights, maps } = this.readOut
    const most = Math.max(weights.queries, weights.keys)
    this.row = rowHeight(most, this.tall)
    this.height = most * this.row
    this.root.style.setProperty("--row", `${this.row}px`) // before the width is read, to avoid a second layout
    this.setCells()
    this.root.classList.toggle("dense", this.row < NEAR)
    const width = this.middle.clientWidth
    if (!width) return
    if (width !== this.width) {
      this.width = width
      this.setCells()
    }
    this.strokes = strokesOf(weights, maps, { focus: null, most: MOST_LINES, row: this.row, width })
    this.paint(this.overview, this.strokes)
    this.showFocus(true)
  }

  private setCells(): void {
    this.root.style.setProperty("--cells", `${cellsWidth(this.width, this.readOut.maps.length)}px`)
  }

  /** Paints lines; returns canvas pixels per page pixel, across and down. */
  private paint(layer: StrokeCanvas, strokes: Strokes): [across: number, down: number] {
    const { width, height, colours } = this
    const down = strokes.count > MANY ? 1 : Math.min(2, window.devicePixelRatio || 1)
    const across = strokes.count > MANY ? 1 / 3 : down // the ends of so many lines are not visible
    layer.paint(strokes, { width, height, across, down, ...colours })
    layer.canvas.style.width = `${width}px`
    layer.canvas.style.height = `${height}px`
    return [across, down]
  }

  /** Draws one cell per map next to each token of the other side; opacity is the weight. */
  private paintCells(focus: Token, [across, down]: readonly [number, number]): void {
    const { row } = this
    const { maps, weights } = this.readOut
    const pen = this.front.canvas.getContext("2d")!
    pen.setTransform(across, 0, 0, down, 0, 0)
    const wide = cellsWidth(this.width, maps.length)
    const cell = wide / maps.length
    const left = focus.side === "query" ? this.width - wide : 0
    const count = this.sides[otherSide(focus)].count
    const gap = cell >= 4 ? 1 : 0
    maps.forEach((map, column) => {
      pen.fillStyle = this.colours.styles[map % weights.heads]![0]
      for (let place = 0; place < count; place++) {
        const weight = weights.between(map, focus, place)
        if (weight < FAINT) continue
        pen.globalAlpha = weight
        pen.fillRect(left + column * cell, place * row + 0.1 * row, cell - gap, 0.8 * row)
      }
    })
  }

  /** What is on the screen, for a picture. */
  private drawing(): Drawing {
    const { readOut, focus, row, width, height, colours } = this
    return { readOut, focus, strokes: this.strokesShown(), row, width, height, ...colours }
  }

  private strokesShown(): Strokes {
    return this.focus ? this.alone : this.strokes
  }

  /** The token whose lines are shown alone: the locked one, else the one under the pointer or with the focus. */
  private get focus(): Token | null {
    return this.ownFocus ?? this.linked
  }

  private get ownFocus(): Token | null {
    return this.readOut.view.locked ?? this.pointed ?? this.focused
  }

  /** Marks the token in focus in the page's other views. */
  private tellFocus(): void {
    const focus = this.ownFocus
    this.linked = null
    this.pointElsewhere(...(focus ? [calledIn(this.readOut.called[focus.side], focus.place)] : []))
  }

  private markLinked(at: readonly Pointed[]): void {
    const { called } = this.readOut
    const [query, key] = linkedCell(at, called.query, called.key)
    this.linked = query >= 0 ? { side: "query", place: query } : key >= 0 ? { side: "key", place: key } : null
    this.showFocus()
  }

  private point(pointed: Token | null, event?: PointerEvent): void {
    const moved = JSON.stringify(pointed) !== JSON.stringify(this.pointed)
    this.pointed = pointed
    if (moved) {
      this.tellFocus()
      this.showFocus()
    }
    this.showPair(pointed, event?.clientY)
  }

  /** Shows the token with the focus if the keyboard moved it there; null for none. */
  private follow(token: Token | null, shown: HTMLElement | null): void {
    this.focused = token && shown?.matches(":focus-visible") ? token : null
    this.tellFocus()
    this.showFocus()
    this.showPair(this.focused, shown?.getBoundingClientRect().top)
    if (!this.focused) return
    const { readOut, tip } = this
    this.liveRegion.textContent = readOut.view.locked ? tip.box.innerText : readOut.describe(this.focused)
  }

  private toggleLock(token: Token): void {
    const { locked } = this.readOut.view
    this.lock(locked?.side === token.side && locked.place === token.place ? null : token)
  }

  private lock(locked: Token | null): void {
    this.settings.change({ locked }, true)
    this.tellFocus()
    this.tip.hide()
    this.liveRegion.textContent = locked ? this.readOut.describeLocked(locked) : this.readOut.sheet.words.unlocked
  }

  private typed(event: KeyboardEvent, token: Token): void {
    const list = this.sides[token.side]
    const step = arrowStep(event.key)
    if (event.key === "Enter" || event.key === " ") this.toggleLock(token)
    else if (event.key === "Escape" && this.readOut.view.locked) this.lock(null)
    else if (event.key === "Home") list.focus(0)
    else if (event.key === "End") list.focus(list.count - 1)
    else if (step?.[0]) list.focus(token.place + step[0])
    else if (step) this.sides[step[1] > 0 ? "key" : "query"].focus(token.place)
    else return
    event.preventDefault()
  }

  /** While a token is locked, each token of the other side shows the weights between the two, head by head. */
  private showPair(other: Token | null, y = 0): void {
    const { tip, readOut } = this
    const { locked } = readOut.view
    tip.hide()
    if (!locked || !other || other.side === locked.side || !readOut.maps.length) return
    fillPair(tip.box, readOut, this.colours.styles, [locked, other])
    tip.box.hidden = false
    // placed among the lines, where it covers neither tokens nor weights
    const { left, right } = this.middle.getBoundingClientRect()
    const slot = slotWidth(this.width, readOut.maps.length)
    tip.show(other.side === "query" ? left + slot : right - slot - tip.box.offsetWidth - 28, y)
  }

  private showFocus(again = false): void {
    if (!this.width) return
    const { focus, readOut } = this
    const { locked } = readOut.view
    const name = JSON.stringify(focus)
    if (name === this.focusShown && !again) return
    this.focusShown = name
    this.root.classList.toggle("focused", Boolean(focus))
    this.root.dataset.focus = focus ? `${focus.side} ${focus.place}` : ""
    this.unlockButton.disabled = !locked
    this.root.classList.toggle("locked", Boolean(locked))
    writeSentence(this.status, locked ? readOut.describeLocked(focus) : readOut.describe(focus))
    for (const side of Object.values(this.sides)) side.show(readOut, focus, this.row)
    this.table.follow()
    if (focus) {
      const { row, width } = this
      this.alone = strokesOf(readOut.weights, readOut.maps, { focus, most: MOST_ALONE, row, width })
      this.paintCells(focus, this.paint(this.front, this.alone))
    }
    this.legend.textContent = readOut.explain(this.strokesShown())
  }
}
