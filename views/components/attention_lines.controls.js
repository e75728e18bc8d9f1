// The controls of the lines: buttons for heads and layers, the slider for the share, export, and the table of the locked
// token.

class LinesControls {
  constructor(lines, layers, heads, long) {
    this.lines = lines
    const { words } = lines.sheet
    const holder = element("div", "controls", lines.root)
    this.groups = {
      heads: this.buildGroup(holder, "heads", words.heads, words.head, heads),
      layers: this.buildGroup(holder, "layers", words.layers, words.layer, layers),
    }
    const label = element("label", "mass", holder)
    this.massWords = element("span", "", label)
    this.mass = element("input", "", label)
    Object.assign(this.mass, { type: "range", min: 5, max: 100, step: 5 })
    followDrag(lines, this.mass, () => lines.change({ mass: this.mass.value / 100 }), () => lines.tellView())
    const files = element("div", "files", holder)
    if (long) {
      this.full = button(files, words.tall, () => {
        lines.full = !lines.full
        this.full.setAttribute("aria-pressed", lines.full)
        lines.draw()
      })
      this.full.setAttribute("aria-pressed", Boolean(lines.full))
    }
    button(files, words.svg, () => saveSvg(lines))
    button(files, words.png, () => savePng(lines))
  }

  buildGroup(holder, field, title, name, count) {
    const { words, numbers } = this.lines.sheet
    const number = (place) => (field === "layers" ? numbers[place] : place + 1)
    const group = element("div", "group", holder)
    group.setAttribute("role", "group")
    group.setAttribute("aria-label", title)
    element("span", "title", group).textContent = title
    const buttons = [...Array(count).keys()].map((place) => {
      const toggle = button(group, "", () => this.pick(field, place))
      toggle.className = "toggle"
      if (field === "heads") element("canvas", "chip", toggle)
      element("span", "", toggle).textContent = number(place)
      toggle.setAttribute("aria-label", filled(name, { number: number(place) }))
      return toggle
    })
    const only = button(group, words.single, () => this.single(field, only))
    only.setAttribute("aria-pressed", false)
    button(group, words.all, () => this.lines.change({ [field]: [...Array(count).keys()] }, true))
    button(group, words.none, () => this.lines.change({ [field]: [] }, true))
    return { buttons, only }
  }

  pick(field, place) {
    const chosen = this.lines.view[field]
    if (this.groups[field].only.ariaPressed === "true") return this.lines.change({ [field]: [place] }, true)
    const others = chosen.filter((other) => other !== place)
    const next = others.length < chosen.length ? others : [...chosen, place].sort((one, other) => one - other)
    this.lines.change({ [field]: next }, true)
  }

  single(field, only) {
    const on = only.ariaPressed !== "true"
    only.setAttribute("aria-pressed", on)
    if (on && this.lines.view[field].length > 1) this.lines.change({ [field]: [this.lines.view[field][0]] }, true)
  }

  follow(view, styles) {
    for (const [field, { buttons, only }] of Object.entries(this.groups)) {
      buttons.forEach((toggle, place) => toggle.setAttribute("aria-pressed", view[field].includes(place)))
      if (view[field].length > 1) only.setAttribute("aria-pressed", false) // several end "one at a time"
    }
    this.groups.heads.buttons.forEach((toggle, place) => paintChip(toggle.querySelector("canvas"), styles[place]))
    const share = Math.round(100 * view.mass)
    this.mass.value = share
    this.massWords.textContent = filled(this.lines.sheet.words.mass, { share })
    this.mass.setAttribute("aria-valuetext", `${share} %`)
  }
}

// A short stroke of a head's line, with its dashes.
function paintChip(canvas, [colour, dashes]) {
  canvas.width = 44
  canvas.height = 12
  strokeAcross(canvas.getContext("2d"), 0, 6, 44, 8, [colour, dashes.map((length) => 2 * length)])
}

// Every weight of the locked token, head by head.
function fillLocked(holder, lines) {
  const { maps, readOut, names, sheet: { words }, view: { locked } } = lines
  if (!locked || !maps.length) {
    holder.textContent = words.noneLocked
    return
  }
  const several = maps.length > 1
  const columns = [words.token, ...(several ? [words.mean] : []), ...maps.map((map) => readOut.nameOf(map))]
  const rows = readOut.weightsOf(locked).map(({ place, name, query, key, masked, mean }) => {
    const values = [...(several ? [mean] : []), ...maps.map((map) => lines.weights.at(map, query, key))]
    return [`${place + 1} ${name}`, ...values.map((value) => (masked ? words.masked : threeDigits(value)))]
  })
  const table = buildTable(holder, columns.map((title) => [title, ""]), rows, "token")
  const caption = locked.side === "query" ? words.queryTable : words.keyTable
  table.createCaption().textContent = filled(caption, { token: names[locked.side][locked.place] })
}
