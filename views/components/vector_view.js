// Vectors that are dragged, moved by keys or typed. Everything derived is computed and drawn here; the server only receives
// their coordinates, for the address and the numbers below.

const STILL = 300 // milliseconds without another move before coordinates are sent
const STEP = 0.1 // of a drag and of an arrow key; with Shift a key moves by 1
const ALONG = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowDown: [1, -1], ArrowUp: [1, 1], PageDown: [2, -1], PageUp: [2, 1] }

class VectorView extends View {
  constructor(parentElement) {
    super(parentElement, ".vector-view")
    this.upwards = false
    this.mark = watchMark(this.host, () => this.sheet && this.followMark())
  }

  leave() {
    super.leave()
    clearTimeout(this.speaking)
  }

  show(bytes) {
    if (!this.isNew(bytes)) return
    const [header] = unpack(bytes)
    const sizes = ({ dimensions, names }) => `${dimensions} ${names.length}`
    const other = this.sheet && sizes(this.sheet) !== sizes(header)
    this.sheet = header
    if (other) this.state = null
    this.fit([sizes(header), header.label, header.words], header.theme)
    if (!this.followMark() && this.state) this.draw()
  }

  showChosen(state) {
    const { dimensions, names } = this.sheet
    if (state.point.length !== dimensions || state.vectors.length !== names.length - 1) return
    this.state = state
    this.draw()
  }

  build() {
    const { dimensions } = this.sheet
    this.root.replaceChildren()
    const panels = element("div", "panels", this.root)
    const left = element("div", "picture", panels)
    this.drawing = new VectorDrawing(this, left)
    if (dimensions === 3) this.buildTurns(left)
    const right = element("div", "numbers", panels)
    this.buildTable(right)
    this.buildCombined(right)
    this.readout = element("div", "readout", right)
    this.liveRegion = buildLiveRegion(this.root)
  }

  buildTurns(parent) {
    const { words, turns } = this.sheet
    const group = element("div", "controls", parent)
    this.modes = [words.across, words.upwards].map((word, upwards) => {
      const node = button(group, word, () => {
        this.upwards = Boolean(upwards)
        this.draw()
      })
      return node
    })
    this.turns = [words.turn, words.tilt].map((word, place) => {
      const label = element("label", "turn", group)
      element("span", "", label).textContent = word
      const input = element("input", "", label)
      Object.assign(input, { type: "range", min: turns[place][0], max: turns[place][1], step: 5 })
      followDrag(this, input, () => this.turnTo(place, Number(input.value)), () => this.tellPlaced())
      return input
    })
  }

  buildTable(parent) {
    const { names, axes, words } = this.sheet
    const table = element("table", "", parent)
    const head = element("tr", "", element("thead", "", table))
    for (const title of [words.vector, ...axes]) {
      const cell = element("th", "", head)
      cell.scope = "col"
      cell.textContent = title
      if (title !== words.vector) markData(cell, "name")
    }
    const body = element("tbody", "", table)
    this.inputs = names.map((name, row) => {
      const line = element("tr", "", body)
      const title = markData(element("th", "", line), "name")
      title.scope = "row"
      title.textContent = name
      const hue = this.sheet.hues[row]
      title.style.color = hue ? `color-mix(in srgb, ${hue} 65%, var(--st-text-color))` : "" // legible in both themes
      return axes.map((axis, column) => {
        const input = this.buildNumber(element("td", "", line), filled(words.coordinate, { name, axis }))
        input.oninput = () => this.typed(input, row, column)
        input.onpaste = (event) => this.paste(event, row, column)
        return input
      })
    })
  }

  buildCombined(parent) {
    const { names, words } = this.sheet
    const group = element("div", "combined", parent)
    group.setAttribute("role", "group")
    group.setAttribute("aria-label", words.combined)
    const addText = (text) => (markData(element("span", "", group), "name").textContent = text)
    addText(`${names.at(-1)} =`)
    this.shares = names.slice(0, -1).map((name, place) => {
      if (place) addText("+")
      const input = this.buildNumber(group, filled(words.coefficient, { name }))
      input.oninput = () => this.combine()
      addText(name)
      return input
    })
    button(group, words.zero, () => this.makeZero())
  }

  buildNumber(parent, label) {
    const input = element("input", "", parent)
    Object.assign(input, { type: "number", step: STEP })
    input.setAttribute("aria-label", label)
    input.onchange = () => {
      this.draw()
      this.tellPlaced()
    }
    return input
  }

  // A coordinate while it is typed; no change until it is a number.
  typed(input, row, column) {
    const number = input.valueAsNumber
    if (Number.isFinite(number) && Math.abs(number) <= this.sheet.limit) this.place(row, { [column]: number })
  }

  // The point of the typed coefficients; no change if it is out of range.
  combine() {
    const shares = this.shares.map((input) => input.valueAsNumber || 0)
    const { vectors } = this.state
    const point = vectors.reduce((sum, vector, at) => added(sum, scaled(vector, shares[at])), vectors[0].map(() => 0))
    if (!point.every((number) => Math.abs(number) <= this.sheet.limit)) return
    this.combinedOf = shares
    this.place(vectors.length, { ...point })
  }

  // The point at the origin, with coefficients that are not all 0 where the vectors are dependent.
  makeZero() {
    const { vectors, point } = this.state
    this.combinedOf = relationOf(vectors) ?? vectors.map(() => 0)
    this.place(vectors.length, { ...point.map(() => 0) })
    this.tellPlaced()
  }

  // A pasted list, such as [2, 1] or [[2, 1], [-1, 2]], fills this cell and those after it.
  paste(event, row, column) {
    const numbers = (event.clipboardData.getData("text").replaceAll("\u2212", "-").match(/[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?/gi) ?? []).map(Number)
    if (numbers.length < 2) return
    event.preventDefault()
    const cells = this.inputs.flatMap((line, at) => line.map((_, axis) => [at, axis]))
    const first = row * this.sheet.dimensions + column
    numbers.slice(0, cells.length - first).forEach((number, at) => this.place(cells[first + at][0], { [cells[first + at][1]]: number }))
    event.target.blur()
    this.draw()
    this.tellPlaced()
  }

  // Moves a vector, or the point (the last index), to other coordinates.
  place(row, changed) {
    const rows = [...this.state.vectors, this.state.point].map((each) => [...each])
    for (const [column, number] of Object.entries(changed)) {
      const within = Math.min(this.sheet.limit, Math.max(-this.sheet.limit, number))
      rows[row][column] = Number(within.toFixed(PARTS)) + 0
    }
    this.state = { ...this.state, vectors: rows.slice(0, -1), point: rows.at(-1) }
    this.draw()
  }

  turnTo(place, angle) {
    const [low, high] = this.sheet.turns[place]
    const turn = [...this.state.turn]
    turn[place] = Math.min(high, Math.max(low, Math.round(angle)))
    this.state = { ...this.state, turn }
    this.draw()
  }

  press(event, row) {
    const along = ALONG[event.key]
    if (!along || along[0] >= this.sheet.dimensions) return
    event.preventDefault()
    const [column, sign] = along
    const now = [...this.state.vectors, this.state.point][row][column]
    this.place(row, { [column]: now + sign * (event.shiftKey ? 1 : STEP) })
    this.tellPlaced()
  }

  tellPlaced() {
    clearTimeout(this.speaking)
    this.speaking = setTimeout(() => (this.liveRegion.textContent = this.readout.textContent), STILL)
    this.tell("placed", this.state, STILL)
  }

  draw() {
    if (!this.state) return
    const derived = spanned(this.state)
    this.drawing.draw(this.state, derived)
    const rows = [...this.state.vectors, this.state.point]
    this.inputs.forEach((line, row) => line.forEach((input, column) => this.write(input, rows[row][column])))
    this.modes?.forEach((node, upwards) => node.setAttribute("aria-pressed", this.upwards === Boolean(upwards)))
    this.turns?.forEach((input, place) => (input.value = this.state.turn[place]))
    this.writeShares(derived)
    this.writeReadout(derived)
    this.root.dataset.placed = JSON.stringify(this.state)
  }

  // Coordinates in the basis; for dependent vectors the typed ones, as long as they give the point.
  writeShares({ coordinates }) {
    const { vectors, point } = this.state
    const typed = this.combinedOf
    const again = typed && vectors.reduce((sum, vector, at) => added(sum, scaled(vector, typed[at])), vectors[0].map(() => 0))
    const valid = again && lengthOf(added(again, scaled(point, -1))) < 2 / THOUSAND
    const shown = coordinates ?? (valid ? typed : null)
    this.shares.forEach((input, place) => this.write(input, shown && Number(shown[place].toFixed(PARTS)) + 0))
  }

  // A number is not reformatted while it is typed.
  write(input, number) {
    if (input.getRootNode().activeElement === input && input.valueAsNumber === number) return
    const typing = input.getRootNode().activeElement === input && !Number.isFinite(input.valueAsNumber)
    const sharing = this.shares.includes(input) && input.getRootNode().activeElement === input
    if (!typing && !sharing) input.value = number ?? ""
  }

  writeReadout({ determinant, rank, reached, coordinates, nearest, distance, relation }) {
    const { words, spans, dimensions } = this.sheet
    const { vectors, point } = this.state
    const [count, isPair, isZero] = [vectors.length, vectors.length < dimensions, !point.some(Boolean)]
    const listed = (row) => `(${row.map((number) => threeDigits(Math.abs(number) < 1e-12 ? 0 : number)).join(", ")})`
    const lines = [
      filled(isPair ? words.area : words.determinant, { number: threeDigits(determinant) }),
      filled(words.rank, { rank, count, span: spans[rank] }),
      rank < count ? words.dependent : isPair ? words.pair : words.independent,
      coordinates ? filled(words.coordinates, { numbers: listed(coordinates) }) : "",
      !coordinates && reached && !isZero ? words.reached : "",
      isZero && !relation ? words.only : "",
      isZero && relation ? filled(words.relation, { numbers: listed(relation) }) : "",
      reached ? "" : filled(words.missed, { nearest: listed(nearest), distance: threeDigits(distance) }),
    ]
    this.readout.replaceChildren()
    for (const line of lines.filter(Boolean)) element("p", "", this.readout).textContent = line.replaceAll("-", "\u2212")
  }
}

export default mounting(VectorView)
