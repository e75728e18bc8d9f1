/** Formulas of a step view: a line of text with placeholders for numbers and labels. */

import { element, markData } from "../../core/dom"
import { labelOf, type Content, type FormulaHeader } from "./content"
import { StepPanel, type SteppedView } from "./panel"

/** A text, the number of an array, or an axis's position as its label or as a number from 1. */
export type FormulaPart = { text: string } | { array: string } | { axis: string; counted: boolean }

/** The parts of a formula: `{key of an array}`, `{id of an axis}`, `{id#}`; anything else is text. */
export function formulaParts(text: string, { numbers, axes }: Pick<Content, "numbers" | "axes">): FormulaPart[] {
  return text.split(/(\{[^{}]+\})/).map((part) => {
    const name = part.startsWith("{") ? part.slice(1, -1) : ""
    if (name in numbers) return { array: name }
    if (name in axes) return { axis: name, counted: false }
    return name.endsWith("#") ? { axis: name.slice(0, -1), counted: true } : { text: part }
  })
}

export class FormulaPanel extends StepPanel<FormulaHeader> {
  private readonly shown: (readonly [node: HTMLElement, write: () => string])[] = []

  constructor(view: SteppedView, content: Content, about: FormulaHeader, parent: ParentNode) {
    super(view, content, about, parent)
    for (const part of formulaParts(about.text, content)) {
      if ("text" in part) this.root.append(part.text)
      else if ("array" in part) this.addNumber(part.array)
      else this.addPlace(part.axis, part.counted)
    }
  }

  private addNumber(key: string): void {
    this.shown.push([markData(element("b", "", this.root), "number"), () => this.written(key, this.number(key))])
  }

  private addPlace(id: string, counted: boolean): void {
    const axis = this.content.axes[id]
    const kind = (!counted && axis?.said) || "number"
    const place = () => this.view.places[id] ?? 0
    const write = () => (counted || !axis ? String(place() + 1) : labelOf(axis, place()))
    this.shown.push([markData(element("b", "", this.root), kind), write])
  }

  override follow(): void {
    for (const [node, write] of this.shown) node.textContent = write()
  }
}
