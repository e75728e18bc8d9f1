// The numbers next to the lines: the weights of one token, of a pair, and the same in words.

const LISTED = 5 // tokens in the status text
const DETAILS = 10 // heads in the read-out of a pair

class ReadOut {
  constructor(lines) {
    this.lines = lines
    this.weighed = null // the last result of `weightsOf`
  }

  // The weights between a token and each of the other side.
  weightsOf(focus) {
    const known = JSON.stringify([focus, this.lines.maps])
    if (known !== this.weighed?.known) this.weighed = { known, list: this.weigh(focus) }
    return this.weighed.list
  }

  weigh(focus) {
    const { weights, maps } = this.lines
    const across = focus.side === "query" ? "key" : "query"
    return this.lines.names[across].map((name, place) => {
      const [query, key] = focus.side === "query" ? [focus.place, place] : [place, focus.place]
      return { place, name, query, key, masked: weights.masked(query, key), mean: weights.mean(maps, query, key) }
    })
  }

  showWeights(focus) {
    const roomy = this.lines.row >= NEAR
    for (const [side, { tokens }] of Object.entries(this.lines.sides)) {
      const across = focus && focus.side !== side ? this.weightsOf(focus) : []
      const read = across.length && !roomy ? this.readable(across) : null
      const step = Math.max(1, Math.ceil(NEAR / this.lines.row))
      tokens.forEach(({ token, weight }, place) => {
        const own = focus?.side === side && focus.place === place
        const near = focus?.side === side && Math.abs(focus.place - place) < step
        const named = own || roomy || (read ? read.has(place) : place % step === 0 && !near)
        const item = across[place]
        const mask = roomy ? this.lines.sheet.words.masked : "" // in compressed rows its faint label suffices
        const text = item && named && this.lines.maps.length ? (item.masked ? mask : threeDigits(item.mean)) : ""
        const names = `token${own ? " own" : ""}${named ? "" : " unnamed"}${item?.masked ? " masked" : ""}`
        if (token.className !== names) token.className = names
        if (weight.textContent !== text) weight.textContent = text
        const selected = String(own && Boolean(this.lines.view.locked))
        if (token.getAttribute("aria-selected") !== selected) token.setAttribute("aria-selected", selected)
      })
    }
  }

  // The tokens to label if there is no room for all: by weight, each with enough distance to the others.
  readable(across) {
    const named = new Set()
    const gap = Math.ceil(NEAR / this.lines.row)
    for (const { place } of [...across].sort((one, other) => other.mean - one.mean)) {
      let free = true
      for (let near = place - gap + 1; near < place + gap && free; near++) free = !named.has(near)
      if (free) named.add(place)
    }
    return named
  }

  // Draws one cell per selected head next to each token of the other side; opacity is the weight.
  paintCells(focus, [across, down]) {
    const { row, maps, weights } = this.lines
    const pen = this.lines.front.getContext("2d")
    pen.setTransform(across, 0, 0, down, 0, 0)
    const wide = this.lines.cellsWidth()
    const cell = wide / maps.length
    const left = focus.side === "query" ? this.lines.width - wide : 0
    const count = focus.side === "query" ? weights.keys : weights.queries
    const gap = cell >= 4 ? 1 : 0
    maps.forEach((map, column) => {
      pen.fillStyle = this.lines.styles[map % weights.heads][0]
      for (let place = 0; place < count; place++) {
        const weight = focus.side === "query" ? weights.at(map, focus.place, place) : weights.at(map, place, focus.place)
        if (weight < FAINT) continue
        pen.globalAlpha = weight
        pen.fillRect(left + column * cell, place * row + 0.1 * row, cell - gap, 0.8 * row)
      }
    })
  }

  // While a token is locked, each token of the other side shows the weights between the two, head by head.
  showPair(other, y) {
    const { tip, names, view: { locked } } = this.lines
    tip.hide()
    if (!locked || !other || other.side === locked.side || !this.lines.maps.length) return
    const [query, key] = locked.side === "query" ? [locked.place, other.place] : [other.place, locked.place]
    const { weights, maps, sheet: { words } } = this.lines
    tip.box.replaceChildren()
    markData(element("div", "pair", tip.box), "token").textContent = `${names.query[query]} \u2192 ${names.key[key]}`
    if (weights.masked(query, key)) element("div", "value", tip.box).textContent = words.masked
    else {
      element("div", "value", tip.box).textContent = filled(words.meanIs, { weight: threeDigits(weights.mean(maps, query, key)) })
      const order = [...maps].sort((one, two) => weights.at(two, query, key) - weights.at(one, query, key))
      for (const map of order.slice(0, DETAILS)) {
        const line = element("div", "detail", tip.box)
        element("span", "chip", line).style.background = this.lines.styles[map % weights.heads][0]
        element("span", "", line).textContent = `${this.nameOf(map)}: ${threeDigits(weights.at(map, query, key))}`
      }
      if (order.length > DETAILS) element("div", "detail", tip.box).textContent = filled(words.more, { count: order.length - DETAILS })
    }
    tip.box.hidden = false
    // placed among the lines, where it covers neither tokens nor weights
    const { left, right } = this.lines.middle.getBoundingClientRect()
    const slot = this.lines.cellsWidth() + 46
    tip.show(other.side === "query" ? left + slot : right - slot - tip.box.offsetWidth - 28, y)
  }

  nameOf(map) {
    const { heads } = this.lines.weights
    return filled(this.lines.sheet.words.one, { layer: this.lines.sheet.numbers[Math.floor(map / heads)], head: (map % heads) + 1 })
  }

  describe(focus) {
    const { words } = this.lines.sheet
    if (!this.lines.maps.length) return words.noneChosen
    if (!focus) return words.point
    const token = this.lines.names[focus.side][focus.place]
    const across = this.weightsOf(focus).filter((item) => !item.masked).sort((one, other) => other.mean - one.mean)
    const first = across.slice(0, LISTED).map(({ name, mean }) => `${name} ${threeDigits(mean)}`)
    const list = `${first.join(", ")}${across.length > LISTED ? ", \u2026" : ""}`
    const sentence = focus.side === "query" ? words.attends : words.attended
    return filled(sentence, { token, place: focus.place + 1, list, meaning: this.meaning() })
  }

  describeLocked(focus) {
    return filled(this.lines.sheet.words.locked, { what: this.describe(focus) })
  }

  // The description of a number next to a token.
  meaning() {
    const { maps, sheet: { words } } = this.lines
    return maps.length === 1 ? this.nameOf(maps[0]) : filled(words.meanOf, { count: maps.length })
  }

  explain() {
    const { count, all } = this.lines.strokesSeen()
    const { words } = this.lines.sheet
    return filled(count < all ? words.strongestLines : words.allLines, { count, all })
  }
}
