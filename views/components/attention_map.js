// Maps next to each other. A cell under the pointer in one is marked in all.

const NUMBER_WIDTH = 30 // pixels per cell from which on its number is written in it

class AttentionMaps extends ChoosingView {
  constructor(parentElement) {
    super(parentElement, ".maps")
  }

  show(bytes) {
    if (!this.isNew(bytes)) return
    this.drawn = ""
    this.take(read(bytes))
  }

  // Draws the selected maps, unless they are on the screen, or not yet sent by the server.
  arrange() {
    const { payload, chosen } = this
    if (payload.controls) {
      this.choices ??= new Choices(this)
      this.choices.fit(payload)
      this.choices.show(chosen)
    }
    const place = this.placeOf()
    if (!place || this.drawn === place.join()) return
    this.drawn = place.join()
    const set = payload.sets[place[0]]
    this.settings = { ...payload, ...set, items: set.items.map((item) => item.at(place)) }
    const { items, theme, beside, heading } = this.settings
    this.fit([items.length], theme)
    this.root.style.setProperty("--per-row", beside)
    this.heading.hidden = !heading
    if (heading) this.heading.textContent = filled(heading, { ...chosen, map: placeInWords(payload.words, chosen.layer, chosen.head) })
    this.maps.forEach((map, number) => map.show(this.inputOf(items[number])))
    this.root.dataset.drawn = [this.heading.textContent, ...items.map((item) => item.name)].join(" ").trim()
  }

  // The selected set and the index in it; null if only the server has it.
  placeOf() {
    const { sets, along, held } = this.payload
    const name = this.chosen.kind in sets ? this.chosen.kind : Object.keys(sets)[0]
    if (held) return this.waits() ? null : [name, ...along.map(() => 0)]
    return [name, ...along.map((choice, axis) => sets[name].names[axis].indexOf(this.chosen[choice]))]
  }

  waits() {
    return Object.entries(this.payload.held ?? {}).some(([choice, value]) => this.chosen[choice] !== value)
  }

  // The options of a list that exist for the displayed maps.
  availableIn(name) {
    const { sets, along } = this.payload
    const set = sets[this.chosen.kind] ?? Object.values(sets)[0]
    return set.names[along.indexOf(name)]
  }

  // Falls back to the first layer and head if the kind has fewer.
  restricted(chosen) {
    const { sets, along } = this.payload
    const { names } = sets[chosen.kind] ?? Object.values(sets)[0]
    const within = along.map((choice, axis) => [choice, names[axis].includes(chosen[choice]) ? chosen[choice] : names[axis][0]])
    return { ...chosen, ...Object.fromEntries(within) }
  }

  build() {
    for (const built of [...this.root.children]) if (built !== this.choices?.root) built.remove()
    this.heading = element("h2", "of-all", this.root)
    this.maps = this.settings.items.map((_, place) => new NumberedMap(this.root, (...cell) => this.follow(place, cell)))
  }

  // Marks the same cell in the other maps, as far as they have it.
  follow(from, cell) {
    const { links } = this.settings
    this.maps.forEach((map, to) => {
      const same = links ? cell.map((at, axis) => links[to][axis][links[from][axis].indexOf(at)] ?? -1) : cell
      if (to === from) return
      map.tip.hide()
      map.markCell(...same)
    })
  }

  inputOf(item) {
    const { words, masked, places, allowed } = this.settings
    const [rows, columns] = item.shape
    const colours = lookupTable(item.scales[this.theme])
    return {
      ...item,
      label: filled(words.read, { name: item.name, rows, columns }),
      kindOf: () => (places ? "" : "token"),
      colours,
      shade: (value) => clamp(Math.round(((value - item.low) / (item.high - item.low)) * 255), 256),
      grey: packed(masked[this.theme]),
      inkOnGrey: readable(masked[this.theme]),
      inks: cssColours(item.scales[this.theme]).map(readable),
      drawScale: (scale) => {
        scale.legend.hidden = item.top === 0 || Boolean(item.words) // without colours there is no scale
        scale.paint(colours)
        scale.low.textContent = threeDigits(item.low)
        scale.high.textContent = threeDigits(item.high)
      },
      pair: (row, column) => readOut(item, row, column)[1],
      write: item.rounded ? threeDigitsOfHalf : full,
      masked: item.masked.join(", "),
      hidden: item.masked[0],
      table: words.table,
      corner: `${item.row_title} \\ ${item.column_title}`,
      numbered: !places,
      places,
      ...(item.words && {
        values: item.values.map((value) => value || -Infinity),
        shade: () => allowed,
        masked: item.words[0],
        write: () => item.words[1],
      }),
    }
  }
}

// A payload as sets of maps to choose from; maps without a choice are one set with one entry.
function read(bytes) {
  const [header, body] = unpack(bytes)
  if (!header.sets) {
    const plain = decode(bytes)
    const items = plain.items.map((item) => ({ at: () => item }))
    return { ...plain, sets: { all: { items, names: [], links: plain.links } }, along: [] }
  }
  let offset = 0
  const whole = header.type === "float32"
  const numbers = (count, exact) => {
    const block = body.slice(offset, (offset += count * (exact ? 4 : 2))) // a copy is aligned, as typed arrays need
    return exact ? new Float32Array(block) : fromHalf(new Uint16Array(block))
  }
  const sizeOf = (shape) => shape.reduce((product, side) => product * side, 1)
  for (const set of Object.values(header.sets)) for (const item of set.items) item.numbers = numbers(sizeOf(item.values), whole)
  const exact = header.exact ? header.sets[header.exact[0]].items.map(({ values }) => numbers(sizeOf(values.slice(-2)), true)) : []
  for (const [name, set] of Object.entries(header.sets)) {
    set.items = set.items.map((item, number) => ({
      at: (place) => {
        const lead = item.values.slice(0, -2)
        const shape = item.values.slice(-2)
        const at = lead.reduce((sum, side, axis) => sum * side + place[axis + 1], 0)
        const known = header.exact?.join() === [name, ...place.slice(1)].join()
        const values = known ? exact[number] : item.numbers.subarray(at * sizeOf(shape), (at + 1) * sizeOf(shape))
        const [low, high, top] = [item.low[at], item.high[at], item.tops[at]]
        return { ...item, shape, values, low, high, top, rounded: !whole && !known }
      },
    }))
  }
  return header
}

// A map with its numbers in the cells, if there is room.
class NumberedMap extends WeightMap {
  highest = 480

  // The cell that the page marks, if the user marks none.
  markCell(row, column) {
    super.markCell(...(row < 0 && column < 0 ? this.shown.cursor ?? [-1, -1] : [row, column]))
  }

  label() {
    super.label()
    this.markCell(-1, -1)
    const { shown, canvas, sides: [rows, columns] } = this
    const [width, height, sharp] = [canvas.clientWidth, canvas.clientHeight, window.devicePixelRatio]
    const ink = (this.ink ??= element("canvas", "ink", this.map))
    Object.assign(ink, { width: width * sharp, height: height * sharp })
    Object.assign(ink.style, { width: `${width}px`, height: `${height}px` })
    if (shown.words || width / columns < NUMBER_WIDTH) return
    const pen = ink.getContext("2d")
    pen.scale(sharp, sharp)
    pen.font = `10px ${getComputedStyle(this.root).fontFamily}`
    pen.textAlign = "center"
    pen.textBaseline = "middle"
    shown.values.forEach((value, cell) => {
      const masked = value === -Infinity
      pen.fillStyle = masked ? shown.inkOnGrey : shown.inks[shown.shade(value)]
      const [x, y] = [(cell % columns) + 0.5, Math.floor(cell / columns) + 0.5]
      pen.fillText(masked ? shown.hidden : short(value), (x / columns) * width, (y / rows) * height)
    })
  }
}

export default mounting(AttentionMaps)
