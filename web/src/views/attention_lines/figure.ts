/** The drawing of the lines: tokens on both sides, the lines between them, and what is read out of them. */

import { calledIn, linkedCell, linkTokens, type Pointed } from "../../core/brushing"
import { arrowStep, button, element, filled } from "../../core/dom"
import { tokensIn, writeSentence } from "../../core/labels"
import { Fold } from "../../core/table"
import { buildLiveRegion, Tip } from "../../core/tooltip"
import { LinesControls, type LinesSettings } from "./controls"
import { cellsWidth, FAINT, isLong, rowHeight, NEAR, slotWidth, strokesOf } from "./geometry"
import { fillPair } from "./pair"
import type { HeadStyle, Side, Token } from "./payload"
import type { Drawing } from "./picture"
import { otherSide, type ReadOut } from "./readout"
import { savePng, saveSvg } from "./saving"
import { StrokeCanvas, type Strokes } from "./strokes"
import { fillLocked } from "./table"
import { TokenList } from "./tokens"

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
