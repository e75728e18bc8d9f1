/** An opened layer: one lane of stations, each with numbers of the held place and a link to its page. */

import type { Chosen } from "../../core/choosing"
import { button, element, keyHandler, markData, setAttributes, svgElement, tokenIn } from "../../core/dom"
import type { Answer, Requests } from "../../core/requests"
import { type KindName, type MapChoice, type StageAnswers, kindIn } from "./payload"
import { type Focus, querySide, sameFocus } from "./reading"

/*
 * The band along the stations of an opened layer, as wide as a bar is long: whole from the input on, a line for each key at the
 * scores, as wide as its weight from softmax on, and whole again from the weighted mean on. The ribbons of the held token fold
 * into it.
 */

const [SCORES, SOFTMAX, MEAN] = [2, 3, 4] // places of stations
const WHOLE = 24 // pixels of the weight 1
const MIDDLE = 18 // pixels from its edge
const FOLDING = 320 // milliseconds
const NUMBER = /-?\d+(?:\.\d+)?/g

/** A key in the opened row, and its weight. */
export interface Strand {
  readonly key: number
  readonly weight: number
}

/** Where the strands are at softmax: middles and widths around 0, in the order of keys. */
export function stacked(strands: readonly Strand[]): (Strand & { readonly y: number; readonly width: number })[] {
  const ordered = [...strands].sort((one, other) => one.key - other.key)
  let y = (-WHOLE * ordered.reduce((total, { weight }) => total + weight, 0)) / 2
  return ordered.map((strand) => {
    const width = WHOLE * strand.weight
    y += width
    return { ...strand, y: y - width / 2, width: Math.max(1, width) }
  })
}

/** A path between two of the same form, numbers mixed by `share`. */
export function between(one: string, other: string, share: number): string {
  const ends = (other.match(NUMBER) ?? []).map(Number)
  let place = 0
  return one.replace(NUMBER, (start) => {
    const end = ends[place++] ?? Number(start)
    return String(Math.round(10 * (Number(start) + (end - Number(start)) * share)) / 10)
  })
}

/**
 * Draws the band along stations whose middles are given, from left to right or downwards; returns the strands that ribbons
 * become, by their keys.
 */
export function drawBand(
  svg: SVGSVGElement,
  middles: readonly number[],
  strands: readonly Strand[],
  down = false,
): Map<number, SVGPathElement> {
  svg.replaceChildren()
  const [scores, softmax, mean] = [middles[SCORES], middles[SOFTMAX], middles[MEAN]]
  const folded = new Map<number, SVGPathElement>()
  if (scores === undefined || softmax === undefined || mean === undefined) return folded
  const piece = (path: string, width: number, name: string) =>
    svgElement("path", { class: name, d: path, "stroke-width": width }, svg)
  const at = (along: number, side: number) => (down ? `${side} ${along}` : `${along} ${side}`)
  const bend = (from: number, side: number, to: number, other: number) => {
    const half = (from + to) / 2
    return `M${at(from, side)}C${at(half, side)} ${at(half, other)} ${at(to, other)}`
  }
  const line = (from: number, to: number) => `M${at(from, MIDDLE)}L${at(to, MIDDLE)}`
  piece(line(middles[0]!, scores), WHOLE, "whole")
  piece(line(mean, middles.at(-1)!), WHOLE, "whole")
  for (const { key, y, width } of stacked(strands)) {
    piece(bend(scores, MIDDLE, softmax, MIDDLE + y), 1, "score")
    folded.set(key, piece(bend(softmax, MIDDLE + y, mean, MIDDLE), width, "strand"))
  }
  for (const along of middles) {
    const [cx, cy] = down ? [MIDDLE, along] : [along, MIDDLE]
    svgElement("circle", { class: "station", cx, cy, r: 4 }, svg)
  }
  return folded
}

/** A ribbon on the way to the strand that it becomes. */
export interface Fold {
  readonly from: string // path and width
  readonly width: number
  readonly strand: SVGPathElement
  readonly shift: readonly [x: number, y: number] // from the ribbon's drawing to the band's
}

/** Moves ribbons into their strands; those who prefer less motion see the strands at once. */
export function foldRibbons(folds: readonly Fold[], signal: AbortSignal): void {
  if (!folds.length || matchMedia("(prefers-reduced-motion: reduce)").matches) return
  const ends = folds.map(({ strand }) => [strand.getAttribute("d")!, Number(strand.getAttribute("stroke-width"))] as const)
  const starts = folds.map(({ from, shift }) => shifted(from, shift))
  const began = performance.now()
  const step = (now: number) => {
    const share = signal.aborted ? 1 : Math.min(1, Math.max(0, (now - began) / FOLDING))
    const eased = 1 - (1 - share) ** 3
    folds.forEach(({ strand, width }, place) => {
      const [path, end] = ends[place]!
      strand.setAttribute("d", share === 1 ? path : between(starts[place]!, path, eased))
      strand.setAttribute("stroke-width", String(width + (end - width) * eased))
    })
    if (share < 1) requestAnimationFrame(step)
  }
  step(began)
}

/** A path moved by x and y. */
export function shifted(path: string, by: readonly [number, number]): string {
  let place = 0
  return path.replace(NUMBER, (number) => String(Math.round(10 * (Number(number) + by[place++ % 2]!)) / 10))
}

/** What the server is asked, and its answer, see views/components/opened_layer.py. */
export interface LayerRequest extends MapChoice {
  readonly kind: KindName
  readonly query: number
  readonly text: string // the sentence
  readonly pulls: string // under which it is shown
}

export interface OpenedLayer extends Answer {
  readonly title?: string
  readonly note?: string
  readonly stations?: readonly Station[]
  readonly language?: string // of the tokens that rows name
}

interface Station {
  readonly title: string
  readonly link: string
  readonly text: string
  readonly rows: readonly (readonly [label: string, number: string, share: number | null])[]
  readonly keys?: readonly number[] // of rows with a share
}

interface LaneWords {
  readonly openLayer: string
  readonly closeLayer: string
}

interface LaneHost {
  readonly requests: Requests<LayerRequest>
  choice: (kind: KindName) => MapChoice
  about: () => Pick<LayerRequest, "text" | "pulls">
  leave: (focus: Focus) => void // gives the keyboard's focus back to a token
  ribbon: (focus: Focus, key: number) => SVGPathElement | null // that is drawn of a token
}

/** The kind whose row a token has: the chosen one if the token is its query. */
export function kindOfPlace({ side }: Focus, chosen: Chosen): KindName {
  const kind = kindIn(chosen)
  if (querySide(kind) === side) return kind
  return side === "english" ? "encoder" : "cross"
}

export class Lane {
  readonly root: HTMLElement
  private readonly title: HTMLHeadingElement
  private readonly note: HTMLParagraphElement
  private readonly list: HTMLOListElement
  private readonly shut: HTMLButtonElement
  private focus: Focus | null = null
  private readonly band: SVGSVGElement
  private strands: readonly Strand[] = []
  private folding = new AbortController()

  constructor(
    parent: ParentNode,
    private readonly host: LaneHost,
  ) {
    this.root = element("section", "lane", parent)
    this.root.hidden = true
    this.root.tabIndex = -1
    const head = element("div", "lane-head", this.root)
    this.title = element("h2", "", head)
    this.shut = button(head, "\u2715", () => this.leave())
    this.note = element("p", "", this.root)
    this.band = svgElement("svg", { class: "band", "aria-hidden": "true", width: 1, height: 1 }, this.root)
    this.list = element("ol", "", this.root)
    this.root.onkeydown = keyHandler((event) => {
      if (event.key !== "Escape") return
      event.stopPropagation()
      this.leave()
    })
  }

  /** Asks for the layer of a place; the newest request wins. */
  open(focus: Focus, chosen: Chosen): void {
    const kind = kindOfPlace(focus, chosen)
    this.focus = focus
    this.host.requests.ask({ kind, ...this.host.choice(kind), query: focus.place, ...this.host.about() })
  }

  /** Shows the answer to the newest request, once; of an outdated one nothing. */
  take(answers: StageAnswers | null, words: LaneWords): void {
    const taken = this.host.requests.take(answers?.layer)
    if (!taken || taken.answer.status === "outdated") return
    const { title = taken.answer.reason ?? "", note = "", stations = [], language } = taken.answer
    this.title.textContent = title
    this.note.textContent = note
    setAttributes(this.root, { role: "region", "aria-label": title })
    setAttributes(this.shut, { "aria-label": words.closeLayer, title: words.closeLayer })
    this.list.replaceChildren()
    for (const station of stations) this.build(station, language)
    this.strands = stations.flatMap(({ keys = [], rows }) => keys.map((key, place) => ({ key, weight: rows[place]?.[2] ?? 0 })))
    this.root.hidden = false
    this.root.focus({ preventScroll: true })
    this.root.scrollIntoView({ block: this.root.closest(".phone") ? "start" : "nearest" }) // a phone has no room for all of it
    this.fold(this.draw())
  }

  /** Draws the band along the stations, which are in one line or below each other; returns its strands by their keys. */
  draw(): Map<number, SVGPathElement> {
    this.folding.abort()
    const stations = [...this.list.children] as HTMLElement[]
    const down = !this.root.closest(".wide")
    const titles = stations.map(({ children }) => children[0] as HTMLElement)
    const middles = down
      ? stations.map(({ offsetTop }, place) => offsetTop + titles[place]!.offsetTop + titles[place]!.offsetHeight / 2)
      : stations.map(({ offsetLeft, offsetWidth }) => offsetLeft + offsetWidth / 2)
    setAttributes(this.band, { width: Math.max(1, this.root.clientWidth) })
    return this.root.hidden ? new Map<number, SVGPathElement>() : drawBand(this.band, middles, this.strands, down)
  }

  /** Folds the ribbons of the token, as they are drawn in the figure, into the band. */
  private fold(strands: Map<number, SVGPathElement>): void {
    const { focus, band, host } = this
    if (!focus || !band.getClientRects().length) return
    const { left, top } = band.getBoundingClientRect()
    const folds = [...strands].flatMap(([key, strand]) => {
      const ribbon = host.ribbon(focus, key)
      const drawing = ribbon?.ownerSVGElement?.getBoundingClientRect()
      if (!ribbon || !drawing) return []
      const shift = [drawing.left - left, drawing.top - top] as const
      return [{ from: ribbon.getAttribute("d")!, width: Number(ribbon.getAttribute("stroke-width")), strand, shift }]
    })
    this.folding = new AbortController()
    foldRibbons(folds, this.folding.signal)
  }

  private build({ title, link, text, rows }: Station, language?: string): void {
    const item = element("li", "", this.list)
    const anchor = element("a", "", item)
    anchor.href = link
    anchor.textContent = title
    element("p", "", item).textContent = text
    if (!rows.length) return
    const body = element("tbody", "", element("table", "", item))
    for (const [label, number, share] of rows) {
      const row = element("tr", "", body)
      const name = markData(element("th", "", row), tokenIn(language))
      name.scope = "row"
      name.textContent = label
      const cell = element("td", "", row)
      cell.textContent = number
      if (share !== null) element("span", "share", cell).style.setProperty("--share", String(share))
    }
  }

  /** Closes the lane where another token is held, or none. */
  follow(held: Focus | null): void {
    if (!sameFocus(held, this.focus)) this.close()
  }

  close(): void {
    this.root.hidden = true
    this.host.requests.drop() // an answer that is on its way is not shown
    this.focus = null
  }

  private leave(): void {
    const { focus } = this
    this.close()
    if (focus) this.host.leave(focus)
  }
}
