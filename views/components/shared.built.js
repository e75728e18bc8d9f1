// Parts of components: a tooltip, a live region, a table that opens.

// A tooltip at the pointer; each line has its own class, and is passed as a text or as several nodes.
class Tip {
  constructor(root, ...lines) {
    this.root = root
    this.box = element("div", "tip", root)
    this.lines = lines.map((line) => element("div", line, this.box))
    this.hide()
  }

  // Shows it above the pointer and within its root's width; below the pointer if there is no room above.
  show(x, y, ...texts) {
    this.lines.forEach((line, place) => line.replaceChildren(...[texts[place]].flat()))
    this.box.hidden = false
    const frame = this.root.getBoundingClientRect()
    const left = Math.min(x - frame.left + 14, frame.width - this.box.offsetWidth)
    const above = y - frame.top - this.box.offsetHeight - 10
    this.box.style.left = `${Math.max(0, left)}px`
    this.box.style.top = `${above < 0 ? y - frame.top + 18 : above}px`
  }

  hide() {
    this.box.hidden = true
  }
}

// A live region, whose text is announced by screen readers.
function buildLiveRegion(root) {
  const region = element("div", "heard", root)
  region.setAttribute("aria-live", "polite")
  return region
}

// An element that scrolls if it is too large, also with the keyboard.
function buildScroll(parent, name) {
  const scroll = element("div", "scroll", parent)
  scroll.tabIndex = 0
  scroll.setAttribute("role", "region")
  scroll.setAttribute("aria-label", name)
  return scroll
}

// A table that is built by `fill(holder)` when it is opened.
class Fold {
  constructor(root, fill) {
    this.fold = element("details", "numbers", root)
    this.title = element("summary", "", this.fold)
    this.holder = buildScroll(this.fold, "")
    this.fill = fill
    this.fold.ontoggle = () => this.follow()
  }

  follow() {
    this.holder.replaceChildren()
    this.holder.setAttribute("aria-label", this.title.textContent)
    if (this.fold.open) this.fill(this.holder)
  }
}

// A table of numbers. `columns` are headings with their kinds, see `markData`; `rows` start with theirs, of one `kind`.
function buildTable(holder, columns, rows, kind) {
  const table = element("table", "", holder)
  const head = element("tr", "", element("thead", "", table))
  for (const [title, headingKind] of columns) buildHeading(head, "col", title, headingKind)
  const body = element("tbody", "", table)
  for (const [title, ...numbers] of rows) {
    const line = element("tr", "", body)
    buildHeading(line, "row", title, kind)
    for (const number of numbers) element("td", "", line).textContent = number
  }
  return table
}

function buildHeading(line, scope, title, kind) {
  const heading = markData(element("th", "", line), kind)
  heading.scope = scope
  heading.textContent = title
}
