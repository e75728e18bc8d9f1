/** Base class of the panels of a step view. A panel is painted once and then follows the sliders. */

import type { Theme } from "../../core/colour"
import { element, markData } from "../../core/dom"
import type { Tip } from "../../core/tooltip"
import { writeFormula } from "./caption"
import type { Axis, Content, PanelHeader, Places } from "./content"
import { grouped } from "../../core/numbers"
import { signedDigits } from "./format"

/** What panels and sliders need of their view. */
export interface SteppedView {
  readonly places: Places
  readonly theme: Theme | undefined
  readonly tip: Tip | undefined
  readonly unsent: AbortController | undefined
  move: (places: Places, tell?: boolean) => void
  tellPlaces: () => void
}

export abstract class StepPanel<About extends PanelHeader> {
  readonly root: HTMLElement
  /** Writes the numbers of the title anew. */
  readonly followTitle: () => void

  /** `content` and `about` are replaced when a new payload has the same layout. */
  constructor(
    protected readonly view: SteppedView,
    public content: Content,
    public about: About,
    parent: ParentNode,
  ) {
    this.root = element("figure", about.is, parent)
    this.root.classList.toggle("wide", about.wide)
    const finding = "finding" in about ? about.finding : ""
    const caption = finding || about.name ? element("figcaption", "", this.root) : undefined
    if (caption && !finding) caption.textContent = about.name ?? "" // may be a user's text: no placeholders
    this.followTitle = caption && finding ? this.writeText(caption, finding) : () => {}
  }

  /** Writes a text with placeholders into `parent`; returns what writes them anew. */
  protected writeText(parent: HTMLElement, text: string): () => void {
    return writeFormula(parent, text, {
      content: () => this.content,
      place: (axis) => this.view.places[axis] ?? 0,
      written: (array) => this.written(array, this.number(array)),
    })
  }

  /** Shows the sliders' positions. */
  abstract follow(): void

  paint(): void {}

  fit(): void {}

  /** The number at the sliders' positions, some replaced by `places`; NaN if there is none. */
  protected number(key: string, places: Places = {}): number {
    return this.content.numbers[key]?.at({ ...this.view.places, ...places }) ?? NaN
  }

  /** A number as text; `nothing` if there is none. */
  protected written(key: string, value: number, nothing = ""): string {
    if (Number.isNaN(value) && nothing) return nothing
    return this.content.header.whole.includes(key) ? grouped(value) : signedDigits(value)
  }

  /** The positions of an array's axes that are not drawn; the picture depends on these only. */
  protected undrawnPlaces(key: string, drawn: readonly string[]): string {
    const undrawn = this.content.numbers[key]?.dims.filter((dim) => !drawn.includes(dim)) ?? []
    return undrawn.map((dim) => this.view.places[dim]).join()
  }
}

/** The labels of an axis that are written next to what is drawn along it. */
export function buildLabels(parent: ParentNode, axis: Axis): HTMLSpanElement[] {
  return (axis.beside ? axis.labels : []).map((label) => {
    const node = markData(element("span", "", parent), axis.said)
    node.textContent = label
    return node
  })
}
