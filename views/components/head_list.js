// A ranked list of heads. One option a head, each with a small canvas that holds one pixel a cell; nothing is asked of
// the server until a person chooses one.

class HeadList extends View {
  constructor(parentElement) {
    super(parentElement, ".list-root")
    this.options = []
    this.mark = watchMark(this.host, () => this.followMark())
  }

  show(bytes) {
    if (!this.isNew(bytes)) return
    const [header, body] = unpack(bytes)
    this.header = header
    this.body = new Uint8Array(body)
    this.build()
    if (this.theme !== header.theme) this.reportTheme(this.theme)
    this.followMark()
    this.root.dataset.drawn = header.rows.map((row) => row.name).join(" ")
  }

  build() {
    const { header, body, theme } = this
    const focused = this.options.some((option) => option.matches(":focus"))
    const scrolled = this.list?.scrollTop ?? 0
    this.root.replaceChildren()
    this.root.classList.toggle("once", !header.columns[3])
    const head = element("div", "head", this.root)
    head.setAttribute("aria-hidden", "true")
    for (const [place, title] of header.columns.entries()) element("span", `column-${place}`, head).textContent = title
    this.list = element("div", "heads", this.root)
    this.list.setAttribute("role", "listbox")
    this.list.setAttribute("aria-label", header.title)
    const tables = Object.fromEntries(Object.entries(header.scales).map(([kind, scale]) => [kind, lookupTable(scale[theme])]))
    let offset = 0
    this.options = header.rows.map((row, place) => {
      const cells = body.subarray(offset, offset + row.weights[0] * row.weights[1])
      offset += cells.length
      return this.option(row, place, cells, tables[row.kind], packed(header.masked[theme]))
    })
    layUnder(this.list, header, body.subarray(offset))
    this.list.scrollTop = scrolled
    if (focused) this.options[0]?.focus()
  }

  option(row, place, cells, colours, grey) {
    const { header } = this
    const option = element("div", "option", this.list)
    option.setAttribute("role", "option")
    option.dataset.name = row.name
    option.setAttribute("aria-description", header.columns.slice(1).filter(Boolean).join("; ")) // of the numbers in it
    const map = element("span", "map over", option)
    const keys = row.weights[1]
    const masked = (cell) => row.causal && cell % keys > Math.floor(cell / keys)
    paintCells(element("canvas", "pixels", map), row.weights, (cell) => (masked(cell) ? grey : colours[cells[cell]]))
    const name = element("span", "name", option)
    element("small", "rank", name).textContent = place + 1
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
    option.onclick = () => this.take(option)
    option.onkeydown = (event) => this.press(event, place)
    return option
  }

  take(option) {
    this.select(option.dataset.name)
    this.answer("chosen", option.dataset.name)
  }

  press(event, place) {
    const last = this.options.length - 1
    const next = { ArrowUp: place - 1, ArrowDown: place + 1, Home: 0, End: last }[event.key]
    if (event.key === "Enter" || event.key === " ") this.take(this.options[place])
    else if (next !== undefined) this.options[clamp(next, this.options.length)].focus()
    else return
    event.preventDefault()
  }

  // What the page says is selected.
  followMark() {
    const selected = this.mark.read()
    if (selected !== null) this.select(selected)
  }

  select(name) {
    const known = this.options.some((option) => option.dataset.name === name)
    this.options.forEach((option, place) => {
      const chosen = option.dataset.name === name
      option.setAttribute("aria-selected", chosen)
      option.tabIndex = chosen || (!known && place === 0) ? 0 : -1
    })
  }
}

export default mounting(HeadList)
