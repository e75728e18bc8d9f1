// Sliders and the panels that follow them. Sliders, pointer and keys are handled here from the payload; the server only
// receives the positions of the sliders, for the address.

const STILL = 300 // milliseconds without another move before positions are sent

class StepView extends View {
  constructor(parentElement) {
    super(parentElement, ".step-view")
    this.places = {}
    this.mark = watchMark(this.host, () => this.sheet && this.followMark())
    this.resized = new ResizeObserver(() => this.resize())
  }

  leave() {
    super.leave()
    clearTimeout(this.speaking)
  }

  show(bytes) {
    if (!this.isNew(bytes)) return
    const [header, body] = unpack(bytes)
    this.sheet = header
    this.axes = Object.fromEntries(header.axes.map((axis) => [axis.id, axis]))
    this.numbers = readNumbers(header, this.axes, body)
    if (header.rule) this.root.dataset.difference = followRule(this.numbers, header, this.axes)
    this.fit([header.axes, header.panels.map(({ top, low, high, ...rest }) => rest), header.words, header.whole], header.theme)
    this.panels.forEach((panel, place) => (panel.about = header.panels[place]))
    for (const axis of header.axes) {
      if (axis.slider) this.places[axis.id] = clamp(this.places[axis.id] ?? 0, axis.count)
    }
    this.panels.forEach((panel) => panel.paint())
    if (!this.followMark()) this.refresh()
    this.root.dataset.drawn = String(Number(this.root.dataset.drawn ?? 0) + 1)
  }

  build() {
    this.root.replaceChildren()
    const controls = element("div", "controls", this.root)
    this.sliders = this.sheet.axes.filter((axis) => axis.slider).map((axis) => new StepSlider(this, axis, controls))
    const field = element("div", "panels", this.root)
    const panelTypes = { heatmap: HeatmapPanel, curves: CurvesPanel, bars: BarsPanel, formula: FormulaPanel }
    this.panels = this.sheet.panels.map((about) => new panelTypes[about.is](this, about, field))
    this.tip = new Tip(this.root, "read")
    this.liveRegion = buildLiveRegion(this.root)
    this.resized.disconnect()
    this.resized.observe(this.root)
  }

  resize() {
    if (!this.sheet || this.root.clientWidth === this.width) return
    this.width = this.root.clientWidth
    this.panels.forEach((panel) => panel.fit())
    this.refresh()
  }

  showChosen(places) {
    this.move(places)
  }

  // Applies every move; `places` has the axes that moved.
  move(places, tell = false) {
    for (const [id, place] of Object.entries(places)) {
      if (id in this.places) this.places[id] = clamp(place, this.axes[id].count)
    }
    this.refresh()
    if (tell) this.tellPlaces()
  }

  tellPlaces() {
    clearTimeout(this.speaking)
    this.speaking = setTimeout(() => this.liveRegion.replaceChildren(...this.spoken()), STILL)
    this.tell("places", { ...this.places }, STILL)
  }

  refresh() {
    this.sliders.forEach((slider) => slider.follow())
    this.panels.forEach((panel) => panel.follow())
    this.root.dataset.places = JSON.stringify(this.places)
  }

  spoken() {
    const formulas = this.panels.filter((panel) => panel.about.is === "formula")
    return formulas.flatMap((panel) => [...panel.root.cloneNode(true).childNodes, " "])
  }

  // The text of a position on an axis: its label, or its number.
  label(id, place) {
    return this.axes[id].labels[place] ?? String(place + 1)
  }
}

class StepSlider {
  constructor(view, axis, parent) {
    this.view = view
    this.axis = axis
    const { words } = view.sheet
    const group = element("div", "slider", parent)
    const head = element("label", "", group)
    this.at = element("span", "at", head)
    this.shown = markData(element("b", "", head), axis.said || "number")
    this.input = markData(element("input", "", head), axis.said)
    Object.assign(this.input, { type: "range", min: 1, max: axis.count, step: 1 })
    this.input.dataset.axis = axis.id
    followDrag(view, this.input, () => view.move({ [axis.id]: Number(this.input.value) - 1 }), () => view.tellPlaces())
    this.back = this.stepper(group, "\u2039", words.back, -1)
    this.forward = this.stepper(group, "\u203a", words.forward, 1)
    group.hidden = axis.count < 2
  }

  stepper(parent, sign, word, by) {
    const node = button(parent, sign, () => this.view.move({ [this.axis.id]: this.view.places[this.axis.id] + by }, true))
    node.setAttribute("aria-label", filled(word, { title: this.axis.title }))
    return node
  }

  follow() {
    const { view, axis } = this
    const place = view.places[axis.id]
    this.input.value = place + 1
    this.back.disabled = place === 0
    this.forward.disabled = place === axis.count - 1
    const at = axis.values.length ? axis.title : filled(view.sheet.words.at, { title: axis.title, place: place + 1, count: axis.count })
    this.at.textContent = at
    this.shown.textContent = axis.labels.length ? view.label(axis.id, place) : ""
    this.input.setAttribute("aria-valuetext", `${at} ${this.shown.textContent}`.trim())
  }
}

// The arrays of a payload by their keys, each a function from positions to a number.
function readNumbers(header, axes, body) {
  let offset = 0
  return Object.fromEntries(
    Object.entries(header.numbers).map(([key, dims]) => {
      const sizes = dims.map((dim) => axes[dim].count)
      const count = sizes.reduce((product, size) => product * size, 1)
      const values = new Float32Array(body, offset, count)
      offset += 4 * count
      const strides = sizes.map((_, dim) => sizes.slice(dim + 1).reduce((product, size) => product * size, 1))
      const at = (places) => values[dims.reduce((sum, dim, place) => sum + places[dim] * strides[place], 0)]
      return [key, { dims, at, values }]
    }),
  )
}

export default mounting(StepView)
