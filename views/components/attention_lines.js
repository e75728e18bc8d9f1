// Lines from query tokens to the key tokens that they attend to, one colour per head. Pointer and keys are handled here
// from the payload; the server only receives the selected layers, heads, share and token.

const STILL = 200 // milliseconds without another change before the view is sent to the server
const ROW = 20 // pixels per token
const WIDE_ROW = 28 // pixels per token of a short input
const SHORT = 360 // pixels of height up to which an input is short
const FULL_ROW = 15 // pixels per token of a long input that need not fit the screen
const FITS = 800 // pixels of height into which a long input is compressed
const MOST_LINES = 4000 // in the overview; more would hide each other
const MOST_ALONE = 1000 // of one token
const MANY = 400 // lines that are painted on coarser pixels
const NEAR = 12 // pixels between two legible labels
const THICKEST = 6 // pixels of a line whose weight is 1
const FAINT = 0.02 // weight whose cell would be invisible

class AttentionLines extends ChoosingView {
  constructor(parentElement) {
    super(parentElement, ".lines-root")
    this.readOut = new ReadOut(this)
    this.resized = new ResizeObserver(() => {
      if (this.middle.clientWidth !== this.width) this.draw()
    })
  }

  show(bytes) {
    if (!this.isNew(bytes)) return
    this.payload = decodeLines(bytes)
    this.path = location.pathname
    this.arrangement = ""
    const [news, before] = [this.readMark(), JSON.stringify(this.names)]
    this.chosen = this.completed(news ? this.withView(news) : (this.chosen ?? {}))
    this.arrange()
    // A token that was locked in another sentence is unlocked.
    if (!news && this.view.locked && before !== JSON.stringify(this.names)) this.change({ locked: null }, true)
  }

  // Layers, heads, share and locked token. `chosen` also has the kind and units, if they can be selected.
  get view() {
    return this.chosen.view ?? { layers: [0], heads: [0], mass: 0.7, locked: null }
  }

  // The page's mark as choices: it is the view alone, or all choices.
  withView(mark) {
    return this.payload.controls ? mark : { view: mark }
  }

  restricted(chosen) {
    return { view: this.chosen?.view, ...chosen }
  }

  // Other tokens are shown, so none is locked.
  set(changes) {
    super.set({ ...changes, view: { ...this.view, locked: null } })
  }

  // Draws the selection; the tokens and weights only if they changed.
  arrange() {
    const { payload, chosen } = this
    const arrangement = JSON.stringify([chosen.kind, chosen.units, chosen.marks])
    if (arrangement !== this.arrangement) this.open(arranged(payload, chosen))
    this.arrangement = arrangement
    if (payload.controls) {
      this.choices.fit(payload)
      this.choices.show(chosen)
    }
    this.change({})
  }

  open(sheet) {
    this.sheet = sheet
    this.weights = new Weights(sheet)
    this.fit([sheet.shape, sheet.numbers, sheet.queryAxis, sheet.keyAxis, sheet.words], sheet.theme)
    this.readOut.weighed = null
    this.background = canvasColour(this.host, "--st-background-color", "#ffffff")
    this.name()
    this.pointed = null
    this.root.dataset.drawn = `${sheet.title}: ${sheet.queries.join(" ")} / ${sheet.keys.join(" ")}`
  }

  build() {
    const { shape: [layers, heads, queries, keys], words } = this.sheet
    if (this.payload.controls) this.choices ??= new Choices(this)
    for (const built of [...this.root.children]) if (built !== this.choices?.root) built.remove()
    this.controls = new LinesControls(this, layers, heads, Math.max(queries, keys) * ROW > FITS)
    const bar = element("div", "status-bar", this.root)
    this.status = element("div", "status", bar)
    this.unlockButton = button(bar, words.unlock, () => this.lock(null))
    this.unlockButton.classList.add("unlock")
    const field = element("div", "field", this.root)
    this.axes = ["query-axis", "sense", "key-axis"].map((name) => element("div", name, field))
    this.axes[1].textContent = words.sense
    this.sides = { query: this.buildSide(field, "query", queries) }
    this.middle = element("div", "middle", field)
    this.overview = element("canvas", "overview", this.middle)
    this.front = element("canvas", "front", this.middle)
    this.sides.key = this.buildSide(field, "key", keys)
    this.legend = element("div", "legend", this.root)
    this.table = new Fold(this.root, (holder) => fillLocked(holder, this))
    this.table.title.textContent = words.table
    this.liveRegion = buildLiveRegion(this.root)
    this.tip = new Tip(this.root)
    this.pointElsewhere = linkTokens(field, (at) => this.markLinked(at))
    this.resized.disconnect()
    this.resized.observe(this.middle)
  }

  buildSide(field, side, count) {
    const list = element("div", `side ${side}`, field)
    list.setAttribute("role", "listbox")
    const tokens = [...Array(count).keys()].map((place) => {
      const token = element("div", "token", list)
      token.setAttribute("role", "option")
      token.tabIndex = place === 0 ? 0 : -1
      return { token, label: markData(element("span", "label", token), "token"), weight: element("span", "weight", token) }
    })
    const placeOf = (event) => Math.floor((event.clientY - list.getBoundingClientRect().top) / this.row)
    const pointed = (event) => ({ side, place: clamp(placeOf(event), count) })
    list.onpointermove = (event) => this.point(pointed(event), event)
    list.onpointerleave = () => this.point(null)
    list.onclick = (event) => this.toggleLock(pointed(event))
    list.onkeydown = (event) => this.typed(event, side)
    list.addEventListener("focusin", (event) => this.focused(side, tokens.findIndex(({ token }) => token === event.target)))
    list.addEventListener("focusout", () => this.focused(side, -1))
    return { list, tokens }
  }

  name() {
    const { sheet } = this
    const names = { query: sheet.queries, key: sheet.keys }
    const axes = { query: sheet.queryAxis, key: sheet.keyAxis }
    for (const [side, { list, tokens }] of Object.entries(this.sides)) {
      list.setAttribute("aria-label", filled(sheet.words.side, { axis: axes[side] }))
      tokens.forEach(({ label }, place) => { label.textContent = names[side][place] })
    }
    this.axes[0].textContent = sheet.queryAxis
    this.axes[2].textContent = sheet.keyAxis
    this.names = names
    this.styles = sheet.styles[this.theme]
  }

  // Applies every change; `view` has the changed fields.
  change(view, tell = false) {
    this.chosen = { ...this.chosen, view: this.fitting({ ...this.view, ...view }) }
    this.maps = this.view.layers.flatMap((layer) => this.view.heads.map((head) => layer * this.weights.heads + head))
    this.weights.setShare(this.view.mass)
    this.controls.follow(this.view, this.styles)
    if ("locked" in view && Object.keys(view).length === 1) this.showFocus(true)
    else this.draw()
    if (tell) this.tellView()
  }

  tellView() {
    if (this.payload.controls) this.tell("chosen", this.chosen, STILL)
    else this.tell("view", this.view, STILL)
  }

  showChosen(mark) {
    super.showChosen(this.withView(mark))
  }

  // Drops layers, heads and a token that do not exist.
  fitting({ layers, heads, mass, locked }) {
    const { weights } = this
    const there = locked && locked.place < (locked.side === "query" ? weights.queries : weights.keys)
    return {
      layers: layers.filter((layer) => layer < weights.layers),
      heads: heads.filter((head) => head < weights.heads),
      mass,
      locked: there ? { side: locked.side, place: locked.place } : null,
    }
  }

  draw() {
    if (!this.middle || !this.maps) return
    const { queries, keys } = this.weights
    const most = Math.max(queries, keys)
    this.row = most * WIDE_ROW <= SHORT ? WIDE_ROW : most * ROW <= FITS ? ROW : this.full ? FULL_ROW : Math.max(2.5, FITS / most)
    this.height = most * this.row
    this.root.style.setProperty("--row", `${this.row}px`) // before the width is read, to avoid a second layout
    this.root.style.setProperty("--cells", `${this.cellsWidth()}px`)
    this.root.classList.toggle("dense", this.row < NEAR)
    const width = this.middle.clientWidth
    if (!width) return
    if (width !== this.width) {
      this.width = width
      this.root.style.setProperty("--cells", `${this.cellsWidth()}px`)
    }
    this.strokes = this.strokesOf(null, MOST_LINES)
    this.paint(this.overview, this.strokes)
    this.showFocus(true)
  }

  paint(canvas, strokes) {
    const { width, height, background, styles } = this
    const down = strokes.count > MANY ? 1 : Math.min(2, window.devicePixelRatio || 1)
    const across = strokes.count > MANY ? 1 / 3 : down // the ends of so many lines are not visible
    paintStrokes(canvas, strokes, { width, height, across, down, background, styles })
    canvas.style.width = `${width}px`
    canvas.style.height = `${height}px`
    return [across, down]
  }

  // The strongest `most` lines of a token, or of all tokens if `focus` is null.
  strokesOf(focus, most) {
    const { weights, row, maps, width } = this
    const strokes = new Strokes(Math.max(2.4, THICKEST * Math.min(1, row / ROW)))
    const slot = focus ? this.cellsWidth() + 46 : 0
    const left = focus?.side === "key" ? slot : 0
    const right = focus?.side === "query" ? width - slot : width
    const spread = Math.min(row * 0.6, 2.5 * (maps.length - 1))
    const offsets = new Map(maps.map((map, place) => [map, maps.length > 1 ? (place / (maps.length - 1) - 0.5) * spread : 0]))
    const middle = (place, map) => (place + 0.5) * row + offsets.get(map)
    const { all, cells } = weights.strongest(maps, focus, most)
    strokes.all = all
    const { queries, keys, heads, values } = weights
    for (const cell of cells) {
      const map = Math.floor(cell / (queries * keys))
      const query = Math.floor(cell / keys) % queries
      strokes.add(left, middle(query, map), right, middle(cell % keys, map), values[cell], map % heads)
    }
    return strokes
  }

  // The lines that are on the screen.
  strokesSeen() {
    return this.focus ? this.alone : this.strokes
  }

  cellsWidth() {
    return Math.min(this.width < 240 ? 40 : 72, 9 * this.maps.length)
  }

  // The token whose lines are shown alone: the locked one, else the one under the pointer or with the focus.
  get focus() {
    return this.view.locked ?? this.pointed ?? this.focusedToken ?? this.linked ?? null
  }

  // Marks the token under the pointer in the page's other views.
  tellFocus() {
    const focus = this.view.locked ?? this.pointed ?? this.focusedToken
    this.linked = null
    this.pointElsewhere(...(focus ? [calledIn(this.names[focus.side], focus.place, this.sheet.places)] : []))
  }

  markLinked(at) {
    const [query, key] = linkedCell(at, this.names.query, this.names.key, this.sheet.places)
    this.linked = query >= 0 ? { side: "query", place: query } : key >= 0 ? { side: "key", place: key } : null
    this.showFocus()
  }

  point(pointed, event) {
    const moved = JSON.stringify(pointed) !== JSON.stringify(this.pointed ?? null)
    this.pointed = pointed
    if (moved) {
      this.tellFocus()
      this.showFocus()
    }
    this.readOut.showPair(pointed, event?.clientY)
  }

  focused(side, place) {
    const token = place < 0 ? null : this.sides[side].tokens[place].token
    this.focusedToken = token?.matches(":focus-visible") ? { side, place } : null
    for (const [other, { token }] of this.sides[side].tokens.entries()) {
      if (place >= 0) token.tabIndex = other === place ? 0 : -1
    }
    this.tellFocus()
    this.showFocus()
    if (!this.focusedToken) return this.readOut.showPair(null)
    this.readOut.showPair(this.focusedToken, token.getBoundingClientRect().top)
    this.liveRegion.textContent = this.view.locked ? this.tip.box.innerText : this.readOut.describe(this.focusedToken)
  }

  toggleLock(token) {
    const { locked } = this.view
    this.lock(locked && locked.side === token.side && locked.place === token.place ? null : token)
  }

  lock(locked) {
    this.change({ locked }, true)
    this.tellFocus()
    this.tip.hide()
    this.liveRegion.textContent = locked ? this.readOut.describeLocked(locked) : this.sheet.words.unlocked
  }

  typed(event, side) {
    const { tokens } = this.sides[side]
    const place = tokens.findIndex(({ token }) => token === event.target)
    const step = arrowStep(event.key)
    const ends = { Home: 0, End: tokens.length - 1 }
    if (event.key === "Enter" || event.key === " ") this.toggleLock({ side, place })
    else if (event.key === "Escape" && this.view.locked) this.lock(null)
    else if (event.key in ends) tokens[ends[event.key]].token.focus()
    else if (step?.[0]) tokens[clamp(place + step[0], tokens.length)].token.focus()
    else if (step) {
      const across = this.sides[step[1] > 0 ? "key" : "query"].tokens
      across[clamp(place, across.length)].token.focus()
    } else return
    event.preventDefault()
  }

  showFocus(again = false) {
    if (!this.width) return
    const { focus } = this
    const name = JSON.stringify(focus)
    if (name === this.focusShown && !again) return
    this.focusShown = name
    this.root.classList.toggle("focused", Boolean(focus))
    this.root.dataset.focus = focus ? `${focus.side} ${focus.place}` : ""
    this.unlockButton.disabled = !this.view.locked
    this.root.classList.toggle("locked", Boolean(this.view.locked))
    this.status.textContent = this.view.locked ? this.readOut.describeLocked(focus) : this.readOut.describe(focus)
    this.readOut.showWeights(focus)
    this.table.follow()
    if (focus) {
      this.alone = this.strokesOf(focus, MOST_ALONE)
      this.readOut.paintCells(focus, this.paint(this.front, this.alone))
    }
    this.legend.textContent = this.readOut.explain()
  }
}

export default mounting(AttentionLines)
