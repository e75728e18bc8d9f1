/** The controls of a view, in a row above it. */

import type { Chosen, Control } from "./choosing"
import { button, element, setAttributes } from "./dom"

/** What controls need of the view that they belong to. */
interface ControlledView {
  readonly root: HTMLElement
  set: (changes: Chosen) => void
  availableIn?: (name: string) => readonly string[] | undefined // options of a list that can be chosen now
}

/** What controls need of a payload. */
interface ControlsPayload {
  controls: readonly Control[]
  words: Readonly<{ options?: string }>
  shortcuts?: readonly (readonly [label: string, settings: Chosen])[]
}

type Follow = (chosen: Chosen) => void

export class Choices {
  readonly root: HTMLDivElement
  private follows: Follow[] = []
  private specification = ""

  constructor(private readonly view: ControlledView) {
    this.root = element("div", "choices", view.root)
  }

  /** Builds the controls, rarely used ones in a panel, unless they exist already. */
  fit({ controls, words, shortcuts = [] }: ControlsPayload): void {
    const specification = JSON.stringify([controls, shortcuts])
    if (specification === this.specification) return
    this.specification = specification
    this.root.replaceChildren()
    const drawn = controls.filter(({ elsewhere, options }) => !elsewhere && options.length > 1)
    this.follows = drawn.filter(({ rare }) => !rare).map((control) => this.build(control, this.root))
    for (const [label, settings] of shortcuts) {
      button(this.root, label, () => this.view.set(settings)).className = "shortcut"
    }
    this.root.hidden = !drawn.length && !shortcuts.length
    const rare = drawn.filter((control) => control.rare)
    if (rare.length) this.buildPanel(rare, drawn, words.options ?? "")
  }

  show(chosen: Chosen): void {
    for (const follow of this.follows) follow(chosen)
  }

  /** The button that names the chosen values of rare controls and opens them. */
  private buildPanel(rare: readonly Control[], drawn: readonly Control[], title: string): void {
    const fold = button(this.root, "", () => {
      panel.hidden = !panel.hidden
      fold.setAttribute("aria-expanded", String(!panel.hidden))
    })
    fold.className = "fold"
    fold.setAttribute("aria-expanded", "false")
    const panel = element("div", "rare", this.root)
    panel.hidden = true
    this.follows.push(...rare.map((control) => this.build(control, panel)), (chosen) => {
      const values = rare.map(({ name, label, options }) => `${label}: ${options.find(([id]) => id === chosen[name])?.[1]}`)
      fold.title = fold.textContent = [title, ...values].join(" \u00b7 ")
    })
    for (const { label, help } of drawn) {
      if (help) element("p", "help", panel).textContent = `${label}: ${help}`
    }
  }

  /** Returns a function that shows the current choice in the control. */
  private build(control: Control, parent: ParentNode): Follow {
    if (control.range) return this.buildRange(control, parent)
    return control.list ? this.buildList(control, parent) : this.buildRow(control, parent)
  }

  private buildList({ name, label, options }: Control, parent: ParentNode): Follow {
    const holder = element("label", "list", parent)
    element("span", "", holder).textContent = label
    const list = Object.assign(element("select", "", holder), { name })
    list.onchange = () => this.view.set({ [name]: list.value })
    return (chosen) => {
      const available = this.view.availableIn?.(name)
      const shown = available ? options.filter(([id]) => available.includes(id)) : options
      holder.hidden = !shown.length
      if (list.options.length !== shown.length) list.replaceChildren(...shown.map(([id, text]) => new Option(text, id)))
      list.value = chosen[name] ?? ""
    }
  }

  private buildRange({ name, label, help, options }: Control, parent: ParentNode): Follow {
    const holder = element("label", "list", parent)
    element("span", "", holder).textContent = label
    if (help) holder.title = help
    const input = element("input", "", holder)
    Object.assign(input, { type: "range", name, min: 0, max: options.length - 1 })
    const output = element("output", "", holder)
    input.oninput = () => this.view.set({ [name]: options[input.valueAsNumber]![0] })
    return (chosen) => {
      const place = options.findIndex(([id]) => id === chosen[name])
      input.value = String(place)
      output.textContent = options[place]?.[1] ?? ""
      input.setAttribute("aria-valuetext", output.textContent)
    }
  }

  private buildRow({ name, label, help, options, rare }: Control, parent: ParentNode): Follow {
    const row = element("div", "segments", parent) // browsers place the legend of a fieldset in different ways
    setAttributes(row, { role: "radiogroup", "aria-label": label })
    if (rare) {
      const title = element("span", "control-name", row)
      title.textContent = label
      title.setAttribute("aria-hidden", "true")
    }
    if (help) row.title = help
    const inputs = options.map(([id, text]) => {
      const holder = element("label", "", row)
      const input = element("input", "", holder)
      Object.assign(input, { type: "radio", name, value: id })
      input.onchange = () => this.view.set({ [name]: id })
      element("span", "", holder).textContent = text
      return input
    })
    return (chosen) => {
      for (const input of inputs) input.checked = input.value === chosen[name]
    }
  }
}
