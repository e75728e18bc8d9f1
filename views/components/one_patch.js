// The selected patch of a picture: its pixels, its colour planes, its vector and its embedding, or its position in the
// sequence. It is cut out of the picture here.

const WIDTH = 440 // of the drawing, so that its texts are legible on a phone
const GAP = 16
const PLANE = (WIDTH - 3 * GAP) / 4
const HALF = 48 // of the longest bar, on either side of 0
const TOPS = [PLANE + 52, PLANE + 190]

class OnePatch extends ChoosingView {
  constructor(parentElement) {
    super(parentElement, ".one-patch")
  }

  show(bytes) {
    if (!this.isNew(bytes)) return
    const [header, body] = unpack(bytes)
    const [height, width] = header.pixels
    const [count, length] = header.embeddings ?? [0, 0]
    this.vectors = new Float32Array(body, 0, count * length)
    this.pixels = new Uint8Array(body, 4 * count * length, 3 * height * width)
    this.size = height / header.grid[0]
    this.payload = header
    this.fit([header.shows, header.grid, header.pixels, header.words], header.theme)
    if (header.shows === "sequence") this.squares.forEach((square, place) => this.paint(square.firstChild, place))
    this.drawn = ""
    this.take(header)
  }

  // The index of the selected patch, row by row.
  get place() {
    return (Number(this.chosen.row) - 1) * this.payload.grid[1] + Number(this.chosen.column) - 1
  }

  build() {
    this.root.replaceChildren()
    if (this.payload.shows === "steps") this.buildSteps()
    else this.buildSequence()
  }

  arrange() {
    const drawn = String(this.place)
    if (this.drawn === drawn) return
    this.drawn = drawn
    if (this.payload.shows === "steps") this.drawSteps()
    else this.squares.forEach((square, place) => square.classList.toggle("chosen", place === this.place))
    this.root.dataset.drawn = drawn
  }

  // The bytes of a patch, red, green and blue of each pixel.
  cut(place) {
    const { size, pixels, payload: { grid, pixels: [, width] } } = this
    const [top, left] = [Math.floor(place / grid[1]) * size, (place % grid[1]) * size]
    return [...Array(size).keys()].flatMap((row) => {
      const start = 3 * ((top + row) * width + left)
      return [...pixels.subarray(start, start + 3 * size)]
    })
  }

  buildSteps() {
    const { size, payload: { words, inks, hue, embeddings } } = this
    const count = 3 * size * size
    this.title = element("h2", "", this.root)
    const picture = svgElement("svg", { viewBox: `0 0 ${WIDTH} ${TOPS[1] + 118}`, role: "img" }, this.root)
    picture.setAttribute("aria-label", words.steps)
    const write = (y, text, values) => (svgElement("text", { x: 0, y }, picture).textContent = filled(text, values))
    write(12, words.pixels, { size })
    write(TOPS[0], words.flattened, { count })
    write(TOPS[1], words.embedded, { count: embeddings[1] })
    this.planes = [0, 1, 2, 3].map((plane) => this.buildCells(picture, plane * (PLANE + GAP)))
    this.vector = this.buildBars(picture, TOPS[0], count, (place) => inks[Math.floor((3 * place) / count)])
    this.embedding = this.buildBars(picture, TOPS[1], embeddings[1], () => hue)
  }

  buildCells(picture, left) {
    const { size } = this
    const [cell, side] = [PLANE / size, PLANE / size + 0.3] // without gaps
    return Array.from({ length: size * size }, (_, place) => {
      const [x, y] = [left + (place % size) * cell, 22 + Math.floor(place / size) * cell]
      return this.named(svgElement("rect", { x, y, width: side, height: side }, picture))
    })
  }

  buildBars(picture, top, count, ink) {
    const [step, y] = [WIDTH / count, top + 10 + HALF]
    svgElement("line", { x1: 0, x2: WIDTH, y1: y, y2: y, stroke: "currentColor", "stroke-opacity": 0.4 }, picture)
    return Array.from({ length: count }, (_, place) => {
      return this.named(svgElement("rect", { x: place * step, width: 0.8 * step, fill: ink(place) }, picture))
    })
  }

  // With a title, which is shown on hover.
  named(shape) {
    return { shape, title: svgElement("title", {}, shape) }
  }

  drawSteps() {
    const { place, size, payload: { words, embeddings: [, length] } } = this
    this.title.textContent = filled(words.title, { ...this.chosen, position: place + 1 })
    const bytes = this.cut(place)
    const [first, ...planes] = this.planes
    first.forEach(({ shape }, pixel) => shape.setAttribute("fill", `rgb(${bytes.slice(3 * pixel, 3 * pixel + 3)})`))
    const names = [words.red, words.green, words.blue]
    const [shares, called] = [[], []]
    planes.forEach((plane, channel) => plane.forEach(({ shape, title }, pixel) => {
      const byte = bytes[3 * pixel + channel]
      const name = filled(names[channel], { row: Math.floor(pixel / size) + 1, column: (pixel % size) + 1 })
      const share = Math.fround(byte / 255)
      shape.setAttribute("fill", `rgb(${[0, 1, 2].map((other) => (other === channel ? byte : 0))})`)
      title.textContent = `${name}: ${full(share)}`
      shares.push(2 * share - 1)
      called.push(name)
    }))
    const embedded = [...this.vectors.subarray(place * length, (place + 1) * length)]
    this.drawBars(this.vector, TOPS[0], shares, 1, (at) => called[at])
    this.drawBars(this.embedding, TOPS[1], embedded, largest(embedded.map(Math.abs)) || 1, (at) => filled(words.dimension, { place: at + 1 }))
  }

  drawBars(bars, top, values, most, nameOf) {
    const middle = top + 10 + HALF
    bars.forEach(({ shape, title }, place) => {
      const share = values[place] / most
      shape.setAttribute("y", middle - Math.max(0, share) * HALF)
      shape.setAttribute("height", Math.max(0.4, Math.abs(share) * HALF))
      title.textContent = `${nameOf(place)}: ${full(values[place])}`
    })
  }

  buildSequence() {
    const { grid: [rows, columns], words, first, hue } = this.payload
    this.root.setAttribute("role", "list")
    this.root.style.setProperty("--hue", hue)
    const item = (title) => {
      const node = element("span", "", this.root)
      node.setAttribute("role", "listitem")
      node.title = title
      return node
    }
    Object.assign(markData(item(words.cls), "token"), { className: "cls", textContent: first })
    this.squares = Array.from({ length: rows * columns }, (_, place) => {
      const patch = filled(words.patch, { row: Math.floor(place / columns) + 1, column: (place % columns) + 1 })
      const square = item(filled(words.position, { position: place + 1, patch }))
      square.className = "square"
      element("canvas", "pixels", square)
      square.onpointerenter = () => this.pointAt([PICTURE, place])
      square.onpointerleave = () => this.pointAt()
      return square
    })
    this.point = linkTokens(this.root, (at) => this.markLinked(at))
  }

  paint(canvas, place) {
    const bytes = this.cut(place)
    paintCells(canvas, [this.size, this.size], (pixel) => pack(bytes.slice(3 * pixel, 3 * pixel + 3)))
  }

  pointAt(...at) {
    this.markLinked(at)
    this.point(...at)
  }

  markLinked(at) {
    const marked = at.find(([name]) => name === PICTURE)?.[1] ?? -1
    this.squares.forEach((square, place) => square.classList.toggle("at", place === marked))
  }
}

export default mounting(OnePatch)
