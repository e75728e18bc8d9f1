// Controls that a component renders, or follows if another renders them. The browser shows a choice itself and writes it
// to the address at once; it is sent to the server after a while without another choice.

const SEND_AFTER = 500 // milliseconds without another choice
const MEAN = "mean" // the id of the layer and of the head that are averages

// `payload.controls` lists what can be chosen. `arrange` draws what is in `chosen`.
class ChoosingView extends View {
  constructor(parentElement, root) {
    super(parentElement, root)
    this.mark = watchMark(this.host, () => this.payload && this.followMark())
    this.mounted = new AbortController()
    const { signal } = this.mounted
    window.addEventListener("popstate", () => this.followAddress(), { signal })
    window.addEventListener("choosing", ({ detail }) => this.followChoice(detail), { signal })
    window.addEventListener("telling", () => this.recordSent(), { signal })
  }

  // Shows a new payload with the current choices.
  take(payload) {
    this.payload = payload
    this.path = location.pathname
    this.chosen = this.completed(this.chosen ?? this.readMark() ?? {})
    this.arrange()
  }

  // Payload and choices may arrive one after the other: missing or invalid choices become the control's first option.
  completed(chosen) {
    const lacking = (this.payload.controls ?? []).filter(({ name, options }) => !options.some(([id]) => id === chosen[name]))
    if (!lacking.length) return chosen
    return this.restricted({ ...chosen, ...Object.fromEntries(lacking.map(({ name, first }) => [name, first])) })
  }

  // Restricts choices to what can be shown; overridden by subclasses.
  restricted(chosen) {
    return chosen
  }

  showChosen(chosen) {
    this.chosen = this.completed(chosen)
    this.arrange()
  }

  // Applies choices here and to the address at once; they are sent to the server after a pause.
  set(changes) {
    const before = this.chosen
    this.chosen = this.restricted({ ...before, ...changes })
    this.arrange()
    const changed = this.payload.controls.filter(({ name }) => this.chosen[name] !== before[name])
    const values = changed.map(({ name, first, always }) => [name, this.chosen[name] === first && !always ? null : this.chosen[name]])
    window.dispatchEvent(new CustomEvent("choosing", { detail: Object.fromEntries(values) }))
    this.tell("chosen", this.chosen, this.pause())
  }

  // Whether only the server has the data of the choice.
  waits() {
    return false
  }

  // Milliseconds without another choice after which it is sent.
  pause() {
    return this.waits() ? 0 : SEND_AFTER
  }

  // Applies choices of another component of the page; null stands for the default.
  followChoice(detail) {
    const known = this.payload?.controls?.filter(({ name }) => name in detail) ?? []
    const changes = known.map(({ name, first }) => [name, detail[name] ?? first])
    if (changes.every(([name, value]) => this.chosen[name] === value)) return
    this.chosen = this.restricted({ ...this.chosen, ...Object.fromEntries(changes) })
    this.arrange()
    if (this.unsent?.signal.aborted === false) this.tell("chosen", this.chosen, SEND_AFTER) // another choice of this component is pending
  }

  // Another component sent the choices; the server's answer is no change here either.
  recordSent() {
    const text = JSON.stringify(this.chosen)
    if (this.payload?.controls && this.sent.at(-1) !== text) this.sent.push(text)
  }

  // After Back or Forward the address decides; choices that were not sent yet belong to the previous view.
  followAddress() {
    const address = new URLSearchParams(location.search)
    if (!this.payload?.controls || location.pathname !== this.path || !address.has("text")) return
    this.unsent?.abort()
    this.sent = []
    const values = this.payload.controls.map(({ name, options, first }) => {
      const value = address.getAll(name).at(-1)
      return [name, options.some(([id]) => id === value) ? value : first]
    })
    this.chosen = this.restricted(Object.fromEntries(values))
    this.arrange()
  }

  leave() {
    super.leave()
    this.mounted.abort()
  }
}

// Layer and head in words.
function placeInWords(words, layer, head) {
  if (layer === MEAN && head === MEAN) return words.overAll
  if (head === MEAN) return filled(words.overHeads, { layer })
  return layer === MEAN ? filled(words.overLayers, { head }) : filled(words.one, { layer, head })
}

// The controls of such a view, in a row above it.
class Choices {
  constructor(view) {
    this.view = view
    this.root = element("div", "choices", view.root)
  }

  // Builds the controls, rarely used ones in a panel, unless they exist already.
  fit({ controls, words, shortcuts = [] }) {
    const specification = JSON.stringify([controls, shortcuts])
    if (specification === this.specification) return
    this.specification = specification
    this.root.replaceChildren()
    const drawn = controls.filter(({ elsewhere, options }) => !elsewhere && options.length > 1)
    this.follows = drawn.filter(({ rare }) => !rare).map((control) => this.build(control, this.root))
    for (const [label, settings] of shortcuts) button(this.root, label, () => this.view.set(settings)).className = "shortcut"
    this.root.hidden = !drawn.length && !shortcuts.length
    const rare = drawn.filter((control) => control.rare)
    if (!rare.length) return
    const fold = button(this.root, "", () => {
      panel.hidden = !panel.hidden
      fold.setAttribute("aria-expanded", !panel.hidden)
    })
    fold.className = "fold"
    fold.setAttribute("aria-expanded", false)
    const panel = element("div", "rare", this.root)
    panel.hidden = true
    this.follows.push(...rare.map((control) => this.build(control, panel)), (chosen) => {
      const values = rare.map(({ name, label, options }) => `${label}: ${options.find(([id]) => id === chosen[name])[1]}`)
      fold.textContent = [words.options, ...values].join(" \u00b7 ")
    })
    for (const { label, help } of drawn) {
      if (help) element("p", "help", panel).textContent = `${label}: ${help}`
    }
  }

  // Returns a function that shows the current choice in the control.
  build(control, parent) {
    if (control.range) return this.buildRange(control, parent)
    return control.list ? this.buildList(control, parent) : this.buildRow(control, parent)
  }

  buildList({ name, label, options }, parent) {
    const holder = element("label", "list", parent)
    element("span", "", holder).textContent = label
    const list = Object.assign(element("select", "", holder), { name })
    list.onchange = () => this.view.set({ [name]: list.value })
    return (chosen) => {
      const available = this.view.availableIn?.(name)
      const shown = available ? options.filter(([id]) => available.includes(id)) : options
      holder.hidden = !shown.length
      if (list.options.length !== shown.length) list.replaceChildren(...shown.map(([id, text]) => new Option(text, id)))
      list.value = chosen[name]
    }
  }

  buildRange({ name, label, help, options }, parent) {
    const holder = element("label", "list", parent)
    element("span", "", holder).textContent = label
    if (help) holder.title = help
    const input = element("input", "", holder)
    Object.assign(input, { type: "range", name, min: 0, max: options.length - 1 })
    const output = element("output", "", holder)
    input.oninput = () => this.view.set({ [name]: options[input.value][0] })
    return (chosen) => {
      const place = options.findIndex(([id]) => id === chosen[name])
      input.value = place
      output.textContent = options[place][1]
      input.setAttribute("aria-valuetext", output.textContent)
    }
  }

  buildRow({ name, label, help, options, rare }, parent) {
    const row = element("div", "segments", parent) // browsers place the legend of a fieldset in different ways
    row.setAttribute("role", "radiogroup")
    row.setAttribute("aria-label", label)
    if (rare) {
      const name = element("span", "control-name", row)
      name.textContent = label
      name.setAttribute("aria-hidden", true)
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

  show(chosen) {
    for (const follow of this.follows) follow(chosen)
  }
}
