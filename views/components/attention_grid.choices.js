// The controls above the maps. What is chosen in them the browser draws; the grid says it to the address and the server.

class Choices {
  constructor(grid) {
    this.grid = grid
    this.root = element("div", "choices", grid.root)
  }

  // Builds the controls, seldom needed ones below a button, unless they stand there already.
  fit(controls, words) {
    const described = JSON.stringify(controls)
    if (described === this.described) return
    this.described = described
    this.root.replaceChildren()
    this.follows = controls.filter(({ rare }) => !rare).map((control) => this.build(control, this.root))
    const rare = controls.filter((control) => control.rare)
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
      const unusual = rare.filter(({ name, first }) => chosen[name] !== first)
      const said = unusual.map(({ name, options }) => options.find(([id]) => id === chosen[name])[1]).join(", ")
      fold.textContent = said ? `${words.options}: ${said}` : words.options
    })
    for (const { label, help } of controls) {
      if (help) element("p", "help", panel).textContent = `${label}: ${help}`
    }
  }

  // Returns what shows a value in it.
  build(control, parent) {
    return control.list ? this.buildList(control, parent) : this.buildRow(control, parent)
  }

  buildList({ name, label, options }, parent) {
    const holder = element("label", "list", parent)
    element("span", "", holder).textContent = label
    const list = element("select", "", holder)
    list.onchange = () => this.grid.set({ [name]: list.value })
    return (chosen, sheet) => {
      const there = name === "layer" ? sheet.rows : sheet.columns
      const shown = options.filter(([id]) => there.includes(id))
      if (list.options.length !== shown.length) list.replaceChildren(...shown.map(([id, text]) => new Option(text, id)))
      list.value = chosen[name]
    }
  }

  buildRow({ name, label, help, options, rare }, parent) {
    const row = element("fieldset", "segments", parent)
    element("legend", rare ? "" : "heard", row).textContent = label
    if (help) row.title = help
    const inputs = options.map(([id, text]) => {
      const holder = element("label", "", row)
      const input = element("input", "", holder)
      Object.assign(input, { type: "radio", name, value: id })
      input.onchange = () => this.grid.set({ [name]: id })
      element("span", "", holder).textContent = text
      return input
    })
    return (chosen) => {
      for (const input of inputs) input.checked = input.value === chosen[name]
    }
  }

  show(chosen, sheet) {
    for (const follow of this.follows) follow(chosen, sheet)
  }
}
