// One attention weight explained: in a sentence, as a table of products, and as a softmax over all keys.

class OneWeight extends ChoosingView {
  constructor(parentElement) {
    super(parentElement, ".one-weight")
  }

  show(bytes) {
    if (!this.isNew(bytes)) return
    this.drawn = ""
    this.take(decodeWeights(bytes))
  }

  build() {
    const { words, texts, queries } = this.sheet
    this.choices ??= new Choices(this)
    for (const built of [...this.root.children]) if (built !== this.choices.root) built.remove()
    this.explained = element("div", "explained", this.root)
    this.explained.setAttribute("aria-live", "polite")
    const columns = element("div", "columns", this.root)
    const column = (text, name) => {
      const node = element("div", "", columns)
      writeProse(element("p", "", node), text)
      return name && buildScroll(node, name)
    }
    this.products = column(texts.products, queries && words.products)
    this.softmax = column(texts.softmax, words.softmax)
    this.point = linkTokens(this.root, (at) => this.markLinked(at))
  }

  // The selected kind, if it is in the payload.
  kindOf({ kind }) {
    const { kinds } = this.payload
    return kind ? kinds[kind] : Object.values(kinds)[0]
  }

  // The options of a list that exist for the selected kind.
  availableIn(name) {
    const kind = this.kindOf(this.chosen) ?? this.sheet
    if (name.endsWith("_piece")) return kind.pair.includes(name) ? undefined : []
    return { layer: kind.names[0], head: kind.names[1] }[name]
  }

  // Falls back to the first layer and head if the kind has fewer.
  restricted(chosen) {
    const kind = this.kindOf(chosen)
    if (!kind) return chosen
    const one = (value, names) => (names.includes(value) ? value : names[0])
    return { ...chosen, layer: one(chosen.layer, kind.names[0]), head: one(chosen.head, kind.names[1]) }
  }

  // Indices of layer and head among those in the payload.
  place({ heads: [layers, heads] }) {
    return [layers.indexOf(this.chosen.layer), heads.indexOf(this.chosen.head)]
  }

  waits() {
    const kind = this.kindOf(this.chosen)
    return !kind || this.place(kind).includes(-1)
  }

  // Draws the selected weight, unless it is on the screen, or not yet sent by the server.
  arrange() {
    const { payload, chosen } = this
    const drawn = JSON.stringify(chosen)
    if (!this.waits() && this.drawn !== drawn) {
      const kind = this.kindOf(chosen)
      this.sheet = { ...payload, ...kind }
      this.fit([kind.labels, payload.words, kind.texts, Boolean(kind.queries)], payload.theme)
      this.draw(kind)
      this.drawn = drawn
      this.root.dataset.drawn = drawn
    }
    this.choices?.fit(payload)
    this.choices?.show(chosen)
  }

  draw(kind) {
    const [query, key] = kind.pair.map((name) => {
      const { options } = this.payload.controls.find((control) => control.name === name)
      return options.findIndex(([id]) => id === this.chosen[name])
    })
    const one = softmaxOf(kind, kind.numbers, kind.seen, [...this.place(kind), query])
    const strongest = one.weights.indexOf(Math.max(...one.weights))
    this.at = [query, key ? key - 1 : strongest] // the first option is the strongest key
    this.explain(one)
    if (kind.queries) this.drawProducts(one)
    this.drawSoftmax(one)
  }

  explain({ form, vectors, raw, scores, exponentials, sink, total, weights }) {
    const { texts, causal } = this.sheet
    const [query, key] = this.at
    const masked = scores[key] === -Infinity
    const numbers = { exponential: exponentials[key], total, score: raw[key], weight: weights[key], sink }
    let paragraphs = [masked ? texts.maskedScore : texts.score]
    if (form) {
      const products = vectors.products(key)
      const product = sumOf(products)
      Object.assign(numbers, { product, root: Math.sqrt(products.length), scaling: form.scaling, added: raw[key] - product * form.scaling })
      paragraphs = [masked ? (causal && key > query ? texts.later : texts.hidden) : form.plain ? texts.plain : texts.formed]
      if (!masked && !form.plain && sink) paragraphs.push(texts.sink)
    }
    const written = Object.entries(numbers).map(([name, number]) => [name, () => dataText(threeDigits(number), "number")])
    const values = {
      ...Object.fromEntries(written),
      d_k: () => dataText(String(vectors?.asking.length), "number"),
      query: () => this.named(0, query),
      key: () => this.named(1, key),
    }
    this.explained.replaceChildren()
    for (const text of paragraphs) writeProse(element("p", "", this.explained), text, values)
  }

  // A token in quotes with its number, or a patch of a picture.
  named(side, place) {
    const { labels, places } = this.sheet
    const label = element("b", "")
    label.append(places ? labels[side][place] : dataText(`\u201c${labels[side][place]}\u201d`, "token"))
    if (places) return label
    const whole = element("span", "")
    whole.append(label, ` (${place + 1})`)
    return whole
  }

  drawProducts({ vectors }) {
    const { words } = this.sheet
    const key = this.at[1]
    const [products, keyVector] = [vectors.products(key), vectors.keyOf(key)]
    const order = [...products.keys()].sort((a, b) => Math.abs(products[b]) - Math.abs(products[a]))
    const most = Math.abs(products[order[0]])
    let sum = 0
    const rows = order.map((place) => [
      String(place + 1),
      threeDigits(vectors.asking[place]),
      threeDigits(keyVector[place]),
      this.bar(products[place], most),
      threeDigits((sum += products[place])),
    ])
    this.table(this.products, [words.dimension, words.query, words.key, words.product, words.soFar], rows)
  }

  // The strongest keys and the selected one; the others are summed up.
  drawSoftmax({ scores, exponentials, weights, sink, total }) {
    const { words, rest, most } = this.sheet
    const key = this.at[1]
    const order = [...weights.keys()].sort((a, b) => weights[b] - weights[a])
    const shown = [...new Set([...order.slice(0, most), key])].sort((a, b) => a - b)
    const left = order.filter((place) => !shown.includes(place))
    const rows = shown.map((place) => [
      this.keyLabel(place),
      scores[place] === -Infinity ? words.masked : threeDigits(scores[place]),
      threeDigits(exponentials[place]),
      this.bar(weights[place], 1),
    ])
    const of = (numbers) => sumOf(left.map((place) => numbers[place]))
    if (left.length) rows.push([rest[left.length], "", threeDigits(of(exponentials)), this.bar(of(weights), 1)])
    if (sink) rows.push([words.sink, "", threeDigits(sink), this.bar(sink / total, 1)])
    rows.push([words.sum, "", threeDigits(total), this.bar(sumOf(weights) + sink / total, 1)])
    this.table(this.softmax, [words.key, words.score, words.exponential, words.weight], rows)
    const keys = this.sheet.controls.find(({ name }) => name === this.sheet.pair[1])
    this.lines = new Map(shown.map((place, row) => [place, this.softmax.querySelectorAll("tbody tr")[row]]))
    for (const [place, line] of this.lines) {
      line.classList.toggle("chosen", place === key)
      line.onclick = () => this.set({ [keys.name]: keys.options[place + 1][0] })
      line.onpointerenter = () => this.pointAt(calledIn(this.sheet.labels[1], place, this.sheet.places))
      line.onpointerleave = () => this.pointAt()
    }
  }

  keyLabel(place) {
    const { labels, places } = this.sheet
    return places ? labels[1][place] : dataText(labels[1][place], "token")
  }

  bar(value, most) {
    const bar = element("span", "bar-of")
    const share = Math.min(100, (100 * Math.abs(value)) / (most || 1))
    const fill = `color-mix(in srgb, ${this.sheet.hues[value >= 0 ? 1 : 0]} 40%, transparent)`
    bar.style.background = `linear-gradient(to right, ${fill} ${share}%, transparent ${share}%)`
    bar.textContent = threeDigits(value)
    return bar
  }

  table(holder, titles, rows) {
    holder.replaceChildren()
    const table = buildTable(holder, titles.map((title) => [title, ""]), rows.map(() => [""]), "")
    table.setAttribute("aria-label", holder.getAttribute("aria-label"))
    table.querySelectorAll("tbody tr").forEach((line, row) => {
      const [title, ...cells] = rows[row]
      line.firstChild.append(title)
      for (const cell of cells) element("td", "", line).append(cell)
    })
  }

  pointAt(...at) {
    this.markLinked(at)
    this.point(...at)
  }

  markLinked(at) {
    const marked = placeOf([...at].reverse(), this.sheet.labels[1], this.sheet.places)
    for (const [place, line] of this.lines) line.classList.toggle("at", place === marked)
  }
}

// A payload's header, with the numbers and masks of each kind in it.
function decodeWeights(bytes) {
  const [header, body] = unpack(bytes)
  let read = 0
  const next = (Numbers, shape) => {
    const length = (shape ?? [0]).reduce((product, side) => product * side, 1) * Numbers.BYTES_PER_ELEMENT
    read += length
    return new Numbers(body.slice(read - length, read)) // a copy is aligned, as typed arrays need
  }
  const names = ["queries", "keys", "scores"]
  for (const kind of Object.values(header.kinds)) {
    const sides = kind.labels.map((side) => side.length)
    kind.numbers = Object.fromEntries(names.map((name) => [name, next(Float32Array, kind[name])]))
    kind.seen = Array.from({ length: kind.masks }, () => next(Uint8Array, sides))
  }
  return header
}

// Writes prose of the page into an element: bold text, links, and placeholders, which functions in `values` fill.
function writeProse(parent, text, values = {}) {
  for (const [whole, bold, linked, address, title, name] of text.matchAll(/\*\*(.+?)\*\*|\[(.+?)\]\((\S+) "(.*?)"\)|\{(\w+)\}|[^*[{]+|./gs)) {
    if (bold) writeProse(element("b", "", parent), bold, values)
    else if (linked) {
      const link = element("a", "", parent)
      link.setAttribute("target", "_blank")
      link.href = address
      link.title = new DOMParser().parseFromString(title, "text/html").body.textContent
      writeProse(link, linked, values)
    } else parent.append(name ? values[name]() : whole)
  }
}

export default mounting(OneWeight)
