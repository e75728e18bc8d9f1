// Panels of a step view: heatmaps, tables of bars, formulas.

const STEP_ROW = 18 // pixels per row of a heatmap with labels
const STEP_MAP = 440 // pixels of height into which many rows are compressed
const STEP_CELL = 30 // maximum width of a cell in pixels

class HeatmapPanel extends StepPanel {
  constructor(view, about, parent) {
    super(view, about, parent)
    this.rows = view.axes[about.rows]
    this.columns = view.axes[about.columns]
    element("div", "axes", this.root).textContent = `${this.rows.title} \u2193 \u2002 ${this.columns.title} \u2192`
    const frame = element("div", "frame", this.root)
    this.heads = this.buildSide(frame, this.columns, "heads")
    this.sides = this.buildSide(frame, this.rows, "sides")
    this.field = element("div", "field", frame)
    this.canvas = element("canvas", "pixels", this.field)
    this.canvas.setAttribute("role", "img")
    const values = { name: about.name, rows: this.rows.title, columns: this.columns.title }
    this.canvas.setAttribute("aria-label", filled(view.sheet.words.map, values))
    this.marks = [this.rows, this.columns].map((axis) => (axis.slider ? element("div", "mark", this.field) : null))
    this.field.onpointermove = (event) => this.pointed(event)
    this.field.onpointerleave = () => view.tip.hide()
    this.field.onclick = (event) => this.clicked(event)
    this.scale = buildLegend(this.root)
    markData(this.scale.low, "number")
    markData(this.scale.high, "number")
  }

  buildSide(frame, axis, side) {
    const list = element("div", side, frame)
    return { list, shown: (axis.beside ? axis.labels : []).map((label) => {
      const node = markData(element("span", "", list), axis.said)
      node.textContent = label
      return node
    }) }
  }

  paint() {
    const { about, rows, columns } = this
    this.painted = this.standing(about.numbers, [about.rows, about.columns])
    const colours = lookupTable(about.scales[this.view.theme])
    const low = about.signed ? -about.top : 0
    paintCells(this.canvas, [rows.count, columns.count], (cell) => {
      const number = this.at(Math.floor(cell / columns.count), cell % columns.count)
      return colours[Math.round(255 * Math.min(1, Math.max(0, (number - low) / (about.top - low))))]
    })
    this.scale.paint(colours)
    this.scale.low.textContent = signedDigits(low)
    this.scale.high.textContent = signedDigits(about.top)
    this.fit()
  }

  at(row, column) {
    return this.number(this.about.numbers, { [this.about.rows]: row, [this.about.columns]: column })
  }

  fit() {
    const { rows, columns, sides, heads } = this
    const room = this.root.clientWidth - sides.list.offsetWidth - 2
    if (room <= 0) return
    this.cell = [Math.min(STEP_ROW, Math.max(2, STEP_MAP / rows.count)), Math.min(STEP_CELL, room / columns.count)]
    const [height, width] = this.cell
    this.field.style.height = `${rows.count * height}px`
    this.field.style.width = `${columns.count * width}px`
    this.canvas.classList.toggle("fine", width < 1 || height < 1)
    sides.list.style.height = this.field.style.height
    heads.list.style.width = this.field.style.width
    sides.shown.forEach((label, row) => (label.style.top = `${(row + 0.5) * height}px`))
    heads.shown.forEach((label, column) => (label.style.left = `${(column + 0.5) * width}px`))
  }

  follow() {
    const { about, rows, columns } = this
    if (this.painted !== this.standing(about.numbers, [about.rows, about.columns])) this.paint()
    if (!this.cell) return
    const [height, width] = this.cell
    const [row, column] = [about.rows, about.columns].map((id) => this.view.places[id])
    const [across, down] = this.marks
    if (across) Object.assign(across.style, { top: `${row * height}px`, left: "0", height: `${height}px`, width: "100%" })
    if (down) Object.assign(down.style, { left: `${column * width}px`, top: "0", width: `${Math.max(2, width)}px`, height: "100%" })
    const choose = ({ shown }, size, place) => shown.forEach((label, other) => {
      label.classList.toggle("chosen", other === place)
      label.hidden = size < STEP_TEXT && other !== place && (Math.abs(other - place) * size < STEP_TEXT || other % Math.ceil(STEP_TEXT / size) > 0)
    })
    choose(this.sides, height, rows.slider ? row : -1)
    choose(this.heads, width, columns.slider ? column : -1)
  }

  cellOf(event) {
    const [row, column] = pointedCell(event, this.field, [this.rows.count, this.columns.count])
    return [clamp(row, this.rows.count), clamp(column, this.columns.count)]
  }

  pointed(event) {
    const [row, column] = this.cellOf(event)
    const { about, view } = this
    const name = (id, place) => [`${view.axes[id].title} `, dataText(view.label(id, place), view.axes[id].said)]
    const value = `${signedDigits(this.at(row, column))} \u2002 `
    view.tip.show(event.clientX, event.clientY, [value, ...name(about.rows, row), ", ", ...name(about.columns, column)])
  }

  clicked(event) {
    const [row, column] = this.cellOf(event)
    this.view.move({ [this.about.rows]: row, [this.about.columns]: column }, true)
  }
}

class BarsPanel extends StepPanel {
  constructor(view, about, parent) {
    super(view, about, parent)
    this.axis = view.axes[about.along]
    const name = about.name || this.axis.title
    const table = element("table", "", buildScroll(this.root, name))
    table.setAttribute("aria-label", name)
    const head = element("tr", "", element("thead", "", table))
    for (const title of [this.axis.title, ...about.columns.map(({ name }) => name)]) {
      const cell = element("th", "", head)
      cell.scope = "col"
      cell.textContent = title
    }
    const body = element("tbody", "", table)
    this.lines = Array.from({ length: this.axis.count }, (_, place) => {
      const line = element("tr", "", body)
      const name = element("th", "", line)
      name.scope = "row"
      const label = markData(element(place === about.taken ? "b" : "span", "", name), this.axis.said || "number")
      label.textContent = view.label(about.along, place)
      if (place === about.taken) Object.assign(label, { className: "taken" }).style.background = `color-mix(in srgb, ${about.hue} 38%, transparent)`
      if (this.axis.slider) line.onclick = () => view.move({ [about.along]: place }, true)
      const cells = about.columns.map((column) => {
        const cell = element("td", "", line)
        const track = element("span", "track", cell)
        track.hidden = !column.bar
        const bar = element("span", "bar", track)
        return { bar, number: markData(element("span", "number", cell), "number") }
      })
      return { line, cells }
    })
  }

  follow() {
    const { about } = this
    this.lines.forEach(({ line, cells }, place) => {
      line.classList.toggle("chosen", this.axis.slider && this.view.places[about.along] === place)
      about.columns.forEach(({ numbers, top, hues, signed, nothing }, column) => {
        const value = this.number(numbers, { [about.along]: place })
        const share = Math.min(1, Math.abs(value) / top) * (signed ? 50 : 100)
        const { bar, number } = cells[column]
        bar.style.width = `${share || 0}%`
        bar.style.left = `${signed ? (value < 0 ? 50 - share : 50) : 0}%`
        bar.style.background = hues[value < 0 ? 0 : 1]
        number.textContent = this.written(numbers, value, nothing)
        number.classList.toggle("nothing", Number.isNaN(value))
      })
    })
  }
}

class FormulaPanel extends StepPanel {
  constructor(view, about, parent) {
    super(view, about, parent)
    this.places = []
    for (const part of about.text.split(/(\{[^{}]+\})/)) {
      const name = part.startsWith("{") ? part.slice(1, -1) : ""
      if (name in view.numbers) this.places.push([markData(element("b", "", this.root), "number"), () => this.written(name, this.number(name))])
      else if (name in view.axes) this.follows(name, view.axes[name].said, (place) => view.label(name, place))
      else if (/#$/.test(name)) this.follows(name.slice(0, -1), "", (place) => String(place + 1))
      else this.root.append(part)
    }
  }

  follows(axis, kind, write) {
    const { view } = this
    this.places.push([markData(element("b", "", this.root), kind || "number"), () => write(view.places[axis])])
  }

  follow() {
    for (const [shown, write] of this.places) shown.textContent = write()
  }
}
