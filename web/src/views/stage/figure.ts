/** The drawing of the stage: tokens as buttons; ribbons, bars and arcs as one SVG. */

import { button, element, keyHandler, markData, setAttributes, svgElement, tokenIn } from "../../core/dom"
import { buildHatching, drawBar, drawEdge, drawGrip, lineAt, measuring, placeNumber, put, visible } from "./elements"
import { layOut, type Layout, type Room } from "./layout"
import { Former } from "./former"
import { arc, EnglishEnds, ribbon, type Line } from "./paths"
import type { FigurePayload, KindName } from "./payload"
import type { Attention, FigureEvents, Scene } from "./scene"
import { columnOf, keyOfToken, querySide, rowOf, visibleKeys, weightText, type Focus } from "./reading"
import { pulledRow } from "./pull"
import { arcsAtRest, atRest, HELD_LEAST, ofHeld, type Part } from "./strongest"

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
