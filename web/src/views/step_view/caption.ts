/** Texts of a step view with placeholders for numbers and labels, which follow the sliders. */

import { element, markData } from "../../core/dom"
import { labelOf, type Content } from "./content"

/** A text, the number of an array, or an axis's position as its label or as a number from 1. */
type FormulaPart = { text: string } | { array: string } | { axis: string; counted: boolean }

/** The parts of a formula: `{key of an array}`, `{id of an axis}`, `{id#}`; anything else is text. */
export function formulaParts(text: string, { numbers, axes }: Pick<Content, "numbers" | "axes">): FormulaPart[] {
  return text.split(/(\{[^{}]+\})/).map((part) => {
    const name = part.startsWith("{") ? part.slice(1, -1) : ""
    if (name in numbers) return { array: name }
    if (name in axes) return { axis: name, counted: false }
    return name.endsWith("#") ? { axis: name.slice(0, -1), counted: true } : { text: part }
  })
}

/** What a text with placeholders shows at the moment. */
export interface Values {
  content: () => Content
  place: (axis: string) => number
  written: (array: string) => string
}

/** Writes a text into `parent`; returns what writes its numbers and labels anew. */
export function writeFormula(parent: HTMLElement, text: string, values: Values): () => void {
  const shown: (readonly [node: HTMLElement, write: () => string])[] = []
  for (const part of formulaParts(text, values.content())) {
    if ("text" in part) parent.append(part.text)
    else if ("array" in part) {
      shown.push([markData(element("b", "", parent), "number"), () => values.written(part.array)])
    } else {
      const axis = values.content().axes[part.axis]
      const kind = (!part.counted && axis?.said) || "number"
      const write = () => {
        const place = values.place(part.axis)
        return part.counted || !axis ? String(place + 1) : labelOf(axis, place)
      }
      shown.push([markData(element("b", "", parent), kind), write])
    }
  }
  return () => {
    for (const [node, write] of shown) node.textContent = write()
  }
}
