// A picture with its patches. The map over it has one pixel per patch and is scaled up by the browser, nearest neighbour;
// a grid of buttons is on top. Selecting a patch redraws here; the selection is sent to the server.

class PatchPicture extends ChoosingView {
  constructor(parentElement) {
    super(parentElement, ".picture-root")
  }

  show(bytes) {
    if (!this.isNew(bytes)) return
    const [header, body] = unpack(bytes)
    const { weights: shape, pixels: picture, form, id } = header
    const count = shape.reduce((product, side) => product * side, 1)
    const one = shape[2] * shape[3]
    const whole = form === "float32"
    const read = 3 * picture[0] * picture[1]
    const pixels = new Uint8Array(body, 0, read)
    const sent = body.slice(read) // a copy is aligned, as typed arrays need
    const all = whole ? new Float32Array(sent, 0, count) : fromHalf(new Uint16Array(sent, 0, count))
    const rounded = (map) => all.subarray(map * one, (map + 1) * one)
    const maps = (at) => this.exact?.[`${id},${at}`] ?? rounded(at[0] * shape[1] + at[1])
    this.view = { ...header, shape: shape.slice(-2), picture, pixels, maps }
    this.fit([header.grid, picture, header.panels], header.theme)
    this.colours = lookupTable(header.scales[this.theme])
    this.panels.forEach(({ under }) => paintPicture(under, pixels, picture))
    this.drawn = ""
    this.readExact()
    this.take(header)
  }

  // The page may provide the selected map with every digit, if the payload has rounded numbers.
  followMark() {
    const chosen = super.followMark()
    if (!this.readExact()) return chosen
    this.drawn = ""
    this.arrange()
    return chosen
  }

  readExact() {
    const text = this.mark.exact()
    if (text === this.exactText) return false
    this.exactText = text
    const [name, numbers] = text.split(" ")
    this.exact = text && { [name]: new Float32Array(Uint8Array.from(atob(numbers), (char) => char.charCodeAt(0)).buffer) }
    return true
  }

  // Draws the selection, unless it is on the screen, or not yet sent by the server.
  arrange() {
    const { view, chosen } = this
    this.choices.fit(view)
    this.choices.show(chosen)
    const at = view.names.map((names, axis) => names.indexOf(chosen[view.along[axis]] ?? names[0]))
    const drawn = JSON.stringify(chosen)
    if (at.includes(-1) || this.drawn === drawn) return
    this.drawn = drawn
    this.selected = [chosen.row, chosen.column].map((number) => Number(number) - 1)
    const shared = chosen.scale !== "own" && view.tops.length > 0
    Object.assign(view, { weights: view.maps(at), top: shared ? view.tops[at[0]][at[1]] : null })
    Object.assign(view, { opacity: (chosen.opacity ?? 100) / 100, kept: (chosen.kept ?? 0) / 100 })
    this.heading.textContent = filled(view.heading, { map: placeInWords(view.words, chosen.layer, chosen.head) })
    this.heading.hidden = !view.heading
    this.draw()
  }

  // Whether only the server has the selected maps.
  waits() {
    const { names, along } = this.view
    return along.some((choice, axis) => choice in this.chosen && !names[axis].includes(this.chosen[choice]))
  }

  build() {
    const { grid, panels } = this.view
    this.root.replaceChildren()
    this.choices = new Choices(this)
    this.heading = element("h2", "", this.root)
    const holder = element("div", "panels", this.root)
    this.panels = panels.map((panel) => this.buildPanel(holder, panel, grid))
    this.tip = new Tip(this.root, "pair", "value")
    this.point = linkTokens(holder, (at) => this.markLinked(at))
  }

  buildPanel(holder, { title, shows }, [rows, columns]) {
    const panel = element("div", "panel", holder)
    element("div", "title", panel).textContent = title
    const frame = element("div", "frame", panel)
    frame.style.aspectRatio = `${this.view.picture[1]} / ${this.view.picture[0]}`
    const under = element("canvas", "under pixels", frame)
    const map = element("canvas", "map pixels", frame)
    const lines = this.buildLines(frame, rows, columns)
    const cells = element("div", "cells", frame)
    cells.setAttribute("role", "grid")
    cells.style.setProperty("--columns", columns)
    const built = { shows, title, under, map, lines, cells }
    built.patches = [...Array(rows).keys()].map((row) => {
      const line = element("div", "line", cells)
      line.setAttribute("role", "row")
      return [...Array(columns).keys()].map((column) => this.buildPatch(line, built, row, column))
    })
    cells.onpointerleave = () => {
      this.tip.hide()
      this.markPatch(-1)
      this.point()
    }
    built.note = element("div", "note", panel)
    built.note.setAttribute("aria-live", "polite")
    built.quiet = element("div", "quiet", panel)
    built.scale = buildLegend(panel)
    return built
  }

  buildPatch(line, panel, row, column) {
    const patch = button(line, "", () => this.choose([row, column]))
    patch.className = "patch"
    patch.setAttribute("role", "gridcell")
    patch.onkeydown = (event) => this.move(event, panel, row, column)
    patch.onpointermove = (event) => this.hover(event, panel, row, column)
    return patch
  }

  buildLines(frame, rows, columns) {
    const svg = svgElement("svg", { viewBox: `0 0 ${columns} ${rows}` }, frame)
    svg.setAttribute("preserveAspectRatio", "none")
    svg.setAttribute("aria-hidden", "true")
    const names = ["lines", "halo", "outline", "chosen-halo", "chosen"]
    const paths = Object.fromEntries(names.map((name) => [name, svgElement("path", { class: name }, svg)]))
    const across = [...Array(rows - 1).keys()].map((row) => `M0 ${row + 1}H${columns}`)
    const down = [...Array(columns - 1).keys()].map((column) => `M${column + 1} 0V${rows}`)
    paths.lines.setAttribute("d", [...across, ...down].join(""))
    return paths
  }

  draw() {
    this.panels.forEach((panel) => this.drawPanel(panel))
    this.tip.hide() // its weight may have changed
    const [row, column] = this.selected
    this.root.dataset.drawn = `${this.heading.textContent || this.view.title}: row ${row + 1}, column ${column + 1}`
  }

  drawPanel(panel) {
    const { grid: [rows, columns], kept, opacity, title } = this.view
    const [chosenRow, chosenColumn] = this.selected
    const weights = this.mapOf(panel.shows)
    panel.weights = weights
    panel.map.hidden = !weights
    panel.scale.legend.hidden = !weights
    panel.cells.setAttribute("aria-label", panel.title || title)
    let outline = ""
    if (weights) {
      const top = this.view.top ?? largest(weights)
      const alone = typeof panel.shows === "number"
      const low = alone ? Math.min(...weights) : 0
      const shadeOf = (patch) => Math.min(255, Math.round(((weights[patch] - low) / (top - low || 1)) * 255))
      paintCells(panel.map, [rows, columns], (patch) => this.colours[shadeOf(patch)])
      panel.map.style.opacity = opacity
      const [kind, count] = kept > 0 ? selectLargest(weights, kept) : [null, 0]
      outline = kind ? outlineOf(kind, rows, columns) : ""
      panel.quiet.textContent = alone ? this.describeMap(weights) : this.describeMass(panel, weights, count)
      panel.scale.low.textContent = threeDigits(low)
      panel.scale.high.textContent = threeDigits(top)
      panel.scale.paint(this.colours)
    }
    panel.note.textContent = weights ? this.words(panel, chosenRow, chosenColumn) : ""
    const square = `M${chosenColumn} ${chosenRow}h1v1h-1Z`
    const paths = { halo: outline, outline, "chosen-halo": square, chosen: square }
    for (const [name, path] of Object.entries(paths)) panel.lines[name].setAttribute("d", path)
    panel.patches.forEach((line, row) => line.forEach((patch, column) => {
      const chosen = row === chosenRow && column === chosenColumn
      patch.setAttribute("aria-selected", chosen)
      patch.setAttribute("aria-label", this.words(panel, row, column))
      patch.tabIndex = chosen ? 0 : -1
    }))
  }

  // The weights over the patches that a panel shows, row by row; null for none.
  mapOf(shows) {
    const { grid: [rows, columns], weights, shape: [, width] } = this.view
    if (shows === "nothing") return null
    const chosen = 1 + this.selected[0] * columns + this.selected[1]
    if (shows === "to") return Float32Array.from({ length: rows * columns }, (_, patch) => weights[(1 + patch) * width + chosen])
    const row = shows === "cls" ? 0 : shows === "from" ? chosen : shows
    return weights.slice(row * width + 1, (row + 1) * width)
  }

  // The strongest patch of a map.
  describeMap(weights) {
    const { words, grid: [, columns] } = this.view
    const most = weights.indexOf(largest(weights))
    return filled(words.strongest, { row: Math.floor(most / columns) + 1, column: (most % columns) + 1 })
  }

  // The text about CLS in the map, and about the share in the outline.
  describeMass(panel, weights, count) {
    const { weights: all, shape: [, width], grid: [, columns], kept, words } = this.view
    const chosen = 1 + this.selected[0] * columns + this.selected[1]
    const sum = threeDigits(weights.reduce((total, weight) => total + weight, 0))
    const share = Math.round(100 * kept)
    if (panel.shows === "to") {
      return filled(count ? words.toPatchKept : words.toPatch, { cls: threeDigits(all[chosen]), share, count })
    }
    const cls = threeDigits(all[panel.shows === "cls" ? 0 : chosen * width])
    return filled(count ? words.fromPatchKept : words.fromPatch, { sum, cls, share, count })
  }

  words(panel, row, column) {
    const { grid: [, columns], words } = this.view
    if (!panel.weights) return this.nameOf(row, column)
    const weight = threeDigits(panel.weights[row * columns + column])
    return filled(words.weight, { row: row + 1, column: column + 1, weight })
  }

  nameOf(row, column) {
    return filled(this.view.words.patch, { row: row + 1, column: column + 1 })
  }

  hover(event, panel, row, column) {
    const [, columns] = this.view.grid
    const weight = panel.weights ? threeDigits(panel.weights[row * columns + column]) : ""
    this.tip.show(event.clientX, event.clientY, this.nameOf(row, column), weight)
    this.markPatch(row * columns + column)
    this.point([PICTURE, row * columns + column])
  }

  // Marks a patch in every panel; -1 for none.
  markPatch(place) {
    for (const { patches } of this.panels) {
      patches.flat().forEach((patch, at) => patch.classList.toggle("at", at === place))
    }
  }

  markLinked(at) {
    this.markPatch(at.find(([name]) => name === PICTURE)?.[1] ?? -1)
  }

  choose([row, column]) {
    this.set({ row: String(row + 1), column: String(column + 1) })
  }

  move(event, panel, row, column) {
    const step = arrowStep(event.key)
    if (!step) return
    event.preventDefault()
    const [rows, columns] = this.view.grid
    const next = [clamp(row + step[0], rows), clamp(column + step[1], columns)]
    this.choose(next)
    panel.patches[next[0]][next[1]].focus()
  }
}

// The fewest patches, largest weights first, that hold `share` of all weights; the same rule as views/patch_grid.py.
function selectLargest(weights, share) {
  const order = [...weights.keys()].sort((a, b) => weights[b] - weights[a])
  const target = share * weights.reduce((total, weight) => total + weight, 0) - 1e-6 // weights have about seven digits
  const selected = new Uint8Array(weights.length)
  let covered = 0
  let count = 0
  while (count < order.length && covered < target && weights[order[count]] > 0) {
    selected[order[count]] = 1
    covered += weights[order[count]]
    count += 1
  }
  return [selected, count]
}

// The edges between selected patches and the rest.
function outlineOf(selected, rows, columns) {
  const at = (row, column) => row >= 0 && column >= 0 && row < rows && column < columns && selected[row * columns + column]
  let path = ""
  for (let row = 0; row <= rows; row++) {
    for (let column = 0; column <= columns; column++) {
      if (Boolean(at(row, column)) !== Boolean(at(row - 1, column))) path += `M${column} ${row}h1`
      if (Boolean(at(row, column)) !== Boolean(at(row, column - 1))) path += `M${column} ${row}v1`
    }
  }
  return path
}

export default mounting(PatchPicture)
