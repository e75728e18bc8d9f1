// Matrices next to each other. Each is one canvas with its labels, colours and, if there is room, its numbers. Pointer and
// arrow keys read cells out; in an editable matrix a drag, a click, Space or Enter toggles them.

const NUMBER_WIDTH = 30 // pixels per cell from which on its number is written in it
const ROW = 21 // pixels per row with a label
const SPREAD = 250 // pixels of an axis that is too long for labels
const LABEL = 84 // maximum width of the row labels in pixels
const GAP = 14 // pixels between two matrices, as in the style sheet

class MatrixRow extends View {
  constructor(parentElement) {
    super(parentElement, ".matrices")
    this.figures = []
    this.resized = new ResizeObserver(() => this.draw())
    this.resized.observe(this.root)
  }

  show(bytes) {
    this.settings = decode(bytes)
    const { items, theme } = this.settings
    this.theme = themeOf(this.host)
    this.fit(items.map((item) => [item.sign, item.name, item.paint, item.shape]), theme)
    const matrices = items.filter((item) => !item.sign)
    this.figures.forEach((figure, place) => figure.take(matrices[place]))
    this.width = 0
    this.draw()
    this.root.dataset.drawn = matrices.map((item) => item.name).join(" ")
  }

  build() {
    this.root.replaceChildren()
    this.figures = []
    for (const item of this.settings.items) {
      if (item.sign) element("span", "sign", this.root).textContent = item.sign
      else this.figures.push(new Figure(this, item))
    }
    this.tip = new Tip(this.root, "value", "place")
    this.liveRegion = buildLiveRegion(this.root)
  }

  draw() {
    const width = this.root.clientWidth
    if (!this.settings || !width || width === this.width) return
    this.width = width
    // On a phone every matrix has its own row; a narrow one takes no more width than it needs.
    const perRow = Math.max(1, Math.min(this.settings.beside, Math.floor(width / 320)))
    for (const figure of this.figures) figure.draw((width - (perRow - 1) * GAP) / perRow)
    this.markParts()
  }

  // Marks, in all matrices, the sources of a cell, or of the cell under a matrix's keyboard cursor.
  markParts(figure = this.figures.find(({ cursor }) => cursor), cell = figure?.cursor) {
    const { made } = this.settings
    if (!made) return
    const items = this.figures.map(({ item }) => item)
    const parts = cell ? partsOf(made, items, this.figures.indexOf(figure), cell) : items.map(() => [])
    this.figures.forEach((each, place) => each.mark(parts[place]))
  }
}

class Figure {
  constructor(row, item) {
    this.row = row
    const figure = element("figure", "", row.root)
    const caption = element("figcaption", "", figure)
    element("b", "", caption).textContent = item.name
    element("span", "", caption).textContent = item.shape.join(" \u00d7 ")
    this.canvas = element("canvas", item.paint ? "paint" : "", figure)
    this.marks = element("div", "marks", figure)
    this.canvas.tabIndex = 0
    this.canvas.setAttribute("role", "application")
    this.canvas.onpointermove = (event) => this.pointed(event)
    this.canvas.onpointerleave = () => {
      row.tip.hide()
      row.markParts()
    }
    this.canvas.onpointerdown = (event) => this.pressed(event)
    this.canvas.onpointerup = () => this.released()
    this.canvas.onclick = (event) => this.tapped(event)
    this.canvas.onpointercancel = () => this.released()
    this.canvas.onkeydown = (event) => this.typed(event)
    this.canvas.onblur = () => this.leave()
  }

  take(item) {
    this.item = item
    const { words } = this.row.settings
    const [rows, columns] = item.shape
    this.canvas.setAttribute("aria-label", filled(item.paint ? words.paint : words.read, { name: item.name, rows, columns }))
  }

  draw(available) {
    const { item, canvas } = this
    const [rows, columns] = item.shape
    const pen = canvas.getContext("2d")
    const font = getComputedStyle(this.row.root).fontFamily
    const small = `11px ${font}`
    pen.font = small
    const labelled = item.rows.length > 0 && rows <= 40
    const headed = item.columns.length > 0 && columns <= 40
    const widest = (labels) => Math.ceil(Math.max(0, ...labels.map((label) => pen.measureText(label).width)))
    this.left = labelled ? Math.min(LABEL, widest(item.rows) + 8) : 0
    const room = available - this.left - 2
    const wish = columns <= 24 ? NUMBER_WIDTH + 12 : columns <= 64 ? (item.wide ? 21 : 7) : SPREAD / columns
    this.cellWidth = Math.min(wish, room / columns)
    const numbered = this.cellWidth >= NUMBER_WIDTH && !item.words
    if (item.words) this.cellWidth = Math.min(24, room / columns)
    this.cellHeight = rows <= 40 ? (labelled || numbered ? ROW : 12) : Math.max(1, SPREAD / rows)
    if (item.words && rows <= 40) this.cellHeight = Math.min(ROW, Math.max(13, this.cellWidth))
    const flat = headed && widest(item.columns) + 4 <= this.cellWidth
    this.top = headed ? (flat ? 18 : Math.min(LABEL, widest(item.columns)) + 8) : 0
    const width = Math.ceil(this.left + columns * this.cellWidth) + 1
    const height = Math.ceil(this.top + rows * this.cellHeight) + 1
    const sharp = window.devicePixelRatio || 1
    canvas.width = width * sharp
    canvas.height = height * sharp
    canvas.style.width = `${width}px`
    canvas.style.height = `${height}px`
    pen.scale(sharp, sharp)
    this.pen = pen
    this.fonts = { small, number: `10px ${font}`, numbered }
    this.paintCells()
    const { ink } = this.row.settings
    pen.fillStyle = ink[this.row.theme]
    pen.font = small
    pen.textBaseline = "middle"
    const step = Math.max(1, Math.ceil(12 / this.cellHeight))
    if (labelled) {
      pen.textAlign = "right"
      item.rows.forEach((label, row) => {
        if (row % step === 0) pen.fillText(label, this.left - 6, this.top + (row + 0.5) * this.cellHeight, LABEL - 8)
      })
    }
    if (headed) {
      item.columns.forEach((label, column) => {
        pen.save()
        pen.translate(this.left + (column + 0.5) * this.cellWidth, this.top - 5)
        if (!flat) pen.rotate(-Math.PI / 2)
        pen.textAlign = flat ? "center" : "left"
        if (flat || this.cellWidth >= 9 || column % Math.ceil(9 / this.cellWidth) === 0) pen.fillText(label, 0, flat ? -4 : 0, LABEL)
        pen.restore()
      })
    }
  }

  // Frames regions of the matrix, as returned by `partsOf`, above the painted cells.
  mark(parts) {
    this.marks.replaceChildren()
    const { offsetLeft, offsetTop } = this.canvas
    for (const [row, rows, column, columns] of parts) {
      const { style } = element("div", "part", this.marks)
      style.left = `${offsetLeft + this.left + column * this.cellWidth}px`
      style.top = `${offsetTop + this.top + row * this.cellHeight}px`
      style.width = `${columns * this.cellWidth}px`
      style.height = `${rows * this.cellHeight}px`
    }
  }

  paintCells() {
    const { item, pen, row } = this
    const [rows, columns] = item.shape
    const colours = cssColours(item.scales[row.theme])
    const grey = row.settings.masked[row.theme]
    const gap = this.cellWidth >= 10 && this.cellHeight >= 10 ? 1 : 0
    pen.font = this.fonts.number
    pen.textBaseline = "middle"
    pen.textAlign = "center"
    for (let r = 0; r < rows; r++) {
      for (let c = 0; c < columns; c++) {
        const value = item.values[r * columns + c]
        const x = this.left + c * this.cellWidth
        const y = this.top + r * this.cellHeight
        const masked = value === -Infinity || (item.words && value === 0)
        const shade = Math.max(0, Math.min(255, Math.round(((value - item.low) / (item.high - item.low)) * 255)))
        const colour = masked ? grey : item.words ? colours[row.settings.allowed] : colours[shade]
        pen.fillStyle = colour
        // slightly larger than a cell, so that cells narrower than a pixel have no seams
        pen.fillRect(x, y, this.cellWidth - gap + (gap ? 0 : 0.6), this.cellHeight - gap + (gap ? 0 : 0.6))
        if (this.fonts.numbered && this.cellHeight >= 14) {
          pen.fillStyle = readable(colour)
          pen.fillText(masked ? item.masked[0] : short(value), x + (this.cellWidth - gap) / 2, y + this.cellHeight / 2)
        }
      }
    }
    if (this.cursor) {
      pen.strokeStyle = row.settings.ink[row.theme]
      pen.lineWidth = 2
      pen.strokeRect(
        this.left + this.cursor[1] * this.cellWidth,
        this.top + this.cursor[0] * this.cellHeight,
        Math.max(3, this.cellWidth - gap),
        Math.max(3, this.cellHeight - gap),
      )
    }
  }

  refresh() {
    const { pen, item } = this
    const [rows, columns] = item.shape
    pen.clearRect(this.left - 1, this.top - 1, columns * this.cellWidth + 3, rows * this.cellHeight + 3)
    this.paintCells()
  }

  cellAt(event) {
    const box = this.canvas.getBoundingClientRect()
    const column = Math.floor((event.clientX - box.left - this.left) / this.cellWidth)
    const row = Math.floor((event.clientY - box.top - this.top) / this.cellHeight)
    const [rows, columns] = this.item.shape
    return row >= 0 && column >= 0 && row < rows && column < columns ? [row, column] : null
  }

  pointed(event) {
    const cell = this.cellAt(event)
    this.row.markParts(...(cell ? [this, cell] : []))
    if (!cell) return this.row.tip.hide()
    if (this.stroke) this.switch(...cell, this.stroke.state)
    this.row.tip.show(event.clientX, event.clientY, ...readOut(this.item, ...cell))
  }

  // Dragging a finger scrolls the page; a tap toggles a cell. A cell whose sources are marked keeps the marks.
  tapped(event) {
    if (this.row.settings.made && this.cellAt(event)) {
      this.cursor = this.cellAt(event)
      this.refresh()
      this.row.markParts(this, this.cursor)
    }
    const cell = event.pointerType === "touch" && this.item.paint && this.cellAt(event)
    if (!cell) return
    this.stroke = { cells: [] }
    this.switch(...cell, !this.value(...cell))
    this.released()
  }

  pressed(event) {
    const cell = this.item.paint && event.pointerType !== "touch" ? this.cellAt(event) : null
    if (!cell) return
    this.canvas.setPointerCapture(event.pointerId)
    this.stroke = { state: !this.value(...cell), cells: [] }
    this.switch(...cell, this.stroke.state)
  }

  released() {
    if (this.stroke?.cells.length) this.row.answer("painted", this.stroke.cells)
    this.stroke = null
  }

  typed(event) {
    const step = arrowStep(event.key)
    const [rows, columns] = this.item.shape
    if (step) {
      const [row, column] = this.cursor ?? [-step[0], -step[1]]
      this.cursor = [clamp(row + step[0], rows), clamp(column + step[1], columns)]
    } else if (this.item.paint && (event.key === " " || event.key === "Enter")) {
      this.cursor ??= [0, 0]
      this.stroke = { cells: [] }
      this.switch(...this.cursor, !this.value(...this.cursor))
      this.released()
    } else return
    event.preventDefault()
    this.refresh()
    this.row.markParts(this, this.cursor)
    const box = this.canvas.getBoundingClientRect()
    const x = box.left + this.left + (this.cursor[1] + 0.5) * this.cellWidth
    const y = box.top + this.top + (this.cursor[0] + 0.5) * this.cellHeight
    this.row.tip.show(x, y, ...readOut(this.item, ...this.cursor))
    const [value, place] = readOut(this.item, ...this.cursor)
    this.row.liveRegion.replaceChildren(...place, `: ${value}`)
  }

  leave() {
    this.row.tip.hide()
    this.cursor = null
    this.refresh()
    this.row.markParts()
  }

  value(row, column) {
    return this.item.values[row * this.item.shape[1] + column]
  }

  switch(row, column, state) {
    if (Boolean(this.value(row, column)) === state) return
    this.item.values[row * this.item.shape[1] + column] = state ? 1 : 0
    this.stroke.cells.push([row, column, state])
    this.refresh()
  }
}

export default mounting(MatrixRow)
