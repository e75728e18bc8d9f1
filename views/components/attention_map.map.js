// One large map: tokens on both axes, a read-out of the cell under the pointer or the keyboard cursor, with its row and
// column marked, and the numbers as a table.

const LABEL = 12 // pixels between two legible labels
const LARGEST_CELL = 44 // pixels
const MARKS = ["row-mark", "column-mark", "cursor"]

class WeightMap {
  highest = 720 // pixels of a map

  // `onSelect(row, column)` is called with the marked cell, or (-1, -1).
  constructor(holder, onSelect = () => {}) {
    this.onSelect = onSelect
    this.root = element("div", "detail", holder)
    this.heading = element("h2", "", this.root)
    this.map = element("div", "map", this.root)
    this.columnAxis = element("div", "key-axis", this.map)
    this.rowAxis = element("div", "query-axis", this.map)
    this.columns = element("div", "keys", this.map)
    this.rows = element("div", "queries", this.map)
    this.canvas = element("canvas", "", this.map)
    this.scale = buildLegend(this.root)
    this.marked = MARKS.map((name) => element("div", name, this.root))
    for (const mark of this.marked) mark.hidden = true
    this.tip = new Tip(this.root, "pair", "value")
    this.liveRegion = buildLiveRegion(this.root)
    this.table = new Fold(this.root, (holder) => this.fill(holder))
    this.point = linkTokens(this.root, (at) => this.markLinked(at))
    for (const [list, axis] of [[this.rows, 0], [this.columns, 1]]) {
      list.onpointerover = ({ target }) => this.pointLabel([...list.children].indexOf(target), axis)
      list.onpointerleave = () => {
        this.markLinked([])
        this.point()
      }
    }
    this.canvas.tabIndex = 0
    this.canvas.setAttribute("role", "img")
    this.canvas.onpointermove = (event) => this.pointed(event)
    this.canvas.onpointerdown = (event) => this.pointed(event)
    this.canvas.onpointerleave = ({ pointerType }) => pointerType !== "touch" && this.leave() // after a tap the read-out stays
    this.canvas.onpointercancel = () => this.leave()
    this.canvas.onblur = () => this.leave()
    this.canvas.onkeydown = (event) => this.typed(event)
    this.at = [0, 0] // row and column of the keyboard cursor
    new ResizeObserver(() => {
      this.leave()
      this.label()
    }).observe(this.canvas)
  }

  // `shown` has: `name` for the heading and `label` for screen readers; `values` row by row, minus infinity if masked; the
  // labels `rows` and `columns`, the titles of their axes, and the kind of a label by `kindOf`, see `markData`; `shade` of
  // a value among `colours`, and `grey`; `drawScale` for the legend; `pair` and `write` for a cell and its value in words,
  // and the word `masked`; `corner` and title of the `table`, whose labels are `numbered`; optionally a `cursor`, where the
  // arrow keys start, and the `picture` below the map.
  show(shown) {
    this.shown = shown
    const [rows, columns] = (this.sides = [shown.rows.length, shown.columns.length])
    this.at = shown.cursor ?? this.at.map((place, axis) => clamp(place, this.sides[axis]))
    const cover = shown.picture ? Math.round(255 * shown.picture.opacity) << 24 : 0xff000000
    paintCells(this.canvas, this.sides, (cell) => {
      const value = shown.values[cell]
      const colour = value === -Infinity ? shown.grey : shown.colours[shown.shade(value)]
      return ((colour & 0xffffff) | cover) >>> 0
    })
    this.layOver(shown.picture)
    shown.drawScale(this.scale)
    const ratio = Math.min(2, Math.max(0.5, columns / rows)) // limited, as in the overview
    this.canvas.style.aspectRatio = ratio
    const widest = Math.min(this.highest * ratio, LARGEST_CELL * Math.max(columns, rows * ratio))
    // fits the screen if the page states the height of what is above and below, unless labels would be illegible
    const whole = `max(${LABEL * rows * ratio}px, (100vh - var(--around, -1000vh)) * ${ratio})`
    this.canvas.style.maxWidth = `min(${widest}px, ${whole})`
    this.columns.style.maxWidth = this.canvas.style.maxWidth
    this.table.title.textContent = shown.table
    if (this.heading.textContent && this.heading.textContent !== shown.name) this.liveRegion.textContent = shown.name
    this.heading.textContent = shown.name
    this.heading.dataset.size = this.sides.join(" \u00d7 ")
    this.rowAxis.textContent = shown.row_title
    this.columnAxis.textContent = shown.column_title
    this.canvas.setAttribute("aria-label", shown.label)
    this.root.dataset.drawn = [...shown.rows, "/", ...shown.columns].join(" ")
    this.leave()
    this.label()
    this.table.follow()
  }

  // Draws the picture below the map, if any: its pixels, its height and width, and how much of it is covered.
  layOver(picture) {
    if (picture?.pixels === this.under) return
    this.under = picture?.pixels
    const canvas = document.createElement("canvas")
    if (picture) paintPicture(canvas, picture.pixels, picture.size)
    this.canvas.style.backgroundImage = picture ? `url(${canvas.toDataURL()})` : ""
  }

  // Shows as many tokens as are legible.
  label() {
    if (!this.shown) return // the numbers have not arrived yet
    const { rows, columns, kindOf } = this.shown
    for (const [list, names, pixels] of [[this.rows, rows, this.canvas.clientHeight], [this.columns, columns, this.canvas.clientWidth]]) {
      const step = Math.max(1, Math.ceil((LABEL * names.length) / Math.max(1, pixels)))
      list.replaceChildren()
      names.forEach((name, number) => {
        markData(element("span", "", list), kindOf(name)).textContent = number % step ? "" : name
      })
    }
  }

  pointed(event) {
    if (!this.shown) return
    const [row, column] = pointedCell(event, this.canvas, this.sides)
    this.read(clamp(row, this.sides[0]), clamp(column, this.sides[1]), event.clientX, event.clientY)
  }

  typed(event) {
    const step = arrowStep(event.key)
    if (!step || !this.shown) return
    event.preventDefault()
    const shown = !this.tip.box.hidden
    const [row, column] = shown ? this.at.map((place, axis) => clamp(place + step[axis], this.sides[axis])) : this.at
    const box = this.canvas.getBoundingClientRect()
    this.read(row, column, box.left + ((column + 0.5) / this.sides[1]) * box.width, box.top + ((row + 0.5) / this.sides[0]) * box.height)
    this.liveRegion.replaceChildren(...this.shown.pair(row, column), `: ${this.valueAt(row, column)}`)
  }

  read(row, column, x, y) {
    this.at = [row, column]
    this.tip.show(x, y, this.shown.pair(row, column), this.valueAt(row, column))
    this.markCell(row, column)
    this.point(this.called(row, 0), this.called(column, 1))
    this.onSelect(row, column)
  }

  called(place, axis) {
    return calledIn(axis ? this.shown.columns : this.shown.rows, place, this.shown.places)
  }

  // Marks the token of an axis label here and elsewhere.
  pointLabel(place, axis) {
    if (place < 0) return
    const at = [this.called(place, axis)]
    this.markLinked(at)
    this.point(...at)
  }

  markLinked(at) {
    if (!this.shown) return
    this.tip.hide()
    this.markCell(...linkedCell(at, this.shown.rows, this.shown.columns, this.shown.places))
  }

  // Marks a cell's row and column with their labels; -1 for none.
  markCell(row, column) {
    const box = this.canvas.getBoundingClientRect()
    const frame = this.root.getBoundingClientRect()
    const [wide, tall] = [box.width / this.sides[1], box.height / this.sides[0]]
    const whole = { left: box.left - frame.left, top: box.top - frame.top, width: box.width, height: box.height }
    const across = { top: whole.top + row * tall, height: tall }
    const down = { left: whole.left + column * wide, width: wide }
    const hidden = [row < 0, column < 0, row < 0 || column < 0]
    ;[{ ...whole, ...across }, { ...whole, ...down }, { ...across, ...down }].forEach((place, number) => {
      this.marked[number].hidden = hidden[number]
      for (const side in place) this.marked[number].style[side] = `${place[side]}px`
    })
    for (const [list, place] of [[this.rows, row], [this.columns, column]]) {
      list.querySelector(".at")?.classList.remove("at")
      list.children[place]?.classList.add("at")
    }
  }

  valueAt(row, column) {
    const value = this.shown.values[row * this.sides[1] + column]
    return value === -Infinity ? this.shown.masked : this.shown.write(value)
  }

  leave() {
    if (this.tip.box.hidden) return
    this.tip.hide()
    this.markCell(-1, -1)
    this.point()
    this.onSelect(-1, -1)
  }

  fill(holder) {
    const { shown } = this
    const name = (label, place) => (shown.numbered ? `${place + 1} ${label}` : label)
    const columns = shown.columns.map((label, place) => [name(label, place), shown.kindOf(label)])
    const rows = shown.rows.map((label, row) => [name(label, row), ...shown.columns.map((_, column) => this.valueAt(row, column))])
    const table = buildTable(holder, [[shown.corner, ""], ...columns], rows, "")
    table.querySelectorAll("tbody th").forEach((heading, row) => markData(heading, shown.kindOf(shown.rows[row])))
    table.querySelectorAll("td").forEach((cell, place) => {
      const value = shown.values[place]
      if (value !== -Infinity) markData(cell, "number").title = Number(value.toPrecision(9)) // all of a float32's digits
    })
  }
}
