/** The slider of one axis of a step view, with buttons for one step. */

import { button, element, filled, followDrag, markData } from "../../core/dom"
import { labelOf, type Axis, type Words } from "./content"
import type { SteppedView } from "./panel"

export class StepSlider {
  private readonly at: HTMLElement
  private readonly shown: HTMLElement
  private readonly input: HTMLInputElement
  private readonly back: HTMLButtonElement
  private readonly forward: HTMLButtonElement

  constructor(
    private readonly view: SteppedView,
    private readonly axis: Axis,
    private readonly words: Words,
    parent: ParentNode,
  ) {
    const group = element("div", "slider", parent)
    const head = element("label", "", group)
    this.at = element("span", "at", head)
    this.shown = markData(element("b", "", head), axis.said || "number")
    this.input = markData(element("input", "", head), axis.said)
    Object.assign(this.input, { type: "range", min: 1, max: axis.count, step: 1 })
    this.input.dataset.axis = axis.id
    const follow = () => view.move({ [axis.id]: Number(this.input.value) - 1 })
    followDrag(view, this.input, follow, () => view.tellPlaces())
    this.back = this.stepper(group, "\u2039", words.back, -1)
    this.forward = this.stepper(group, "\u203a", words.forward, 1)
    group.hidden = axis.count < 2
  }

  private get place(): number {
    return this.view.places[this.axis.id] ?? 0
  }

  private stepper(parent: ParentNode, sign: string, word: string, by: number): HTMLButtonElement {
    const node = button(parent, sign, () => this.view.move({ [this.axis.id]: this.place + by }, true))
    node.setAttribute("aria-label", filled(word, { title: this.axis.title }))
    return node
  }

  follow(): void {
    const { axis, place, words } = this
    const { title, count } = axis
    this.input.value = String(place + 1)
    this.back.disabled = place === 0
    this.forward.disabled = place === count - 1
    const at = axis.values.length ? title : filled(words.at, { title, place: place + 1, count })
    this.at.textContent = at
    this.shown.textContent = axis.labels.length ? labelOf(axis, place) : ""
    this.input.setAttribute("aria-valuetext", `${at} ${this.shown.textContent}`.trim())
  }
}
