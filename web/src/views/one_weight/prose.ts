/** Prose of the page with numbers and tokens in it. */

import { element } from "../../core/dom"

const PARTS = /\*\*(.+?)\*\*|\[(.+?)\]\((\S+) "(.*?)"\)|\{(\w+)\}|[^*[{]+|./gs

/** Functions that make the elements for placeholders. */
export type Fillers = Readonly<Record<string, () => Node>>

/** Writes prose into an element: bold text, links with titles, and placeholders, which `values` fill. */
export function writeProse(parent: HTMLElement, text: string, values: Fillers = {}): void {
  for (const [whole, bold, linked, address, title, name] of text.matchAll(PARTS)) {
    if (bold) writeProse(element("b", "", parent), bold, values)
    else if (linked) {
      const link = element("a", "", parent)
      link.setAttribute("target", "_blank")
      link.href = address ?? ""
      link.title = new DOMParser().parseFromString(title ?? "", "text/html").body.textContent
      writeProse(link, linked, values)
    } else parent.append((name && values[name]?.()) || whole)
  }
}
