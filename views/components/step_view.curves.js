// Curves of a step view: arrays as lines over one axis, with the slider's position marked.

const CURVE_HEIGHT = 170 // pixels between the lowest and the highest number
const CURVE_EDGE = 8 // pixels around

class CurvesPanel extends StepPanel {
  constructor(view, about, parent) {
    super(view, about, parent)
    this.axis = view.axes[about.along]
    this.legend = element("div", "keys", this.root)
    this.keys = about.curves.map(({ name }) => {
      const key = element("span", "key", this.legend)
      const sample = svgElement("svg", { width: 26, height: 8 }, key)
      const line = svgElement("line", { x1: 0, y1: 4, x2: 26, y2: 4, "stroke-width": 2.5 }, sample)
      element("span", "", key).textContent = `${name} `
      return { line, number: markData(element("b", "", key), "number") }
    })
    const frame = element("div", "plot", this.root)
    this.high = markData(element("span", "high", frame), "number")
    this.low = markData(element("span", "low", frame), "number")
    this.picture = svgElement("svg", { role: "img", preserveAspectRatio: "none" }, frame)
    this.picture.setAttribute("aria-label", filled(view.sheet.words.chart, { name: about.name, along: this.axis.title }))
    this.zero = svgElement("line", { class: "zero" }, this.picture)
    this.now = svgElement("line", { class: "now" }, this.picture)
    this.lines = about.curves.map(() => svgElement("polyline", { fill: "none", "stroke-width": 2 }, this.picture))
    this.dots = about.curves.map(() => svgElement("circle", { r: 3.5 }, this.picture))
    if (this.axis.slider) this.picture.onclick = (event) => this.clicked(event)
    const under = element("div", "under", this.root)
    this.labels = (this.axis.beside ? this.axis.labels : []).map((label) => {
      const node = markData(element("span", "", under), this.axis.said)
      node.textContent = label
      return node
    })
  }

  paint() {
    const styles = this.view.sheet.styles[this.view.theme]
    this.lines.forEach((line, place) => {
      const [colour, dashes] = styles[place % styles.length]
      const dashed = place ? (dashes.length ? dashes : [[], [7, 3], [2, 3], [9, 3, 2, 3]][place % 4]).join(" ") : ""
      for (const stroked of [line, this.keys[place].line]) {
        stroked.setAttribute("stroke", colour)
        stroked.setAttribute("stroke-dasharray", dashed)
      }
      this.dots[place].setAttribute("fill", colour)
    })
    this.showEnds()
    this.fit()
  }

  showEnds() {
    this.high.textContent = signedDigits(this.about.high)
    this.low.textContent = signedDigits(this.about.low)
  }

  // The value of each curve at the sliders' positions.
  values() {
    const places = Array.from({ length: this.axis.count }, (_, place) => place)
    return this.about.curves.map(({ numbers }) => places.map((place) => this.number(numbers, { [this.about.along]: place })))
  }

  // NaN is not drawn, nor 0 on a logarithmic scale.
  drawable(value) {
    return this.about.log ? value > 0 : !Number.isNaN(value)
  }

  fit() {
    this.width = this.picture.getBoundingClientRect().width
    if (!this.width) return
    this.picture.setAttribute("viewBox", `0 0 ${this.width} ${CURVE_HEIGHT + 2 * CURVE_EDGE}`)
    this.labels.forEach((label, place) => (label.style.left = `${(100 * this.x(place)) / this.width}%`))
  }

  x(place) {
    return ((place + 0.5) / this.axis.count) * this.width
  }

  y(value) {
    const [low, high, at] = [this.about.low, this.about.high, value].map(this.about.log ? Math.log : Number)
    return CURVE_EDGE + CURVE_HEIGHT * (1 - (at - low) / (high - low || 1))
  }

  follow() {
    if (!this.width) this.fit()
    if (!this.width) return
    const { about, axis, view, width } = this
    const now = axis.slider ? view.places[about.along] : axis.count - 1
    const drawn = this.values()
    if (about.own) {
      const all = drawn.flat().filter((value) => this.drawable(value))
      about.low = Math.min(...all)
      about.high = Math.max(...all)
      this.showEnds()
    }
    const level = (line, y) => Object.entries({ x1: 0, x2: width, y1: y, y2: y }).forEach(([name, at]) => line.setAttribute(name, at))
    level(this.zero, this.y(about.log ? about.low : Math.min(about.high, Math.max(about.low, 0))))
    const across = { x1: this.x(now), x2: this.x(now), y1: 0, y2: CURVE_HEIGHT + 2 * CURVE_EDGE }
    Object.entries(across).forEach(([name, at]) => this.now.setAttribute(name, at))
    this.now.classList.toggle("away", !axis.slider)
    drawn.forEach((values, curve) => {
      const points = values.map((value, place) => [value, `${this.x(place)},${this.y(value)}`])
      this.lines[curve].setAttribute("points", points.filter(([value]) => this.drawable(value)).map(([, point]) => point).join(" "))
      this.dots[curve].classList.toggle("away", !this.drawable(values[now]))
      this.dots[curve].setAttribute("cx", this.x(now))
      this.dots[curve].setAttribute("cy", this.y(values[now]))
      this.keys[curve].number.textContent = signedDigits(values[now])
    })
    const each = width / axis.count
    this.labels.forEach((label, place) => {
      label.classList.toggle("chosen", axis.slider && place === now)
      label.hidden = each < STEP_TEXT && place !== now && (Math.abs(place - now) * each < STEP_TEXT || place % Math.ceil(STEP_TEXT / each) > 0)
    })
  }

  clicked(event) {
    const box = this.picture.getBoundingClientRect()
    const place = Math.floor(((event.clientX - box.left) / box.width) * this.axis.count)
    this.view.move({ [this.about.along]: place }, true)
  }
}
