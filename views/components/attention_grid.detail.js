// The chosen map of the overview, large: tokens on both axes, every cell read out under the pointer or by the arrow keys,
// with its row and its column marked, and the numbers as a table. It shows what the overview's payload holds.

const LABEL = 12 // pixels between two labels that can be read
const LARGEST_CELL = 44 // pixels
const HIGHEST = 720 // pixels of a map
const MARKS = ["row-mark", "column-mark", "cursor"]

class Detail {
  constructor(grid) {
    this.grid = grid
    this.root = element("div", "detail", grid.root)
    this.heading = element("h2", "", this.root)
    this.map = element("div", "map", this.root)
    this.keyAxis = element("div", "key-axis", this.map)
    this.queryAxis = element("div", "query-axis", this.map)
    this.keys = element("div", "keys", this.map)
    this.queries = element("div", "queries", this.map)
    this.canvas = element("canvas", "", this.map)
    this.scale = buildLegend(this.root)
    this.marked = MARKS.map((name) => element("div", name, this.root))
    this.tip = new Tip(this.root, "pair", "value")
    this.heard = buildHeard(this.root)
    this.table = new Fold(this.root, (holder) => this.fill(holder))
    this.canvas.tabIndex = 0
    this.canvas.setAttribute("role", "img")
    this.canvas.onpointermove = (event) => this.pointed(event)
    this.canvas.onpointerdown = (event) => this.pointed(event)
    this.canvas.onpointerleave = () => this.leave()
    this.canvas.onpointercancel = () => this.leave()
    this.canvas.onblur = () => this.leave()
    this.canvas.onkeydown = (event) => this.typed(event)
    this.at = [0, 0] // query and key that the arrow keys stand on
    new ResizeObserver(() => {
      this.leave()
      this.label()
    }).observe(this.canvas)
  }

  show(row, column) {
    const { sheet, theme } = this.grid
    const [, columns, queries, keys] = sheet.shape
    const start = (row * columns + column) * queries * keys
    this.weights = sheet.weights.subarray(start, start + queries * keys)
    const top = (sheet.decades ? 1 : largest(sheet.shared_scale ? sheet.weights : this.weights)) || 1
    const colours = lookupTable(sheet.scales[theme])
    const grey = packed(sheet.masked[theme])
    paintCells(this.canvas, [queries, keys], (cell) => {
      const shade = Math.round(this.grid.shade(this.weights[cell] / top) * 255)
      return this.masked(Math.floor(cell / keys), cell % keys) ? grey : colours[shade]
    })
    this.grid.drawScale(this.scale, colours, top)
    const ratio = Math.min(2, Math.max(0.5, keys / queries)) // within bounds, as in the overview
    this.canvas.style.aspectRatio = ratio
    this.canvas.style.maxWidth = `${Math.min(HIGHEST * ratio, LARGEST_CELL * Math.max(keys, queries * ratio))}px`
    this.keys.style.maxWidth = this.canvas.style.maxWidth
    this.table.title.textContent = sheet.words.table
    this.shown = sheet.places ? "" : "token"
    markData(this.tip.lines[0], this.shown)
    this.heading.textContent = filled(sheet.detail.heading, { map: this.grid.nameOf(row, column) })
    this.queryAxis.textContent = sheet.detail.query_axis
    this.keyAxis.textContent = sheet.detail.key_axis
    this.canvas.setAttribute("aria-label", filled(sheet.words.keys, { map: this.grid.describe(row, column) }))
    this.root.dataset.drawn = [...sheet.queries, "/", ...sheet.keys].join(" ")
    this.leave()
    this.label()
    this.table.follow()
  }

  // What a label is that the page does not say: of a picture's places only CLS has a name.
  kindOf(label) {
    const { places, cls } = this.grid.sheet
    return places && label !== cls ? "" : "token"
  }

  masked(query, key) {
    return this.grid.sheet.causal && key > query
  }

  // As many tokens as can be read.
  label() {
    const { sheet } = this.grid
    const sides = [[this.queries, sheet.queries, this.canvas.clientHeight], [this.keys, sheet.keys, this.canvas.clientWidth]]
    for (const [list, names, pixels] of sides) {
      const step = Math.max(1, Math.ceil((LABEL * names.length) / Math.max(1, pixels)))
      list.replaceChildren()
      names.forEach((name, number) => {
        markData(element("span", "", list), this.kindOf(name)).textContent = number % step ? "" : name
      })
    }
  }

  pointed(event) {
    const { sheet } = this.grid
    const [, , queries, keys] = sheet.shape
    const [query, key] = pointedCell(event, this.canvas, [queries, keys])
    this.read(clamp(query, queries), clamp(key, keys), event.clientX, event.clientY)
  }

  typed(event) {
    const step = arrowStep(event.key)
    if (!step) return
    event.preventDefault()
    const [, , queries, keys] = this.grid.sheet.shape
    const shown = !this.tip.box.hidden
    const [query, key] = shown ? [clamp(this.at[0] + step[0], queries), clamp(this.at[1] + step[1], keys)] : this.at
    const box = this.canvas.getBoundingClientRect()
    this.read(query, key, box.left + ((key + 0.5) / keys) * box.width, box.top + ((query + 0.5) / queries) * box.height)
    this.heard.replaceChildren(dataText(this.grid.pair(query, key), this.shown), `: ${this.valueAt(query, key)}`)
  }

  read(query, key, x, y) {
    const [, , queries, keys] = this.grid.sheet.shape
    this.at = [query, key]
    this.tip.show(x, y, this.grid.pair(query, key), this.valueAt(query, key))
    const box = this.canvas.getBoundingClientRect()
    const frame = this.root.getBoundingClientRect()
    const [wide, tall] = [box.width / keys, box.height / queries]
    const whole = { left: box.left - frame.left, top: box.top - frame.top, width: box.width, height: box.height }
    const row = { ...whole, top: whole.top + query * tall, height: tall }
    const column = { ...whole, left: whole.left + key * wide, width: wide }
    ;[row, column, { ...row, left: column.left, width: wide }].forEach((place, number) => {
      this.marked[number].hidden = false
      for (const side in place) this.marked[number].style[side] = `${place[side]}px`
    })
    this.markLabels(query, key)
  }

  // The labels of the cell's row and column; -1 for none.
  markLabels(query, key) {
    for (const [list, place] of [[this.queries, query], [this.keys, key]]) {
      list.querySelector(".at")?.classList.remove("at")
      list.children[place]?.classList.add("at")
    }
  }

  valueAt(query, key) {
    const { sheet } = this.grid
    return this.masked(query, key) ? sheet.words.masked : this.grid.readOut(this.weights[query * sheet.keys.length + key])
  }

  leave() {
    this.tip.hide()
    for (const mark of this.marked) mark.hidden = true
    this.markLabels(-1, -1)
  }

  fill(holder) {
    const { sheet } = this.grid
    const name = (label, place) => (sheet.places ? label : `${place + 1} ${label}`)
    const keys = sheet.keys.map((key, place) => [name(key, place), this.kindOf(key)])
    const rows = sheet.queries.map((token, query) => [name(token, query), ...sheet.keys.map((_, key) => this.valueAt(query, key))])
    const table = buildTable(holder, [[`${sheet.words.query} \\ ${sheet.words.key}`, ""], ...keys], rows, "")
    table.querySelectorAll("tbody th").forEach((heading, query) => markData(heading, this.kindOf(sheet.queries[query])))
    table.querySelectorAll("td").forEach((cell, place) => {
      const [query, key] = [Math.floor(place / sheet.keys.length), place % sheet.keys.length]
      if (this.masked(query, key)) return
      markData(cell, "number").title = Number(this.weights[place].toPrecision(9)) // all of a float32's digits
    })
  }
}
