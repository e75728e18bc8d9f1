/** Tables of numbers, in an element that scrolls and may be folded. */

import { element, markData, setAttributes, type DataKind } from "./dom"

/** An element that scrolls if it is too large, also with the keyboard. */
export function buildScroll(parent: ParentNode, name: string): HTMLDivElement {
  const scroll = element("div", "scroll", parent)
  scroll.tabIndex = 0
  setAttributes(scroll, { role: "region", "aria-label": name })
  return scroll
}

/** A table that is built by `fill(holder)` when it is opened. */
export class Fold {
  readonly fold: HTMLDetailsElement
  readonly title: HTMLElement
  readonly holder: HTMLDivElement

  constructor(
    root: ParentNode,
    private readonly fill: (holder: HTMLDivElement) => void,
  ) {
    this.fold = element("details", "numbers", root)
    this.title = element("summary", "", this.fold)
    this.holder = buildScroll(this.fold, "")
    this.fold.ontoggle = () => this.follow()
  }

  /** Builds the table again if it is open. */
  follow(): void {
    this.holder.replaceChildren()
    this.holder.setAttribute("aria-label", this.title.textContent)
    if (this.fold.open) this.fill(this.holder)
  }
}

/** A table of numbers: headings of the columns with their kinds, and rows that start with theirs, of one `kind`. */
export function buildTable(
  holder: ParentNode,
  columns: readonly (readonly [title: string, kind?: DataKind])[],
  rows: readonly (readonly [title: string, ...numbers: string[]])[],
  kind?: DataKind,
): HTMLTableElement {
  const table = element("table", "", holder)
  const head = element("tr", "", element("thead", "", table))
  for (const [title, headingKind] of columns) buildHeading(head, "col", title, headingKind)
  const body = element("tbody", "", table)
  for (const [title, ...numbers] of rows) {
    const line = element("tr", "", body)
    buildHeading(line, "row", title, kind)
    for (const number of numbers) element("td", "", line).textContent = number
  }
  return table
}

function buildHeading(line: HTMLTableRowElement, scope: "col" | "row", title: string, kind?: DataKind): void {
  const heading = markData(element("th", "", line), kind)
  heading.scope = scope
  heading.textContent = title
}
