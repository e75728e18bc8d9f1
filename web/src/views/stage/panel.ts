/** The panel of a pull: the weight on a scale of words, what it changes, and buttons. */

import { button, element, filled, setAttributes } from "../../core/dom"
import { Former } from "./former"
import type { MapChoice, StagePayload, Words } from "./payload"
import { headWeights, outcomes, SCOPES, stretches, type Scope, type Sweep } from "./pull"
import type { Target } from "./pulling"
import { columnOfHeads, weightText } from "./reading"

/** A weight that can be pulled. */
interface Pullable {
  readonly query: string
  readonly key: string
  readonly weight: number
  readonly heads: readonly number[] // its weight in each head that is drawn
  readonly layer: string
  readonly decimals: number
}

/** The weight of a query and a key; `weight`: before it is pulled. */
export function pullableAt(payload: StagePayload, choice: MapChoice, target: Target, weight: number): Pullable {
  const { queries, keys } = payload.maps[target.kind]
  const names = { query: queries[target.query]!, key: keys[target.key]! }
  return { ...names, weight, heads: columnOfHeads(payload, choice, target), layer: choice.layer, decimals: payload.decimals }
}

interface PanelEvents {
  preview: (weight: number) => void
  release: (weight: number) => void
  scope: (scope: Scope) => void
}

export class PullPanel {
  readonly root: HTMLElement
  private readonly title: HTMLHeadingElement
  private readonly weight: HTMLSpanElement
  private readonly scale: HTMLDivElement
  private readonly slider: HTMLInputElement
  private readonly marks: HTMLDivElement
  private readonly scopes: HTMLSelectElement
  private readonly rubOut: HTMLButtonElement
  private readonly onlyThis: HTMLButtonElement
  private pullable: Pullable | null = null
  private readonly formerSweep = new Former()

  constructor(parent: ParentNode, events: PanelEvents) {
    this.root = element("section", "pull", parent)
    this.root.hidden = true
    const head = element("div", "pull-head", this.root)
    this.title = element("h2", "", head)
    this.weight = element("span", "pull-weight", head)
    this.scale = element("div", "scale", this.root)
    this.slider = element("input", "", this.root)
    Object.assign(this.slider, { type: "range", min: 0, max: 1, step: 0.01 })
    this.marks = element("div", "head-marks", this.root)
    this.slider.oninput = () => events.preview(this.slider.valueAsNumber)
    this.slider.onchange = () => events.release(this.slider.valueAsNumber)
    const row = element("div", "pull-buttons", this.root)
    this.rubOut = button(row, "", () => events.release(0))
    this.onlyThis = button(row, "", () => events.release(1))
    this.scopes = element("select", "", row)
    this.scopes.onchange = () => events.scope(this.scopes.value as Scope)
  }

  /** Shows a weight that can be pulled; null hides the panel. */
  open(pullable: Pullable | null, words: Words, scope: Scope): void {
    this.pullable = pullable
    this.root.hidden = !pullable
    if (!pullable) return
    this.title.textContent = filled(words.pull, { query: pullable.query, key: pullable.key })
    setAttributes(this.slider, { "aria-label": filled(words.slider, { query: pullable.query, key: pullable.key }) })
    this.rubOut.textContent = words.rubOut
    this.onlyThis.textContent = words.onlyThis
    const names = { drawn: words.scopeDrawn, layer: filled(words.scopeLayer, { layer: pullable.layer }), all: words.scopeAll }
    this.scopes.setAttribute("aria-label", words.scope)
    this.scopes.replaceChildren(...SCOPES.map((name) => new Option(names[name], name)))
    this.scopes.value = scope
  }

  /** Shows the weight while it is dragged. */
  showWeight(weight: number, words: Words): void {
    const { pullable } = this
    if (!pullable) return
    this.slider.value = String(weight)
    this.slider.setAttribute("aria-valuetext", weightText(weight))
    const changed = Math.abs(weight - pullable.weight) >= 0.005
    const was = weightText(pullable.weight, pullable.decimals)
    this.weight.textContent = changed ? filled(words.weightNow, { weight: weightText(weight), was }) : was
    this.marks.replaceChildren()
    for (const own of pullable.heads.length > 1 ? headWeights(pullable.heads, weight) : []) {
      element("i", "", this.marks).style.left = `${100 * own}%`
    }
  }

  /** Shows which token each weight gives, or which words it changes; null while the server tries them. */
  showSweep(sweep: Sweep | null, words: Words): void {
    if (!this.formerSweep.changed(sweep, words)) return
    this.scale.replaceChildren()
    this.scale.classList.toggle("waiting", !sweep)
    if (!sweep) {
      this.scale.textContent = words.sweeping
      return
    }
    const { tokens, same } = outcomes(sweep, words.unchanged)
    for (const { token, from, to } of stretches({ ...sweep, tokens })) {
      const part = element("span", token === same ? "" : "other", this.scale)
      const label = token ?? words.noWord
      part.style.left = `${100 * from}%`
      part.style.width = `${100 * (to - from)}%`
      part.textContent = label
      part.title = filled(words.scale, { token: label, low: weightText(from), high: weightText(to) })
    }
  }
}
