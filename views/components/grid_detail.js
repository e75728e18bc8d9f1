// The chosen map of the overview, large: tokens on both axes, every cell read out under the pointer or by the arrow keys,
// and the numbers as a table. It stands behind the overview's script and shares its sheet, colours and words.

const LABEL = 12 // pixels between two labels that can be read
const LARGEST_CELL = 44 // pixels
const HIGHEST = 720 // pixels of a map

class Detail {
  constructor(shadow) {
    this.shadow = shadow
    this.root = element("div", "detail-root", shadow)
    this.heading = element("h2", "", this.root)
    this.map = element("div", "map", this.root)
    this.keys = element("div", "keys", this.map)
    this.queries = element("div", "queries", this.map)
    this.canvas = element("canvas", "", this.map)
    this.cursor = element("div", "cursor", this.root)
    this.tip = element("div", "tip", this.root)
    this.pair = element("div", "pair", this.tip)
    this.value = element("div", "value", this.tip)
    this.heard = element("div", "heard", this.root)
    this.heard.setAttribute("aria-live", "polite")
    this.fold = element("details", "numbers", this.root)
    this.summary = element("summary", "", this.fold)
    this.holder = element("div", "scroll", this.fold)
    this.holder.tabIndex = 0
    this.fold.ontoggle = () => this.fill()
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
    this.shadow.host.parentElement.querySelector("[data-selected]").dataset.selected = `${row} ${column}`
    this.show()
  }

  show() {
    this.grid = instances.get(this.shadow)
    const { sheet, theme } = this.grid
    ;[this.row, this.column] = this.grid.mark.read().split(" ").map(Number)
    const [, columns, queries, keys] = sheet.shape
    const start = (this.row * columns + this.column) * queries * keys
    this.weights = sheet.weights.subarray(start, start + queries * keys)
    const largest = (values) => values.reduce((most, value) => Math.max(most, value), 0)
    const top = (sheet.decades ? 1 : largest(sheet.shared ? sheet.weights : this.weights)) || 1
    const colours = lookupTable(sheet.scales[theme])
    const grey = packed(sheet.masked[theme])
    this.canvas.width = keys
    this.canvas.height = queries
    const image = new ImageData(keys, queries)
    const pixels = new Uint32Array(image.data.buffer)
    for (let cell = 0; cell < pixels.length; cell++) {
      const shade = Math.round(this.grid.shade(this.weights[cell] / top) * 255)
      pixels[cell] = this.masked(Math.floor(cell / keys), cell % keys) ? grey : colours[shade]
    }
    this.canvas.getContext("2d").putImageData(image, 0, 0)
    const ratio = Math.min(2, Math.max(0.5, keys / queries)) // within bounds, as in the overview
    this.canvas.style.aspectRatio = ratio
    this.canvas.style.maxWidth = `${Math.min(HIGHEST * ratio, LARGEST_CELL * Math.max(keys, queries * ratio))}px`
    this.keys.style.maxWidth = this.canvas.style.maxWidth
    this.summary.textContent = sheet.words.table
    this.shown = sheet.places ? "" : "token"
    markData(this.pair, this.shown)
    this.heading.textContent = this.grid.nameOf(this.row, this.column)
    this.canvas.setAttribute("aria-label", filled(sheet.words.keys, { map: this.grid.describe(this.row, this.column) }))
    this.leave()
    this.label()
    this.fill()
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
    const box = this.canvas.getBoundingClientRect()
    const query = clamp(Math.floor(((event.clientY - box.top) / box.height) * queries), queries)
    const key = clamp(Math.floor(((event.clientX - box.left) / box.width) * keys), keys)
    this.read(query, key, event.clientX, event.clientY)
  }

  typed(event) {
    const step = arrowStep(event.key)
    if (!step) return
    event.preventDefault()
    const [, , queries, keys] = this.grid.sheet.shape
    const shown = !this.tip.hidden
    const [query, key] = shown ? [clamp(this.at[0] + step[0], queries), clamp(this.at[1] + step[1], keys)] : this.at
    const box = this.canvas.getBoundingClientRect()
    this.read(query, key, box.left + ((key + 0.5) / keys) * box.width, box.top + ((query + 0.5) / queries) * box.height)
    this.heard.textContent = `${this.pair.textContent}: ${this.value.textContent}`
  }

  read(query, key, x, y) {
    const [, , queries, keys] = this.grid.sheet.shape
    this.at = [query, key]
    this.pair.textContent = this.grid.pair(query, key)
    this.value.textContent = this.masked(query, key) ? this.grid.sheet.words.masked : this.grid.readOut(this.weights[query * keys + key])
    placeTip(this.tip, this.root, x, y)
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

  leave() {
    this.tip.hidden = true
    this.cursor.hidden = true
  }

  // The table is made when it is opened.
  fill() {
    this.holder.replaceChildren()
    if (!this.fold.open) return
    const { sheet } = this.grid
    const name = (label, place) => (sheet.places ? label : `${place + 1} ${label}`)
    const table = element("table", "", this.holder)
    const head = element("tr", "", element("thead", "", table))
    const heading = (text, shown) => {
      const cell = markData(element("th", "", head), shown)
      cell.scope = "col"
      cell.textContent = text
    }
    heading(`${sheet.words.query} \\ ${sheet.words.key}`, "")
    sheet.keys.forEach((key, place) => heading(name(key, place), this.shown))
    const body = element("tbody", "", table)
    sheet.queries.forEach((token, query) => {
      const line = element("tr", "", body)
      const header = markData(element("th", "", line), this.shown)
      header.scope = "row"
      header.textContent = name(token, query)
      sheet.keys.forEach((_, key) => {
        const weight = this.weights[query * sheet.keys.length + key]
        element("td", "", line).textContent = this.masked(query, key) ? sheet.words.masked : this.grid.readOut(weight)
      })
    })
  }
}
