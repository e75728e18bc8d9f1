/** A tooltip, and a live region that screen readers announce. */

import { element } from "./dom"

/** A tooltip at the pointer; each line has its own class. */
export class Tip {
  readonly box: HTMLDivElement
  private readonly lines: HTMLDivElement[]

  constructor(
    private readonly root: HTMLElement,
    ...lines: string[]
  ) {
    this.box = element("div", "tip", root)
    this.lines = lines.map((line) => element("div", line, this.box))
    this.hide()
  }

  /**
   * Shows it above the pointer and within its root's width; below the pointer if there is no room above. A line is a text
   * or several nodes.
   */
  show(x: number, y: number, ...texts: (string | readonly (string | Node)[])[]): void {
    this.lines.forEach((line, place) => line.replaceChildren(...[texts[place] ?? ""].flat()))
    this.box.hidden = false
    const frame = this.root.getBoundingClientRect()
    const left = Math.min(x - frame.left + 14, frame.width - this.box.offsetWidth)
    const above = y - frame.top - this.box.offsetHeight - 10
    this.box.style.left = `${Math.max(0, left)}px`
    this.box.style.top = `${above < 0 ? y - frame.top + 18 : above}px`
  }

  hide(): void {
    this.box.hidden = true
  }
}

/** A live region, whose text is announced by screen readers. */
export function buildLiveRegion(root: ParentNode): HTMLDivElement {
  const region = element("div", "heard", root)
  region.setAttribute("aria-live", "polite")
  return region
}
