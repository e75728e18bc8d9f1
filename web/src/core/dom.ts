/** Elements, events and texts of a component. */

import { isolated } from "./labels"
import { grouped } from "./numbers"

const COMPOSING = 229 // code of the keys that an input method takes

/** What a text is that is data, not a text of the page. */
export type DataKind = "token" | `token ${string}` | "number" | "name" | ""

/** A token of a language, of which the code follows; of an unknown one if that is empty. */
export function tokenIn(language = ""): DataKind {
  return language ? `token ${language}` : "token"
}

/** Size of the page's text over 16 pixels: larger when presenting, or as the reader's browser has it. */
export function measureTextScale(): number {
  return (parseFloat(getComputedStyle(document.documentElement).fontSize) || 16) / 16
}

/** A new element, appended to `parent`. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className = "",
  parent?: ParentNode | null,
): HTMLElementTagNameMap[Tag] {
  const node = document.createElement(tag)
  if (className) node.className = className
  parent?.append(node)
  return node
}

/** A new button, appended to `parent`. */
export function button(parent: ParentNode, text: string, act: (event: MouseEvent) => void): HTMLButtonElement {
  const node = element("button", "", parent)
  node.type = "button"
  node.textContent = text
  node.onclick = act
  return node
}

/** A new element of a drawing, appended to `parent`. */
export function svgElement<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number>>,
  parent: ParentNode,
): SVGElementTagNameMap[Tag] {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag)
  setAttributes(node, attributes)
  parent.append(node)
  return node
}

/** Sets attributes of an element. */
export function setAttributes(node: Element, attributes: Readonly<Record<string, string | number | boolean>>): void {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value))
}

/**
 * A text of the page with `values` for its placeholders in braces; of counts, the digits are grouped, and texts in Arabic or
 * Hebrew change the order of nothing around them. `{count:token|tokens}` is the form for 1 or for every other count, as in
 * views/text/particles.py.
 */
export function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)(?::([^{}|]*)\|([^{}|]*))?\}/g, (place, name: string, one?: string, many?: string) => {
    const value = values[name] ?? place
    if (one !== undefined && many !== undefined) return String(value) === "1" ? one : many
    return Number.isInteger(value) ? grouped(Number(value)) : isolated(String(value))
  })
}

/** A text with nodes in its placeholders, in the order of the language. */
export function filledNodes(text: string, nodes: Readonly<Record<string, Node>>): (string | Node)[] {
  return text.split(/\{(\w+)\}/).map((part, place) => (place % 2 ? (nodes[part] ?? `{${part}}`) : part))
}

/**
 * Marks an element that shows data, not text of the page: a token, which browsers do not translate and screen readers read in
 * its language, a number or a name.
 */
export function markData<Shown extends HTMLElement | SVGElement>(shown: Shown, kind: DataKind = ""): Shown {
  const [said, language] = kind.split(" ")
  if (said) shown.dataset.said = said
  if (language) shown.setAttribute("lang", language) // else the page's
  if (said === "token") shown.setAttribute("translate", "no")
  return shown
}

/** A span with such data, next to text of the page. */
export function dataText(text: string, kind: DataKind): HTMLSpanElement {
  const shown = markData(document.createElement("span"), kind)
  shown.textContent = text
  return shown
}

/**
 * A handler of keys that gets none with which a text is being composed, such as the Enter that ends a Hangul syllable: those
 * belong to the input method. Some browsers mark the first and the last of them by their code alone.
 */
export function keyHandler<Handled>(handle: (event: KeyboardEvent) => Handled): (event: KeyboardEvent) => Handled | undefined {
  return (event) => (event.isComposing || event.keyCode === COMPOSING ? undefined : handle(event))
}

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

/** Row and column that an arrow key adds; undefined for any other key. */
export function arrowStep(key: string): readonly [number, number] | undefined {
  return ARROWS[key]
}

/** Row and column under the pointer, in an element of so many cells; out of range if it is outside. */
export function pointedCell(
  { clientX, clientY }: Readonly<{ clientX: number; clientY: number }>,
  shown: Element,
  [rows, columns]: readonly [number, number],
): [number, number] {
  const { left, top, width, height } = shown.getBoundingClientRect()
  return [Math.floor(((clientY - top) / height) * rows), Math.floor(((clientX - left) / width) * columns)]
}

/**
 * While a slider is dragged the browser follows; the value is sent when it is released, or after a key. A pending earlier
 * choice of `view` is delayed until then too.
 */
export function followDrag(
  view: { readonly unsent: AbortController | undefined },
  slider: HTMLInputElement,
  follow: () => void,
  tell: () => void,
): void {
  let moved = false
  slider.oninput = () => {
    moved = true
    view.unsent?.abort()
    follow()
  }
  slider.onchange = slider.onpointerup = () => {
    if (moved) tell()
    moved = false
  }
}
