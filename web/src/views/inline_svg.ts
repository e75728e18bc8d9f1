/** Inserts the elements of an SVG file into the page, where they can use the page's colours. */

import { markShown, type Mounted } from "../core/component"
import { adoptStyles } from "../core/styles"
import { setAttributes } from "../core/dom"
import style from "./inline_svg.css"

const shown = new WeakMap<Element, string>() // the element around a drawing -> its SVG file

export default function mountDrawing({ data, parentElement }: Mounted<{ svg: string }>): void {
  const root = parentElement.querySelector<HTMLElement>(".drawing-root")
  if (!root) return
  markShown(parentElement instanceof ShadowRoot ? parentElement.host : parentElement)
  if (shown.get(root) === data.svg) return
  adoptStyles(parentElement, [style])
  const parsed = new DOMParser().parseFromString(data.svg, "image/svg+xml").documentElement
  root.replaceChildren(document.importNode(parsed, true))
  shown.set(root, data.svg)
  for (const name of root.getAttributeNames()) if (name !== "class") root.removeAttribute(name)
  const width = parsed.getAttribute("width")
  root.style.setProperty("--drawn", width ? `${Number(width) / 16}rem` : "100%")
  if (!width) return
  // A drawing wider than the page can be scrolled with the keyboard.
  root.tabIndex = 0
  setAttributes(root, { role: "region", "aria-label": String(parsed.getAttribute("aria-label")) })
}
