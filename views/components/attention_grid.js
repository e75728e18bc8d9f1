// The overview of all maps. One button per map, each with a small canvas of one pixel per cell that the browser scales
// up, so it stays sharp on any screen; it may overlay a picture. Hovering reads from the payload, without the server.

const ARRANGED_BY = ["kind", "units", "marks", "scale"] // the choices that change all maps, not only the open one
const MANY = 16 // columns from which on maps are close together, and a narrow screen scrolls sideways
const MOST_DOTS = 64 // per side of one map; longer sentences show the largest weight of each block of cells

class AttentionGrid extends ChoosingView {
  constructor(parentElement) {
    super(parentElement, ".grid-root")
    this.tiles = []
  }

  show(bytes) {
    if (!this.isNew(bytes)) return
    this.arrangement = ""
    this.take(decode(bytes))
    this.tip.hide()
  }

  // Draws the selected maps, unless they are on the screen already, and marks the open one.
  arrange() {
    const { payload, chosen } = this
    const arrangement = JSON.stringify(payload.controls ? ARRANGED_BY.map((name) => chosen[name]) : [])
    if (arrangement !== this.arrangement) {
      this.arrangement = arrangement
      const sheet = (this.sheet = payload.controls ? arranged(payload, chosen) : payload)
      this.fit([sheet.rows, sheet.columns, sheet.words, sheet.places, Boolean(sheet.detail)], sheet.theme)
      this.draw(this.theme)
      this.root.dataset.drawn = `${sheet.title}: ${sheet.queries.join(" ")} / ${sheet.keys.join(" ")}`
    }
    if (payload.controls) {
      this.choices.fit(payload)
      this.choices.show(chosen)
      if (chosen.opacity) this.grid.style.setProperty("--opacity", chosen.opacity / 100)
    }
    const { rows, columns } = this.sheet
    this.select(...(payload.controls ? [rows.indexOf(chosen.layer), columns.indexOf(chosen.head)] : chosen))
  }

  // The options of a list that exist for the displayed maps.
  availableIn(name) {
    return { layer: this.sheet.rows, head: this.sheet.columns }[name]
  }

  // Falls back to the first layer and head if the kind has fewer.
  restricted(chosen) {
    const { rows, columns } = kindOf(this.payload, chosen)
    const one = (value, names) => (names.includes(value) ? value : names[0])
    return { ...chosen, layer: one(chosen.layer, rows), head: one(chosen.head, columns) }
  }

  build() {
    const { rows, columns, words, detail } = this.sheet
    if (this.payload.controls) this.choices ??= new Choices(this)
    for (const built of [...this.root.children]) if (built !== this.choices?.root) built.remove()
    this.root.classList.toggle("with-detail", Boolean(detail))
    const overview = element("div", "overview", this.root)
    this.grid = element("div", "grid", overview)
    this.grid.classList.toggle("many", columns.length > MANY)
    this.grid.setAttribute("role", "grid")
    this.grid.style.setProperty("--columns", columns.length)
    this.grid.style.setProperty("--rows", rows.length)
    const head = element("div", "row", this.grid)
    head.setAttribute("role", "row")
    element("span", "corner", head).textContent = words.axes
    for (const name of columns) header(head, words, name, "columnheader")
    this.tiles = rows.map((name, row) => {
      const line = element("div", "row", this.grid)
      line.setAttribute("role", "row")
      header(line, words, name, "rowheader")
      return columns.map((_, column) => this.buildTile(line, row, column))
    })
    this.scale = buildLegend(overview)
    this.blocks = element("span", "blocks", this.scale.legend)
    this.maskedKey = element("span", "masked-key", this.scale.legend)
    this.maskedSwatch = element("span", "swatch", this.maskedKey)
    element("span", "", this.maskedKey).textContent = words.masked
    this.point = linkTokens(this.grid, (at) => this.markLinked(at))
    this.tip = new Tip(this.root, "pair", "value", "place")
    markData(this.tip.lines[0], this.sheet.places ? "" : "token")
    this.detail = detail && new WeightMap(this.root)
  }

  buildTile(line, row, column) {
    const tile = button(line, "", () => this.choose(row, column))
    tile.className = "tile over"
    tile.setAttribute("role", "gridcell")
    const canvas = element("canvas", "pixels", tile)
    tile.onkeydown = (event) => this.move(event, row, column)
    tile.onpointermove = (event) => this.hover(event, row, column)
    tile.onpointerleave = () => this.left()
    return { tile, canvas }
  }

  draw(theme) {
    const { sheet } = this
    const [rows, columns, queries, keys] = sheet.shape
    const colours = lookupTable(sheet.scales[theme])
    const grey = packed(sheet.masked[theme])
    const cells = queries * keys
    const block = Math.ceil(Math.max(queries, keys) / MOST_DOTS)
    const size = [Math.ceil(queries / block), Math.ceil(keys / block)]
    const heads = [...Array(rows * columns).keys()].map((place) => largest(sheet.weights.subarray(place * cells, (place + 1) * cells)))
    const shared = sheet.decades ? 1 : Math.max(...heads)
    // The aspect ratio is limited, so that a long target with a short source stays readable.
    this.grid.style.setProperty("--ratio", Math.min(2, Math.max(0.5, keys / queries)))
    this.tiles.forEach((line, row) => line.forEach(({ tile, canvas }, column) => {
      const offset = (row * columns + column) * cells
      const top = (sheet.shared_scale ? shared : heads[row * columns + column]) || 1
      paintCells(canvas, size, (dot) => {
        const weight = this.largestIn(offset, Math.floor(dot / size[1]) * block, (dot % size[1]) * block, block)
        return weight < 0 ? grey : colours[Math.round(this.shade(weight / top) * 255)]
      })
      tile.setAttribute("aria-label", this.describe(row, column))
    }))
    this.grid.setAttribute("aria-label", sheet.title)
    this.grid.style.setProperty("--queries", queries)
    this.grid.style.setProperty("--keys", keys)
    this.markAll([-1, -1])
    layUnder(this.grid, sheet, sheet.picture)
    this.drawLegend(colours, shared, sheet.masked[theme], block * sheet.block)
  }

  // The position of a share of the largest weight on the colour scale; same rule as views/attention_maps.py.
  shade(share) {
    const { decades } = this.sheet
    const linear = Math.min(1, Math.max(0, share))
    return decades ? Math.max(0, 1 + Math.log10(Math.max(linear, 10 ** -decades)) / decades) : linear
  }

  // The largest weight in a block of cells; -1 if all of them are masked.
  largestIn(offset, firstQuery, firstKey, block) {
    const { sheet } = this
    const [, , queries, keys] = sheet.shape
    let most = -1
    for (let query = firstQuery; query < Math.min(queries, firstQuery + block); query++) {
      for (let key = firstKey; key < Math.min(keys, firstKey + block); key++) {
        if (!(sheet.causal && key > query)) most = Math.max(most, sheet.weights[offset + query * keys + key])
      }
    }
    return most
  }

  drawLegend(colours, shared, grey, block) {
    const { words } = this.sheet
    this.drawScale(this.scale, colours, shared)
    if (!this.sheet.shared_scale) this.scale.high.textContent = words.own
    this.blocks.textContent = block > 1 ? filled(words.blocks, { block }) : ""
    this.maskedKey.hidden = !this.sheet.causal
    this.maskedSwatch.style.background = grey
  }

  // A colour scale that ends at `top`.
  drawScale(scale, colours, top) {
    const { decades } = this.sheet
    scale.paint(colours)
    scale.low.textContent = decades ? `\u2264 ${Number((top / 10 ** decades).toPrecision(3))}` : "0"
    scale.high.textContent = threeDigits(top)
  }

  describe(row, column) {
    const { sheet } = this
    const [, columns, queries, keys] = sheet.shape
    const offset = (row * columns + column) * queries * keys
    let best = 0
    for (let cell = 0; cell < queries * keys; cell++) {
      if (sheet.weights[offset + cell] > sheet.weights[offset + best]) best = cell
    }
    const [query, key] = [Math.floor(best / keys), best % keys]
    const cell = sheet.underlay ? this.pair(query, key) : filled(sheet.words.cell, { query: sheet.queries[query], key: sheet.keys[key] })
    const weight = this.readOut(sheet.weights[offset + best])
    return filled(sheet.words.strongest, { map: this.nameOf(row, column), cell, weight })
  }

  hover(event, row, column) {
    const { sheet } = this
    const [, columns, queries, keys] = sheet.shape
    const [query, key] = pointedCell(event, this.tiles[row][column].canvas, [queries, keys])
    if (query < 0 || key < 0 || query >= queries || key >= keys) return this.left()
    const weight = sheet.weights[((row * columns + column) * queries + query) * keys + key]
    const value = sheet.causal && key > query ? sheet.words.masked : this.readOut(weight)
    this.tip.show(event.clientX, event.clientY, this.pair(query, key), value, this.nameOf(row, column))
    this.markAll([query, key])
    if (sheet.underlay) return this.point([PICTURE, query * keys + key])
    this.point(calledIn(sheet.queries, query, sheet.places), calledIn(sheet.keys, key, sheet.places))
  }

  left() {
    this.tip.hide()
    this.markAll([-1, -1])
    this.point()
  }

  // Marks a row and a column in all maps through CSS variables; -1 for none.
  markAll(cell) {
    cell.forEach((place, axis) => {
      const name = ["row", "column"][axis]
      this.grid.classList.toggle(`${name}-marked`, place >= 0)
      this.grid.style.setProperty(`--${name}`, place)
    })
  }

  markLinked(at) {
    const { queries, keys, places, underlay, shape } = this.sheet
    if (!underlay) return this.markAll(linkedCell(at, queries, keys, places))
    const patch = at.find(([name]) => name === PICTURE)?.[1] ?? -1
    this.markAll(patch < 0 ? [-1, -1] : [Math.floor(patch / shape[3]), patch % shape[3]])
  }

  // The label of a cell: two tokens, or a patch of the picture.
  pair(query, key) {
    const { sheet } = this
    return sheet.underlay ? filled(sheet.words.patch, { row: query + 1, column: key + 1 }) : `${sheet.queries[query]} \u2192 ${sheet.keys[key]}`
  }

  nameOf(row, column) {
    const { rows, columns, words } = this.sheet
    return placeInWords(words, rows[row], columns[column])
  }

  // Half precision has no three digits below 0.0001.
  readOut(weight) {
    return this.sheet.type === "float16" && weight < 1e-4 ? "< 0.0001" : threeDigits(weight)
  }

  // Selects a map. It is shown large here, or the page shows it and receives the selection at once.
  choose(row, column) {
    const { rows, columns } = this.sheet
    if (this.payload.controls) return this.set({ layer: rows[row], head: columns[column] })
    this.chosen = [row, column]
    this.arrange()
    this.tell("chosen", [row, column], this.detail ? SEND_AFTER : 0)
  }

  select(row, column) {
    this.tiles.forEach((line, r) => line.forEach(({ tile }, c) => {
      const chosen = r === row && c === column
      tile.setAttribute("aria-selected", chosen)
      tile.tabIndex = chosen ? 0 : -1
    }))
    this.detail?.show(this.large(row, column))
  }

  // The selected map as input of `WeightMap`.
  large(row, column) {
    const { sheet, theme } = this
    const { words, detail } = sheet
    const [, columns, queries, keys] = sheet.shape
    const start = (row * columns + column) * queries * keys
    const weights = sheet.weights.subarray(start, start + queries * keys)
    const top = (sheet.decades ? 1 : largest(sheet.shared_scale ? sheet.weights : weights)) || 1
    const colours = lookupTable(sheet.scales[theme])
    const masked = (weight, cell) => (sheet.causal && cell % keys > Math.floor(cell / keys) ? -Infinity : weight)
    return {
      name: filled(detail.heading, { map: this.nameOf(row, column) }),
      label: filled(words.keys, { map: this.describe(row, column) }),
      values: weights.map(masked),
      rows: sheet.queries,
      columns: sheet.keys,
      row_title: detail.query_axis,
      column_title: detail.key_axis,
      kindOf: (label) => (sheet.places && label !== sheet.cls ? "" : "token"), // only CLS has a name among patches
      colours,
      shade: (weight) => Math.round(this.shade(weight / top) * 255),
      grey: packed(sheet.masked[theme]),
      drawScale: (scale) => this.drawScale(scale, colours, top),
      pair: (query, key) => [dataText(this.pair(query, key), sheet.places ? "" : "token")],
      write: (weight) => this.readOut(weight),
      masked: words.masked,
      table: words.table,
      corner: `${words.query} \\ ${words.key}`,
      numbered: !sheet.places,
      places: sheet.places,
    }
  }

  move(event, row, column) {
    const step = arrowStep(event.key)
    if (!step) return
    event.preventDefault()
    const line = this.tiles[clamp(row + step[0], this.tiles.length)]
    line[clamp(column + step[1], line.length)].tile.focus()
  }
}

function decode(bytes) {
  const [header, body] = unpack(bytes)
  let read = 0 // bytes
  const weightsOf = ({ weights, type }) => {
    const start = read
    const count = weights.reduce((product, side) => product * side, 1)
    read += count * (type === "float32" ? 4 : 2)
    const numbers = body.slice(start, read) // a copy is aligned, as typed arrays need
    return () => (type === "float32" ? new Float32Array(numbers) : fromHalf(new Uint16Array(numbers)))
  }
  if (header.controls) {
    for (const kind of Object.values(header.kinds)) {
      kind.decode = weightsOf(kind)
      if (!kind.underlay) continue
      kind.picture = new Uint8Array(body, read, 3 * kind.underlay[0] * kind.underlay[1])
      read += kind.picture.length
    }
    return header
  }
  const weights = weightsOf(header)()
  return { ...header, shape: header.weights, weights, picture: new Uint8Array(body, read) }
}

function header(line, words, name, role) {
  const node = element("span", `name ${role}`, line)
  node.setAttribute("role", role)
  node.textContent = name === MEAN ? words.mean : name
}

export default mounting(AttentionGrid)
