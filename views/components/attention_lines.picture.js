// Exports the view as a picture: lines, tokens, weights and a legend.

const EDGE = 12 // pixels around the picture
const LINE = 18 // pixels per line of the legend

// Sizes, words and cells of the picture; the lines are between `left` and `left + lines.width`.
function pictureOf(lines) {
  const { focus, names, sheet, row, width, height, styles, weights, maps } = lines
  const measure = document.createElement("canvas").getContext("2d")
  const family = getComputedStyle(lines.root).fontFamily
  const ink = canvasColour(lines.host, "--st-text-color", "#1b1f24")
  const background = canvasColour(lines.host, "--st-background-color", "#ffffff")
  const texts = []
  const write = (text, x, y, size, anchor, weight = 400) => texts.push({ text, x, y, size, anchor, weight })
  const size = Math.max(3, Math.min(13, row * 0.7))
  measure.font = `${size}px ${family}`
  const widest = (list) => Math.max(60, ...list.map((name) => measure.measureText(name).width)) + 8
  const left = EDGE + widest(names.query)
  const top = EDGE + 24
  write(sheet.queryAxis, EDGE, EDGE + 8, 13, "start", 600)
  write(sheet.keyAxis, left + width + 6, EDGE + 8, 13, "start", 600)
  measure.font = `600 13px ${family}`
  const all = Math.max(left + width + widest(names.key), left + width + measure.measureText(sheet.keyAxis).width + 6) + EDGE
  const across = focus ? lines.readOut.weightsOf(focus) : []
  const room = lines.cellsWidth() + 4
  for (const side of ["query", "key"]) {
    names[side].forEach((name, place) => {
      const own = focus?.side === side && focus.place === place
      const y = top + (place + 0.5) * row
      write(name, side === "query" ? left - 6 : left + width + 6, y, size, side === "query" ? "end" : "start", own ? 700 : 400)
      if (!focus || focus.side === side || !maps.length) return
      const number = across[place].masked ? sheet.words.masked : threeDigits(across[place].mean)
      write(number, side === "query" ? left + room : left + width - room, y, size * 0.85, side === "query" ? "start" : "end")
    })
  }
  const cells = []
  const wide = lines.cellsWidth() / Math.max(1, maps.length)
  for (const { place, query, key } of across) {
    maps.forEach((map, column) => {
      const x = (focus.side === "query" ? left + width - lines.cellsWidth() : left) + column * wide
      const opacity = weights.at(map, query, key)
      if (opacity >= FAINT) cells.push({ x, y: top + (place + 0.1) * row, width: wide * 0.9, height: 0.8 * row, colour: styles[map % weights.heads][0], opacity })
    })
  }
  const chips = lines.view.heads.map((head, place) => {
    const perLine = Math.max(1, Math.floor((all - 2 * EDGE) / 84))
    const x = EDGE + (place % perLine) * 84
    const y = top + height + LINE * (1.5 + Math.floor(place / perLine))
    write(filled(sheet.words.chip, { head: head + 1 }), x + 30, y, 12, "start")
    return { x, y, style: styles[head] }
  })
  const end = chips.length ? chips[chips.length - 1].y : top + height
  const layers = lines.view.layers.map((layer) => sheet.numbers[layer]).join(", ")
  const share = Math.round(100 * lines.view.mass)
  const shown = filled(layers ? sheet.words.drawn : sheet.words.drawnNone, { kind: sheet.title, layers, share })
  write(shown, EDGE, end + LINE, 12, "start")
  return { all, height: end + 2 * LINE, left, top, texts, cells, chips, family, ink, background }
}

function saveSvg(lines) {
  const { all, height, left, top, texts, cells, chips, family, ink, background } = pictureOf(lines)
  const short = (value) => (typeof value === "number" ? Math.round(100 * value) / 100 : value)
  const add = (tag, attributes, parent) =>
    svgElement(tag, Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, short(value)])), parent)
  const shown = { viewBox: `0 0 ${short(all)} ${short(height)}`, width: all, height, "font-family": family }
  const svg = add("svg", shown, document.createDocumentFragment())
  add("rect", { width: "100%", height: "100%", fill: background }, svg)
  const line = (x1, y1, x2, y2, width, [stroke, dashes], opacity = 1) => {
    const look = { stroke, "stroke-width": width, "stroke-opacity": opacity, "stroke-dasharray": dashes.join(" ") }
    add("line", { x1, y1, x2, y2, ...look }, svg)
  }
  const strokes = lines.strokesSeen()
  strokes.each((x1, y1, x2, y2, weight, head) => {
    line(left + x1, top + y1, left + x2, top + y2, widthOf(weight, strokes.thickness), lines.styles[head], strengthOf(weight))
  })
  for (const { colour, opacity, ...place } of cells) add("rect", { ...place, fill: colour, "fill-opacity": opacity }, svg)
  for (const { x, y, style } of chips) line(x, y, x + 24, y, 5, style)
  for (const { text, x, y, size, anchor, weight } of texts) {
    const look = { "font-size": size, "font-weight": weight, "text-anchor": anchor, fill: ink }
    // XML allows no control characters, even escaped.
    const written = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
    add("text", { x, y, "dominant-baseline": "central", ...look }, svg).textContent = written
  }
  save(new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" }), lines.sheet.words.svgFile, lines.sheet.title)
}

function savePng(lines) {
  const { all, height, left, top, texts, cells, chips, family, ink, background } = pictureOf(lines)
  const canvas = document.createElement("canvas")
  const sharp = Math.min(2, 8000 / Math.max(all, height))
  canvas.width = Math.ceil(all * sharp)
  canvas.height = Math.ceil(height * sharp)
  const pen = canvas.getContext("2d")
  pen.scale(sharp, sharp)
  pen.fillStyle = background
  pen.fillRect(0, 0, all, height)
  const drawn = document.createElement("canvas")
  const { width: wide, height: tall, styles } = lines
  paintStrokes(drawn, lines.strokesSeen(), { width: wide, height: tall, across: sharp, down: sharp, background, styles })
  pen.drawImage(drawn, left, top, wide, tall)
  for (const cell of cells) {
    pen.globalAlpha = cell.opacity
    pen.fillStyle = cell.colour
    pen.fillRect(cell.x, cell.y, cell.width, cell.height)
  }
  pen.globalAlpha = 1
  for (const { x, y, style } of chips) strokeAcross(pen, x, y, 24, 5, style)
  pen.fillStyle = ink
  pen.textBaseline = "middle"
  for (const { text, x, y, size, anchor, weight } of texts) {
    pen.font = `${weight} ${size}px ${family}`
    pen.textAlign = anchor
    pen.fillText(text, x, y)
  }
  canvas.toBlob((blob) => save(blob, lines.sheet.words.pngFile, lines.sheet.title))
}

function save(blob, name, kind) {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(blob)
  link.download = filled(name, { kind }).replaceAll(" ", "-")
  document.body.append(link) // so that the click reaches listeners of the page
  link.click()
  link.remove()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
