// Maps side by side. What is pointed at in one is marked in all.

const NUMBER_WIDTH = 30 // pixels a cell needs before its number is written in it

class AttentionMaps extends View {
  constructor(parentElement) {
    super(parentElement, ".maps")
  }

  show(bytes) {
    if (!this.isNew(bytes)) return
    this.settings = decode(bytes)
    const { items, theme, beside } = this.settings
    this.fit([items.length], theme)
    this.root.style.setProperty("--beside", beside)
    this.maps.forEach((map, place) => map.show(this.described(items[place])))
    this.root.dataset.drawn = items.map((item) => item.name).join(" ")
  }

  build() {
    this.root.replaceChildren()
    this.maps = this.settings.items.map((_, place) => new NumberedMap(this.root, (...cell) => this.follow(place, cell)))
  }

  // What is marked in one map is marked in the others, as far as they have it.
  follow(from, cell) {
    const { links } = this.settings
    this.maps.forEach((map, to) => {
      const same = links ? cell.map((at, axis) => links[to][axis][links[from][axis].indexOf(at)] ?? -1) : cell
      if (to === from) return
      map.tip.hide()
      map.markCell(...same)
    })
  }

  described(item) {
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
        scale.legend.hidden = item.top === 0 || Boolean(item.words) // where there is no colour to explain
        scale.paint(colours)
        scale.low.textContent = threeDigits(item.low)
        scale.high.textContent = threeDigits(item.high)
      },
      pair: (row, column) => readOut(item, row, column)[1],
      write: full,
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

// With its numbers written in the cells, where there is room.
class NumberedMap extends WeightMap {
  highest = 480

  // The cell that the page marks, where the reader marks none.
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
