// A ranked list of heads, and the large map of the selected one. One option per head, each with a small canvas of one
// pixel per cell. Order, kind and head are selected here and drawn without the server.

const FIRST = "first" // the id of the head that is first in the list

class HeadList extends ChoosingView {
  constructor(parentElement) {
    super(parentElement, ".list-root")
    this.options = []
  }

  show(bytes) {
    if (!this.isNew(bytes)) return
    const [header, body] = unpack(bytes)
    this.header = header
    this.read(body)
    this.listed = ""
    this.opened = null
    const focused = this.options.some((option) => option.matches(":focus"))
    const scrolled = this.list?.scrollTop ?? 0
    this.fit([], header.theme)
    this.fill()
    this.take(header)
    this.list.scrollTop = scrolled
    if (focused) this.options.find((option) => option.tabIndex === 0)?.focus()
    this.root.dataset.drawn = header.rows.map((row) => row.name).join(" ")
  }

  // The small maps, one byte per cell; the picture below them; the full maps.
  read(body) {
    const { rows, underlay, form, exact } = this.header
    let offset = 0
    const block = (length) => body.slice(offset, (offset += length)) // a copy is aligned, as typed arrays need
    const count = ([height, width]) => height * width
    this.small = rows.map((row) => new Uint8Array(block(count(row.weights))))
    this.picture = underlay && new Uint8Array(block(3 * count(underlay)))
    const whole = form === "float32"
    this.large = rows.map(({ cells }) => {
      if (!cells) return null
      const numbers = block(count(cells) * (whole ? 4 : 2))
      return { weights: whole ? new Float32Array(numbers) : fromHalf(new Uint16Array(numbers)), rounded: !whole }
    })
    if (exact !== null) this.large[exact] = { weights: new Float32Array(block(4 * count(rows[exact].cells))) }
  }

  build() {
    this.root.replaceChildren()
    this.choices = new Choices(this)
    const both = element("div", "with-detail", this.root)
    const ranking = element("div", "ranking", both)
    this.head = element("div", "head", ranking)
    this.head.setAttribute("aria-hidden", "true")
    this.list = element("div", "heads", ranking)
    this.list.setAttribute("role", "listbox")
    this.detail = new WeightMap(both)
  }

  fill() {
    const { header, theme } = this
    this.root.classList.toggle("once", !header.columns[3])
    this.head.replaceChildren()
    for (const [place, title] of header.columns.entries()) element("span", `column-${place}`, this.head).textContent = title
    this.list.setAttribute("aria-label", header.title)
    this.tables = Object.fromEntries(Object.entries(header.scales).map(([kind, scale]) => [kind, lookupTable(scale[theme])]))
    this.list.replaceChildren()
    const grey = packed(header.masked[theme])
    this.options = header.rows.map((row, place) => this.option(row, this.small[place], this.tables[row.kind], grey))
    layUnder(this.list, header, this.picture)
  }

  option(row, cells, colours, grey) {
    const { header } = this
    const option = element("div", "option", this.list)
    option.setAttribute("role", "option")
    option.dataset.name = row.name
    option.dataset.shown = row.id
    option.setAttribute("aria-description", header.columns.slice(1).filter(Boolean).join("; ")) // the meaning of its numbers
    const map = element("span", "map over", option)
    const keys = row.weights[1]
    const masked = (cell) => row.causal && cell % keys > Math.floor(cell / keys)
    paintCells(element("canvas", "pixels", map), row.weights, (cell) => (masked(cell) ? grey : colours[cells[cell]]))
    const name = element("span", "name", option)
    element("small", "rank", name)
    const called = element("span", "", name)
    called.textContent = row.name
    called.style.borderColor = header.hues[row.kind]
    const bar = element("span", "effect", option)
    const share = header.largest ? Math.min(100, (100 * Math.abs(row.effect)) / header.largest) : 0
    const colour = row.effect >= 0 ? header.hues[row.kind] : header.negative
    const fill = `color-mix(in srgb, ${colour} 40%, transparent)`
    bar.style.background = `linear-gradient(to right, ${fill} ${share}%, transparent ${share}%)`
    bar.textContent = row.effect_words
    element("span", "label here", option).textContent = row.here
    const over = element("span", "label often", option)
    over.textContent = row.often
    over.dataset.column = header.columns[3]
    option.onclick = () => this.open(option)
    option.onkeydown = (event) => this.press(event, option)
    return option
  }

  // Draws the selected order of the list and the selected head.
  arrange() {
    const { header, chosen } = this
    const { sort, of, shown } = header.roles
    this.choices.fit(header)
    this.choices.show(chosen)
    const order = header.orders[chosen[sort]].filter((place) => [undefined, header.every, header.rows[place].kind].includes(chosen[of]))
    if (order.join() !== this.listed) {
      this.listed = order.join()
      this.list.replaceChildren(...order.map((place) => this.options[place]))
      order.forEach((place, rank) => (this.options[place].querySelector(".rank").textContent = rank + 1))
    }
    const opened = chosen[shown] === FIRST ? order[0] : header.rows.findIndex(({ id }) => id === chosen[shown])
    this.select(opened, order[0])
    if (opened === this.opened || !this.large[opened]) return
    this.opened = opened
    this.detail.show(this.inputOf(header.rows[opened], this.large[opened]))
  }

  // Whether only the server has the map of the selected head.
  waits() {
    return !this.large[this.options.findIndex((option) => option.ariaSelected === "true")]
  }

  // The selected map as input of `WeightMap`.
  inputOf(row, { weights, rounded }) {
    const { header, theme } = this
    const { words, axes } = header
    const about = axes[row.kind]
    const [height, width] = row.cells
    const top = largest(weights)
    const colours = this.tables[row.kind]
    const name = filled(about.heading, { map: placeInWords(words, row.layer, row.head) })
    return {
      name,
      label: filled(words.read, { name, rows: height, columns: width }),
      values: weights.map((weight, cell) => (row.causal && cell % width > Math.floor(cell / width) ? -Infinity : weight)),
      rows: about.queries,
      columns: about.keys,
      row_title: about.query_axis,
      column_title: about.key_axis,
      kindOf: () => (about.places ? "" : "token"),
      colours,
      shade: (weight) => Math.round(Math.min(1, weight / (top || 1)) * 255),
      grey: packed(header.masked[theme]),
      drawScale: (scale) => {
        scale.paint(colours)
        scale.low.textContent = "0"
        scale.high.textContent = threeDigits(top)
      },
      pair: (query, key) => [dataText(`${about.queries[query]} \u2192 ${about.keys[key]}`, about.places ? "" : "token")],
      write: rounded ? threeDigitsOfHalf : full,
      masked: words.masked,
      table: words.table,
      corner: about.corner,
      numbered: !about.places,
      places: about.places,
      picture: this.picture && { pixels: this.picture, size: header.underlay, opacity: header.opacity },
    }
  }

  open(option) {
    this.set({ [this.header.roles.shown]: option.dataset.shown })
  }

  press(event, option) {
    const shown = [...this.list.children]
    const place = shown.indexOf(option)
    const last = shown.length - 1
    const next = { ArrowUp: place - 1, ArrowDown: place + 1, Home: 0, End: last }[event.key]
    if (event.key === "Enter" || event.key === " ") this.open(option)
    else if (next !== undefined) shown[clamp(next, shown.length)].focus()
    else return
    event.preventDefault()
  }

  // The selected head need not be in the list; then the Tab key reaches the first one.
  select(opened, first) {
    const known = this.options[opened]?.isConnected
    this.options.forEach((option, place) => {
      option.setAttribute("aria-selected", place === opened)
      option.tabIndex = place === (known ? opened : first) ? 0 : -1
    })
  }
}

export default mounting(HeadList)
