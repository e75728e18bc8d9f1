// A ranked list of heads. One option a head, each with a small canvas that holds one pixel a cell; nothing is asked of
// the server until a person chooses one.

const instances = new WeakMap()

export default function ({ data, parentElement, setTriggerValue, setStateValue }) {
  let list = instances.get(parentElement)
  if (!list) {
    list = new HeadList(parentElement)
    instances.set(parentElement, list)
  }
  list.choose = (name) => setTriggerValue("chosen", name)
  list.reportTheme = (theme) => setStateValue("theme", theme)
  list.show(data)
  return () => {
    instances.delete(parentElement)
    list.watching.disconnect()
  }
}

class HeadList {
  constructor(parentElement) {
    this.host = parentElement.host ?? parentElement
    this.root = parentElement.querySelector(".list-root")
    this.bytes = new Uint8Array()
    this.options = []
    this.surroundings = this.host.closest('[class*="-with-mark"]')
    this.watching = new MutationObserver(() => this.followMark())
    this.watching.observe(this.surroundings, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-selected"] })
  }

  show(bytes) {
    const theme = themeOf(this.host)
    if (theme === this.theme && sameBytes(bytes, this.bytes)) return
    this.theme = theme
    this.bytes = bytes
    const [header, body] = unpack(bytes)
    this.header = header
    if (theme !== header.theme) this.reportTheme(theme)
    this.build(theme, new Uint8Array(body))
    this.followMark()
    this.root.dataset.drawn = header.rows.map((row) => row.name).join(" ")
  }

  build(theme, body) {
    const { header } = this
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
      const cells = body.subarray(offset, offset + row.shape[0] * row.shape[1])
      offset += cells.length
      return this.option(row, place, cells, tables[row.kind], packed(header.masked[theme]))
    })
    if (header.underlay) this.layUnder(body.subarray(offset))
    this.list.scrollTop = scrolled
    if (focused) this.options[0]?.focus()
  }

  option(row, place, cells, colours, grey) {
    const { header } = this
    const option = element("div", "option", this.list)
    option.setAttribute("role", "option")
    option.dataset.name = row.name
    const [, column, columnHere, columnOften] = header.columns
    const { words: effect, here, often } = row
    const told = { rank: place + 1, head: row.name, column, effect, columnHere, here, columnOften, often }
    option.setAttribute("aria-label", filled(often ? header.words.rowOften : header.words.row, told))
    const map = element("span", "map", option)
    this.paint(element("canvas", "", map), row, cells, colours, grey)
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
    bar.textContent = row.words
    element("span", "label here", option).textContent = row.here
    const over = element("span", "label often", option)
    over.textContent = row.often
    over.dataset.column = columnOften
    option.onclick = () => this.take(option)
    option.onkeydown = (event) => this.press(event, place)
    return option
  }

  paint(canvas, row, cells, colours, grey) {
    const [queries, keys] = row.shape
    canvas.width = keys
    canvas.height = queries
    const image = new ImageData(keys, queries)
    const pixels = new Uint32Array(image.data.buffer)
    cells.forEach((weight, cell) => {
      const masked = row.causal && cell % keys > Math.floor(cell / keys)
      pixels[cell] = masked ? grey : colours[weight]
    })
    canvas.getContext("2d").putImageData(image, 0, 0)
  }

  layUnder(pixels) {
    const canvas = document.createElement("canvas")
    paint(canvas, pixels, ...this.header.underlay)
    this.list.classList.add("over-picture")
    this.list.style.setProperty("--underlay", `url(${canvas.toDataURL()})`)
    this.list.style.setProperty("--opacity", this.header.opacity)
  }

  take(option) {
    this.select(option.dataset.name)
    this.choose(option.dataset.name)
  }

  press(event, place) {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault()
      return this.take(this.options[place])
    }
    const last = this.options.length - 1
    const next = { ArrowUp: place - 1, ArrowDown: place + 1, Home: 0, End: last }[event.key]
    if (next === undefined) return
    event.preventDefault()
    this.options[Math.min(last, Math.max(0, next))].focus()
  }

  // What the page says is selected; see `mark` in head_list.py.
  followMark() {
    const mark = this.surroundings.querySelector("[data-selected]")
    if (mark) this.select(mark.dataset.selected)
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
