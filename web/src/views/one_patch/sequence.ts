/** All patches of a picture in order, after CLS, the selected one marked. */

import { linkTokens, PICTURE, type Pointed } from "../../core/brushing"
import { element, filled, markData } from "../../core/dom"
import { paintPicture } from "../../core/painting"
import { cutPatch, type Patches } from "./patches"
import type { Payload } from "./payload"

export class PatchSequence {
  private readonly squares: readonly HTMLSpanElement[]
  private readonly canvases: readonly HTMLCanvasElement[]
  private readonly announce: (...at: Pointed[]) => void

  constructor(root: HTMLElement, { grid: [rows, columns], words, first, hue }: Payload) {
    root.setAttribute("role", "list")
    root.style.setProperty("--hue", hue)
    const item = (title: string) => {
      const node = element("span", "", root)
      node.setAttribute("role", "listitem")
      node.title = title
      return node
    }
    Object.assign(markData(item(words.cls), "token"), { className: "cls", textContent: first })
    this.squares = Array.from({ length: rows * columns }, (_, place) => {
      const patch = filled(words.patch, { row: Math.floor(place / columns) + 1, column: (place % columns) + 1 })
      const square = item(filled(words.position, { position: place + 1, patch }))
      square.className = "square"
      square.onpointerenter = () => this.pointAt([PICTURE, place])
      square.onpointerleave = () => this.pointAt()
      return square
    })
    this.canvases = this.squares.map((square) => element("canvas", "pixels", square))
    this.announce = linkTokens(root, (at) => this.markLinked(at))
  }

  paint(patches: Patches): void {
    const { size } = patches
    this.canvases.forEach((canvas, place) => paintPicture(canvas, cutPatch(patches, place), [size, size]))
  }

  /** Marks the selected patch. */
  select(selected: number): void {
    this.squares.forEach((square, place) => square.classList.toggle("chosen", place === selected))
  }

  private pointAt(...at: Pointed[]): void {
    this.markLinked(at)
    this.announce(...at)
  }

  private markLinked(at: readonly Pointed[]): void {
    const marked = at.find(([name]) => name === PICTURE)?.[1] ?? -1
    this.squares.forEach((square, place) => square.classList.toggle("at", place === marked))
  }
}
