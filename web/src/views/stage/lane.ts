/** An opened layer: one lane of stations, each with numbers of the held place and a link to its page. */

import { button, element, keyHandler, markData, setAttributes, svgElement } from "../../core/dom"
import type { Answer, Requests } from "../../core/requests"
import type { StageAnswers } from "./answers"
import { drawBand, foldRibbons, type Strand } from "./band"
import { kindIn, type KindName, type MapChoice } from "./payload"
import { querySide, sameFocus, type Focus } from "./reading"
import type { Chosen } from "../../core/choosing"

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
    const { title = taken.answer.reason ?? "", note = "", stations = [] } = taken.answer
    this.title.textContent = title
    this.note.textContent = note
    setAttributes(this.root, { role: "region", "aria-label": title })
    setAttributes(this.shut, { "aria-label": words.closeLayer, title: words.closeLayer })
    this.list.replaceChildren()
    for (const station of stations) this.build(station)
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

  private build({ title, link, text, rows }: Station): void {
    const item = element("li", "", this.list)
    const anchor = element("a", "", item)
    anchor.href = link
    anchor.textContent = title
    element("p", "", item).textContent = text
    if (!rows.length) return
    const body = element("tbody", "", element("table", "", item))
    for (const [label, number, share] of rows) {
      const row = element("tr", "", body)
      const name = markData(element("th", "", row), "token")
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
