/** The drawing of the stage: tokens as buttons; ribbons, bars and arcs as one SVG. */

import type { Theme } from "../../core/colour"
import { button, element, keyHandler, markData, setAttributes, svgElement, tokenIn } from "../../core/dom"
import { type Box, type Layout, type Room, layOut } from "./layout"
import { type FigurePayload, Former, KINDS, type KindHeader, type KindName } from "./payload"
import { HELD_LEAST, type Part, arcsAtRest, atRest, ofHeld, pulledRow, restOf } from "./pulling"
import { type Focus, columnOf, keyOfToken, querySide, rowOf, visibleKeys, weightText } from "./reading"
import type { Attention, FigureEvents, Scene } from "./scene"

/* Placing, measuring and patterns of the figure. */

const GRIP = 14 // design pixels

export function put(shown: HTMLElement, box: Box): void {
  const { x, y, width, height } = box
  Object.assign(shown.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` })
}

/** Puts a number at a token; `inside`: on the side of the ribbons, `after`: below in rows, right in columns. */
export function placeNumber(number: HTMLElement, { rows, unit }: Layout, box: Box, inside: boolean, after: boolean): void {
  if (rows) {
    const y = after ? box.y + box.height + 2 : box.y - (inside ? 34 : 21) * unit
    return setPlace(number, box.x + box.width / 2, y, "-50%")
  }
  const x = after ? box.x + box.width + 3 : box.x - (inside ? 12 : 3) * unit
  setPlace(number, x, box.y + box.height / 2 - 10 * unit, after ? "0" : "-100%")
}

function setPlace(shown: HTMLElement, x: number, y: number, shift: string): void {
  shown.style.left = `${x}px`
  shown.style.top = `${y}px`
  shown.style.transform = `translateX(${shift})`
}

/** A token that is only a space is shown by a sign. */
export function visible(label: string): string {
  return label.trim() ? label : "\u2423"
}

/** Measures labels in the figure's font. */
export function measuring(field: Element, unit: number): (label: string) => number {
  const pen = document.createElement("canvas").getContext("2d")
  if (!pen) return (label) => 8 * unit * label.length
  pen.font = `${15 * unit}px ${getComputedStyle(field).fontFamily}`
  return (label) => pen.measureText(visible(label)).width
}

/** Puts a dashed edge around a ribbon or an arc of this kind, the last that was drawn. */
export function drawEdge({ path, width }: Line, parent: ParentNode, kind: KindName = "cross"): void {
  const drawn = parent.lastElementChild!
  drawn.classList.add("pulled")
  const edge = svgElement("path", { class: `edge ${kind}`, d: path, "stroke-width": width + 3 }, parent)
  drawn.before(edge)
}

/** Puts a wide invisible path on an arc, by which it is pulled. */
export function drawGrip({ path, width }: Line, parent: ParentNode, unit: number, at: Readonly<Record<string, string>>): void {
  svgElement("path", { class: "grip", d: path, "stroke-width": Math.max(width, GRIP * unit), ...at }, parent)
}

/** The token and the key whose ribbon or arc an event is on; -1 for the key if another kind is chosen. */
export function lineAt({ target }: Event, chosen: KindName | undefined): [Focus, number] | null {
  const { at, of = "cross" } = (target as SVGElement).dataset
  if (at === undefined) return null
  const [query, key] = at.split(" ").map(Number)
  return [{ side: querySide(of as KindName), place: query! }, of === chosen ? key! : -1]
}

/** The pattern of the part of a bar that is not drawn. */
export function buildHatching(svg: SVGSVGElement): void {
  const definitions = svgElement("defs", {}, svg)
  const pattern = svgElement("pattern", { id: "hatching", width: 5, height: 5, patternUnits: "userSpaceOnUse" }, definitions)
  pattern.setAttribute("patternTransform", "rotate(45)")
  svgElement("rect", { width: 1.5, height: 5, class: "hatch" }, pattern)
}

/** Draws the bar of a place: its parts, and hatching for the rest of it. */
export function drawBar({ bars, rows, bar }: Layout, place: number, parts: readonly Part[], parent: ParentNode): void {
  const box = bars[place]!
  const piece = (from: number, length: number, name: string) => {
    const along = rows
      ? { x: box.x + from * bar, y: box.y, width: Math.max(0, length * bar - 1), height: box.height }
      : { x: box.x, y: box.y + from * bar, width: box.width, height: Math.max(0, length * bar - 1) }
    svgElement("rect", { class: name, ...along }, parent)
  }
  const rest = restOf(parts)
  for (const part of parts) piece(part.from, part.weight, "part")
  if (rest > 0.005) piece(1 - rest, rest, "remainder")
}

/** Sets the colours of all kinds. */
export function colourKinds(root: HTMLElement, { kinds }: { readonly kinds: Readonly<Record<KindName, Pick<KindHeader, "scales">>> }, theme: Theme): void {
  for (const kind of KINDS) {
    const scale = kinds[kind].scales[theme]
    const at = (share: number) => scale[Math.round(share * (scale.length - 1))]!
    root.style.setProperty(`--${kind}`, at(0.56))
    root.style.setProperty(`--${kind}-ink`, at(0.82))
  }
}

/* The lines of ribbons and arcs, as SVG paths. */

/** A ribbon or an arc: its path, its width and its middle. */
export interface Line {
  readonly path: string
  readonly width: number
  readonly middle: readonly [x: number, y: number]
}

/** Where each ribbon ends at its English token: all weights of its column next to each other, in the order of places. */
export class EnglishEnds {
  private readonly before: Float32Array
  private readonly totals: Float32Array

  /** `weights` of all places and keys, row by row. */
  constructor(
    private readonly weights: Float32Array,
    private readonly keys: number,
  ) {
    this.before = new Float32Array(weights.length)
    this.totals = new Float32Array(keys)
    for (let cell = 0; cell < weights.length; cell++) {
      this.before[cell] = this.totals[cell % keys]!
      this.totals[cell % keys]! += weights[cell]!
    }
  }

  /** Distance from the token's middle, in pixels. */
  offset(place: number, key: number, { bar, english, english_room, rows, width }: Layout): number {
    const cell = place * this.keys + key
    const total = this.totals[key]! * bar
    const middle = english[key]!.x + english[key]!.width / 2
    const room = rows ? Math.min(english_room, 2 * middle, 2 * (width - middle)) : english_room
    const squeezed = total > room ? room / total : 1
    return ((this.before[cell]! + this.weights[cell]! / 2) * bar - total / 2) * squeezed
  }
}

/** The ribbon between a key and its part of a place's bar. */
export function ribbon(layout: Layout, ends: EnglishEnds, place: number, part: Part): Line {
  const key = layout.english[part.key]!
  const bar = layout.bars[place]!
  const width = Math.max(1, part.weight * layout.bar)
  const along = (part.from + part.weight / 2) * layout.bar
  const offset = ends.offset(place, part.key, layout)
  if (layout.rows) {
    const [x1, y1, x2, y2] = [key.x + key.width / 2 + offset, key.y + key.height, bar.x + along, bar.y]
    const half = (y1 + y2) / 2
    return { path: path(x1, y1, [x1, half, x2, half], x2, y2), width, middle: [(x1 + x2) / 2, half] }
  }
  const [x1, y1, x2, y2] = [key.x + key.width, key.y + key.height / 2 + offset, bar.x, bar.y + along]
  const half = (x1 + x2) / 2
  return { path: path(x1, y1, [half, y1, half, y2], x2, y2), width, middle: [half, (y1 + y2) / 2] }
}

/** The arc between two tokens of one side; on the outer side of the figure. */
export function arc(layout: Layout, side: "english" | "french", from: Box, to: Box, weight: number): Line {
  const width = Math.max(1, 6 * weight * layout.unit)
  const inner = 3 * layout.unit
  const sign = side === "english" ? -1 : 1
  if (layout.rows) {
    const [x1, x2] = [from.x + from.width / 2, to.x + to.width / 2]
    const y = side === "english" ? from.y - 1 : from.y + from.height + 1
    const high = y + sign * reach(layout, Math.abs(x1 - x2))
    return { path: path(x1, y, [x1, high, x2, high], x2, y), width, middle: [(x1 + x2) / 2, y + 0.75 * (high - y)] }
  }
  const x = side === "english" ? Math.min(...layout.english.map((box) => box.x)) - inner : frenchEdge(layout) + inner
  const [y1, y2] = [from.y + from.height / 2, to.y + to.height / 2]
  const far = x + sign * reach(layout, Math.abs(y1 - y2))
  return { path: path(x, y1, [far, y1, far, y2], x, y2), width, middle: [x + 0.75 * (far - x), (y1 + y2) / 2] }
}

function frenchEdge(layout: Layout): number {
  return Math.max(...layout.french.map((box) => box.x + box.width))
}

/** How far the control points of an arc are from its tokens: the arc itself reaches three quarters of that. */
function reach({ arcs, unit }: Layout, distance: number): number {
  return Math.min(1.25 * arcs, 18 * unit + 0.35 * distance)
}

type Four = readonly [number, number, number, number]

function path(x1: number, y1: number, [a, b, c, d]: Four, x2: number, y2: number): string {
  const [start, first, second, end] = [`${short(x1)} ${short(y1)}`, `${short(a)} ${short(b)}`, `${short(c)} ${short(d)}`, `${short(x2)} ${short(y2)}`]
  return `M${start}C${first} ${second} ${end}`
}

function short(value: number): number {
  return Math.round(10 * value) / 10
}

export class StageFigure {
  readonly field: HTMLDivElement
  layout: Layout | undefined
  private readonly svg: SVGSVGElement
  private readonly sides: Record<Focus["side"], HTMLDivElement>
  private readonly numbers: HTMLDivElement
  private tokens: Record<Focus["side"], HTMLButtonElement[]> = { english: [], french: [] }
  private start: HTMLSpanElement | undefined
  private rest: SVGGElement | undefined
  private front: SVGGElement | undefined
  private places: SVGGElement[] = [] // what is drawn of each French token at rest
  private ends: EnglishEnds | undefined
  private scene: Scene | undefined
  private readonly former = new Former() // what has the attention
  private readonly formerWeight = new Former()

  constructor(
    parent: ParentNode,
    private readonly events: FigureEvents,
  ) {
    this.field = element("div", "field", parent)
    this.svg = svgElement("svg", { "aria-hidden": "true" }, this.field)
    this.numbers = element("div", "weights", this.field)
    this.numbers.setAttribute("aria-hidden", "true")
    this.sides = { english: this.buildSide("english"), french: this.buildSide("french") }
    this.svg.onpointermove = (event) => this.pointLine(event)
    this.svg.onpointerleave = () => events.point(null)
    this.svg.onpointerdown = (event) => this.pressLine(event)
  }

  private buildSide(side: Focus["side"]): HTMLDivElement {
    const holder = element("div", `side ${side}`, this.field)
    holder.setAttribute("role", "group")
    const at = ({ target }: Event): Focus | null => {
      const place = this.tokens[side].indexOf((target as Element).closest("button")!)
      return place < 0 ? null : { side, place }
    }
    holder.onpointerover = (event) => event.pointerType !== "touch" && this.events.point(at(event))
    holder.onpointerleave = (event) => event.pointerType !== "touch" && this.events.point(null)
    holder.onclick = (event) => {
      const focus = at(event)
      if (focus) this.events.press(focus)
    }
    holder.onkeydown = keyHandler((event) => {
      const focus = at(event)
      if (focus) this.events.type(event, focus)
    })
    holder.addEventListener("focusin", (event) => {
      const focus = at(event)
      if (focus) this.follow(focus)
      this.events.focus(focus && (event.target as Element).matches(":focus-visible") ? focus : null)
    })
    holder.addEventListener("focusout", () => this.events.focus(null))
    return holder
  }

  /** One token of each side is in the order of the Tab key. */
  private follow({ side, place }: Focus): void {
    this.tokens[side].forEach((token, other) => (token.tabIndex = other === place ? 0 : -1))
  }

  /** Moves the keyboard's focus to a token, the nearest if there is none at `place`. */
  moveTo({ side, place }: Focus): void {
    const tokens = this.tokens[side]
    tokens[Math.max(0, Math.min(tokens.length - 1, place))]?.focus()
  }

  /** The token with the keyboard's focus, which other tokens replace after a pull. */
  private focusedToken(): Focus | null {
    const { activeElement } = this.field.getRootNode() as Document | ShadowRoot
    for (const side of ["english", "french"] as const) {
      const place = this.tokens[side].findIndex((token) => token === activeElement)
      if (place >= 0) return { side, place }
    }
    return null
  }

  /** Draws a scene at rest. */
  draw(scene: Scene, room: Room): void {
    const { payload } = scene
    const measure = measuring(this.field, room.unit)
    const french = [payload.start, ...payload.french]
    const layout = (this.layout = layOut({ ...room, english: payload.english.map(measure), french: french.map(measure) }))
    const focused = this.focusedToken()
    if (this.scene?.payload !== payload) this.buildTokens(payload)
    if (focused) this.moveTo(focused)
    this.scene = scene
    this.field.classList.toggle("columns", !layout.rows)
    this.field.style.width = layout.rows ? "" : `${layout.width}px`
    this.field.style.height = `${layout.height}px`
    this.field.style.setProperty("--pitch", `${layout.pitch}px`)
    setAttributes(this.svg, { width: layout.width, height: layout.height })
    this.tokens.english.forEach((token, place) => put(token, layout.english[place]!))
    if (this.start) put(this.start, layout.french[0]!)
    this.tokens.french.forEach((token, place) => put(token, layout.french[place + 1]!))
    this.ends = new EnglishEnds(scene.maps.cross, payload.english.length)
    this.svg.replaceChildren()
    buildHatching(this.svg)
    this.rest = svgElement("g", { class: "rest" }, this.svg)
    this.front = svgElement("g", { class: "front" }, this.svg)
    this.drawRest(scene, layout, this.rest)
  }

  private buildTokens(payload: FigurePayload): void {
    const { words } = payload
    const build = (side: Focus["side"], labels: readonly string[]) => {
      const holder = this.sides[side]
      const language = side === "english" ? "en" : "fr"
      holder.replaceChildren()
      holder.setAttribute("aria-label", side === "english" ? words.english : words.french)
      if (side === "french") {
        this.start = markData(element("span", "token start", holder), tokenIn(language))
        this.start.textContent = payload.start
      }
      this.tokens[side] = labels.map((label, place) => {
        const token = markData(button(holder, visible(label), () => undefined), tokenIn(language))
        token.onclick = null // the side handles it
        token.className = "token"
        token.tabIndex = place ? -1 : 0
        if (side === "french") token.title = payload.maps.cross.queries[place]!
        return token
      })
    }
    build("english", payload.english)
    build("french", payload.french)
  }

  /** Names of the tokens for screen readers. */
  name(describe: (focus: Focus) => string): void {
    for (const side of ["english", "french"] as const) {
      this.tokens[side].forEach((token, place) => token.setAttribute("aria-label", describe({ side, place })))
    }
  }

  private drawRest(scene: Scene, layout: Layout, parent: SVGGElement): void {
    const { maps, payload } = scene
    const keys = payload.english.length
    this.places = payload.french.map(() => svgElement("g", { class: "place" }, parent))
    for (const [place, group] of this.places.entries()) {
      const parts = atRest(rowOf(maps.cross, place, keys))
      drawBar(layout, place, parts, group)
      for (const part of parts) {
        const line = this.drawRibbon(place, part, group)
        if (line && this.isPulled("cross", place, part.key)) drawEdge(line, group)
      }
    }
    for (const [side, count] of [["english", keys], ["french", payload.french.length]] as const) {
      for (let query = 0; query < count; query++) {
        const group = side === "french" ? this.places[query]! : parent
        for (const [key, weight] of this.restArcs(scene, side, query)) this.drawArc(side, [query, key], weight, group)
      }
    }
  }

  /** The keys and weights of a token's arcs at rest. */
  private restArcs({ kind, maps, payload }: Scene, side: Focus["side"], query: number): (readonly [number, number])[] {
    const own = side === "english" ? "encoder" : "decoder"
    const row = rowOf(maps[own], query, payload.maps[own].keys.length)
    return arcsAtRest(row, side === "english" ? query : -1, kind === own).map((key) => [key, row[key]!] as const)
  }

  private isPulled(kind: KindName, query: number, key: number): boolean {
    const { pulled } = this.scene?.payload ?? {}
    return pulled?.kind === kind && pulled.query === query && pulled.key === key
  }

  private drawRibbon(place: number, part: Part, parent: ParentNode): Line | null {
    const { layout, ends } = this
    if (!layout || !ends) return null
    const line = ribbon(layout, ends, place, part)
    svgElement("path", { class: "ribbon", d: line.path, "stroke-width": line.width, "data-at": `${place} ${part.key}` }, parent)
    return line
  }

  /**
   * An arc from a query to a key; keys of the decoder are its inputs, the first of which is the start. Where its kind is
   * chosen it can be pulled.
   */
  private drawArc(side: Focus["side"], [query, key]: readonly [number, number], weight: number, parent: ParentNode, picked = false): void {
    const { layout, scene } = this
    if (!layout || !scene) return
    const kind = side === "english" ? "encoder" : "decoder"
    const [from, to] =
      side === "english" ? [layout.english[query]!, layout.english[key]!] : [layout.french[query + 1]!, layout.french[key]!]
    if (from === to) return
    const line = arc(layout, side, from, to, weight)
    svgElement("path", { class: `arc ${kind}${picked ? " picked" : ""}`, d: line.path, "stroke-width": line.width }, parent)
    if (this.isPulled(kind, query, key)) drawEdge(line, parent, kind)
    if (kind === scene.kind) drawGrip(line, parent, layout.unit, { "data-at": `${query} ${key}`, "data-of": kind })
  }

  /** Shows the first `done` French tokens and the slot of the next one; null shows all. */
  reveal(done: number | null): void {
    const stop = this.tokens.french.findIndex((token) => token.tabIndex === 0)
    if (done !== null && stop > done) this.follow({ side: "french", place: done }) // a blank token cannot be reached by Tab
    this.tokens.french.forEach((token, place) => {
      token.classList.toggle("blank", done !== null && place > done)
      token.classList.toggle("open", place === done)
      this.places[place]?.toggleAttribute("hidden", done !== null && place >= done)
    })
  }

  /** Makes the tokens after a place faint, and hides what they attend to. */
  dimAfter(last: number): void {
    this.tokens.french.forEach((token, place) => {
      token.classList.toggle("later", place > last)
      this.places[place]?.toggleAttribute("hidden", place > last)
    })
  }

  /** The ribbon or the arc of the token that has the attention, to a key of the chosen kind. */
  line({ place }: Focus, key: number): SVGPathElement | null {
    return this.front?.querySelector<SVGPathElement>(`[data-at="${place} ${key}"]`) ?? null
  }

  /** The element of a French token. */
  slot(place: number): HTMLElement | null {
    return this.tokens.french[place] ?? null
  }

  /** Draws what has the attention in front of the rest. */
  show(attention: Attention): void {
    const { focus, held, key, weight } = attention
    const { front, scene, layout, field } = this
    if (!front || !scene || !layout) return
    const isNew = this.former.changed(front, focus?.side, focus?.place, held, key)
    if (!this.formerWeight.changed(weight) && !isNew) return
    this.numbers.replaceChildren()
    const own = scene.kind === "cross" ? 0 : 1 // of the two groups
    if (!isNew) return this.drawFocus(scene, layout, attention, front.children[own] as SVGGElement, scene.kind)
    front.replaceChildren()
    field.classList.toggle("focused", Boolean(focus))
    const picks = focus?.side === querySide(scene.kind) && key >= 0
    for (const side of ["english", "french"] as const) {
      this.tokens[side].forEach((token, place) => {
        const isOwn = focus?.side === side && focus.place === place
        token.classList.toggle("own", isOwn)
        token.classList.toggle("picked", picks && keyOfToken(scene.kind, focus.place, { side, place }) === key)
        setAttributes(token, { "aria-pressed": isOwn && held })
      })
    }
    for (const kind of ["cross", "decoder"] as const) this.drawFocus(scene, layout, attention, svgElement("g", {}, front), kind)
  }

  /** Draws the ribbons of the focus, or its arcs, in their group. */
  private drawFocus(scene: Scene, layout: Layout, { focus, key, weight }: Attention, group: SVGGElement, kind: KindName): void {
    group.replaceChildren()
    if (!focus) return
    const chosen = (kind === "cross") === (scene.kind === "cross") ? ([key, weight] as const) : ([-1, null] as const)
    if (kind !== "cross") this.drawArcs(scene, focus, chosen, group)
    else if (focus.side === "french") this.drawRow(scene, layout, focus.place, chosen, group)
    else if (scene.kind !== "encoder") this.drawColumn(scene, focus.place, group)
  }

  /** The row of a place, with its numbers unless its arcs have them. */
  private drawRow(
    scene: Scene,
    layout: Layout,
    place: number,
    [chosen, weight]: readonly [number, number | null],
    front: SVGGElement,
  ): void {
    const own = rowOf(scene.maps.cross, place, scene.payload.english.length)
    const row = weight === null || chosen < 0 ? own : pulledRow(own, chosen, weight)
    const parts = ofHeld(row, HELD_LEAST, chosen >= 0 ? chosen : undefined)
    const box = layout.bars[place]!
    svgElement("rect", { class: "ground", x: box.x, y: box.y, width: box.width, height: box.height }, front)
    drawBar(layout, place, parts, front)
    for (const part of parts) {
      const line = this.drawRibbon(place, part, front)
      if (line && part.key === chosen) front.lastElementChild!.classList.add("picked")
      if (line && this.isPulled("cross", place, part.key)) drawEdge(line, front)
      if (scene.kind !== "cross") front.lastElementChild!.classList.add("behind")
      else this.write("english", part.key, part.weight)
    }
  }

  /** The ribbons that end at an English token. */
  private drawColumn(scene: Scene, key: number, front: SVGGElement): void {
    const keys = scene.payload.english.length
    columnOf(scene.maps.cross, key, keys).forEach((weight, place) => {
      if (weight < HELD_LEAST) return
      const part = ofHeld(rowOf(scene.maps.cross, place, keys)).find((each) => each.key === key)!
      this.drawRibbon(place, part, front)
      this.write("french", place + 1, weight)
    })
  }

  /** The arcs of a token, with their numbers where their kind is chosen. */
  private drawArcs(
    scene: Scene,
    { side, place }: Focus,
    [chosen, weight]: readonly [number, number | null],
    front: SVGGElement,
  ): void {
    const own = side === "english" ? "encoder" : "decoder"
    const keys = scene.payload.maps[own].keys.length
    const before = rowOf(scene.maps[own], place, keys)
    const row = weight === null || chosen < 0 ? before : pulledRow(before, chosen, weight)
    const least = scene.kind === own ? HELD_LEAST : 0.08
    row.subarray(0, visibleKeys(own, place, keys)).forEach((each, key) => {
      const picked = scene.kind === own && key === chosen
      if (each < least && !picked) return
      this.drawArc(side, [place, key], each, front, picked)
      if (scene.kind === own) this.write(side, key, each)
    })
  }

  /** Writes a weight at a token; a French one counts with the start. */
  private write(side: Focus["side"], place: number, weight: number): void {
    const { layout, scene } = this
    if (!layout || !scene) return
    const number = element("span", scene.kind, this.numbers)
    number.textContent = weightText(weight, scene.payload.decimals)
    const inside = scene.kind === "cross"
    placeNumber(number, layout, layout[side][place]!, inside, (side === "english") === inside)
  }

  private pointLine(event: PointerEvent): void {
    if (event.pointerType === "touch") return
    const line = lineAt(event, this.scene?.kind)
    if (line) this.events.point(...line)
    else this.events.point(null)
  }

  private pressLine(event: PointerEvent): void {
    const line = lineAt(event, this.scene?.kind)
    if (line && line[1] >= 0) this.events.grab(...line, event)
  }
}
