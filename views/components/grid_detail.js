// The chosen map of the overview, large: tokens on both axes, every cell read out under the pointer or by the arrow keys,
// and the numbers as a table. It stands behind the overview's script and shares its sheet, colours and words.

const LABEL = 12 // pixels between two labels that can be read
const LARGEST_CELL = 44 // pixels
const HIGHEST = 720 // pixels of a map

class Detail {
  constructor(shadow) {
    this.shadow = shadow
    this.root = element("div", "detail-root component", shadow)
    this.heading = element("h2", "", this.root)
    this.map = element("div", "map", this.root)
    this.keys = element("div", "keys", this.map)
    this.queries = element("div", "queries", this.map)
    this.canvas = element("canvas", "", this.map)
    this.cursor = element("div", "cursor", this.root)
    this.tip = new Tip(this.root, "pair", "value")
    this.heard = buildHeard(this.root)
    this.table = new Fold(this.root, (holder) => this.fill(holder))
    this.canvas.tabIndex = 0
    this.canvas.setAttribute("role", "img")
    this.canvas.onpointermove = (event) => this.pointed(event)
    this.canvas.onpointerdown = (event) => this.pointed(event)
    this.canvas.onpointerleave = () => this.leave()
    this.canvas.onblur = () => this.leave()
    this.canvas.onkeydown = (event) => this.typed(event)
    this.at = [0, 0] // query and key that the arrow keys stand on
    this.leave()
    new ResizeObserver(() => {
      this.leave()
      this.label()
    }).observe(this.canvas)
  }

  // The mark says which map is chosen, as it does on the page.
  choose([row, column]) {
    this.shadow.host.parentElement.querySelector("[data-chosen]").dataset.chosen = JSON.stringify([row, column])
    this.show()
  }

  show() {
    this.grid = instances.get(this.shadow)
    const { sheet, theme } = this.grid
    ;[this.row, this.column] = this.grid.mark.read()
    const [, columns, queries, keys] = sheet.shape
    const start = (this.row * columns + this.column) * queries * keys
    this.weights = sheet.weights.subarray(start, start + queries * keys)
    const top = (sheet.decades ? 1 : largest(sheet.shared_scale ? sheet.weights : this.weights)) || 1
    const colours = lookupTable(sheet.scales[theme])
    const grey = packed(sheet.masked[theme])
    paintCells(this.canvas, [queries, keys], (cell) => {
      const shade = Math.round(this.grid.shade(this.weights[cell] / top) * 255)
      return this.masked(Math.floor(cell / keys), cell % keys) ? grey : colours[shade]
    })
    const ratio = Math.min(2, Math.max(0.5, keys / queries)) // within bounds, as in the overview
    this.canvas.style.aspectRatio = ratio
    this.canvas.style.maxWidth = `${Math.min(HIGHEST * ratio, LARGEST_CELL * Math.max(keys, queries * ratio))}px`
    this.keys.style.maxWidth = this.canvas.style.maxWidth
    this.table.title.textContent = sheet.words.table
    this.shown = sheet.places ? "" : "token"
    markData(this.tip.lines[0], this.shown)
    this.heading.textContent = this.grid.nameOf(this.row, this.column)
    this.canvas.setAttribute("aria-label", filled(sheet.words.keys, { map: this.grid.describe(this.row, this.column) }))
    this.leave()
    this.label()
    this.table.follow()
  }

  masked(query, key) {
    return this.grid.sheet.causal && key > query
  }

  // As many tokens as can be read.
  label() {
    if (!this.grid) return
    const { sheet } = this.grid
    const sides = [[this.queries, sheet.queries, this.canvas.clientHeight], [this.keys, sheet.keys, this.canvas.clientWidth]]
    for (const [list, names, pixels] of sides) {
      const step = Math.max(1, Math.ceil((LABEL * names.length) / Math.max(1, pixels)))
      list.replaceChildren()
      names.forEach((name, number) => {
        markData(element("span", "", list), this.shown).textContent = number % step ? "" : name
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
    this.heard.textContent = this.tip.lines.map((line) => line.textContent).join(": ")
  }

  read(query, key, x, y) {
    const [, , queries, keys] = this.grid.sheet.shape
    this.at = [query, key]
    this.tip.show(x, y, this.grid.pair(query, key), this.valueAt(query, key))
    const box = this.canvas.getBoundingClientRect()
    const frame = this.root.getBoundingClientRect()
    const [wide, tall] = [box.width / keys, box.height / queries]
    this.cursor.hidden = false
    Object.assign(this.cursor.style, {
      left: `${box.left - frame.left + key * wide}px`,
      top: `${box.top - frame.top + query * tall}px`,
      width: `${wide}px`,
      height: `${tall}px`,
    })
  }

  valueAt(query, key) {
    const { sheet } = this.grid
    return this.masked(query, key) ? sheet.words.masked : this.grid.readOut(this.weights[query * sheet.keys.length + key])
  }

  leave() {
    this.tip.hide()
    this.cursor.hidden = true
  }

  fill(holder) {
    const { sheet } = this.grid
    const name = (label, place) => (sheet.places ? label : `${place + 1} ${label}`)
    const keys = sheet.keys.map((key, place) => [name(key, place), this.shown])
    const rows = sheet.queries.map((token, query) => [name(token, query), ...sheet.keys.map((_, key) => this.valueAt(query, key))])
    buildTable(holder, [[`${sheet.words.query} \\ ${sheet.words.key}`, ""], ...keys], rows, this.shown)
  }
}
