// What every component's script begins with: how it is mounted, reading a payload, colours, numbers, elements. What is
// built of them, such as a table, is in shared.built.js.

const instances = new WeakMap() // where a component is mounted -> its view

// The function that Streamlit calls for a component, anew whenever its data changes.
function mounting(Shown) {
  return ({ data, parentElement, setTriggerValue, setStateValue }) => {
    const view = instances.get(parentElement) ?? new Shown(parentElement)
    instances.set(parentElement, view)
    view.answer = (name, value) => {
      window.dispatchEvent(new Event("telling"))
      setTriggerValue(name, value)
    }
    view.reportTheme = (theme) => setStateValue("theme", theme)
    view.show(data)
    window.dispatchEvent(new CustomEvent("shown", { detail: view.root }))
    return () => {
      instances.delete(parentElement)
      view.leave()
    }
  }
}

// What a component shows: its payload in the theme of the page. A subclass has `show(data)` and `build()`.
class View {
  constructor(parentElement, root) {
    this.host = parentElement.host ?? parentElement
    this.root = parentElement.querySelector(root)
    // An update that comes while another is on its way has Streamlit end a view and make a new one in the same place.
    this.root.replaceChildren()
    this.root.classList.add("component")
    this.bytes = new Uint8Array()
    this.layout = ""
    this.sent = [] // what the server was told and has not yet said back
  }

  // Whether this is news: an update may bring what is shown already.
  isNew(bytes) {
    const theme = themeOf(this.host)
    if (theme === this.theme && sameBytes(bytes, this.bytes)) return false
    this.theme = theme
    this.bytes = bytes
    return true
  }

  // Builds the elements where they do not fit what is to be shown, and says which theme the page has.
  fit(layout, theme) {
    const described = JSON.stringify(layout)
    if (described !== this.layout) this.build()
    this.layout = described
    if (this.theme !== theme) this.reportTheme(this.theme)
  }

  // Tells the server what was chosen once nothing else was for `still` milliseconds, or at once where the pointer or the
  // focus leaves for something else or a link to another page is pressed. Never when a control of Streamlit's is set: in
  // the same moment the browser would make one message of both, and the server would run only the component's part.
  tell(name, chosen, still) {
    this.unsent?.abort()
    const unsent = (this.unsent = new AbortController())
    const { signal } = unsent
    const now = () => {
      unsent.abort()
      this.sent.push(JSON.stringify(chosen))
      this.answer(name, chosen)
    }
    const waiting = setTimeout(now, still)
    signal.addEventListener("abort", () => clearTimeout(waiting))
    this.root.addEventListener("pointerleave", now, { signal })
    window.addEventListener("leavingpage", now, { signal })
    this.root.addEventListener("focusout", ({ relatedTarget }) => this.root.contains(relatedTarget) || now(), { signal })
  }

  // What the page says is chosen; null where that is no news, such as what was told from here and comes back.
  news() {
    const chosen = this.mark.read()
    const text = JSON.stringify(chosen)
    if (!chosen || text === this.followed) return null
    this.followed = text
    const known = this.sent.indexOf(text)
    this.sent.splice(0, known + 1)
    if (known >= 0) return null
    this.sent = []
    return chosen
  }

  // Whether the page says that something else is chosen; then that is shown.
  followMark() {
    const chosen = this.news()
    if (chosen) this.showChosen(chosen)
    return Boolean(chosen)
  }

  leave() {
    this.unsent?.abort()
    this.mark?.disconnect()
    this.resized?.disconnect()
  }
}

// A payload is a little-endian uint32 with the length of a JSON header, the header, then the arrays it describes.
function unpack(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const length = view.getUint32(0, true)
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)))
  return [header, bytes.slice(4 + length).buffer] // a copy starts at 0, as typed arrays need
}

// Whether two payloads are the same.
function sameBytes(one, other) {
  if (one.length !== other.length) return false
  for (let place = 0; place < one.length; place++) {
    if (one[place] !== other[place]) return false
  }
  return true
}

// IEEE 754 half precision: 1 sign bit, 5 exponent bits, 10 fraction bits. Long inputs have a million of them, so each of
// the numbers there are is computed once; NaN does not travel.
function fromHalf(halves) {
  const known = (fromHalf.known ??= Float32Array.from({ length: 1 << 16 }, (_, half) => {
    const [sign, exponent, fraction] = [half >> 15 ? -1 : 1, (half >> 10) & 31, half & 1023]
    if (exponent === 31) return sign * Infinity
    return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024))
  }))
  const numbers = new Float32Array(halves.length)
  for (let place = 0; place < halves.length; place++) numbers[place] = known[halves[place]]
  return numbers
}

// The same rule as views/text/numbers.py.
function threeDigits(value) {
  if (value === 0) return "0"
  const short = value.toExponential(2)
  const exponent = Number(short.split("e")[1])
  if (Math.abs(value) < 1e-3 || exponent >= 6) return short.replace("e+", "e")
  return exponent < 3 ? value.toPrecision(3) : String(Number(short)).replace(/\B(?=(\d{3})+$)/g, "\u2009")
}

// One pixel a cell, row by row; the browser scales it up. `colour` gives a cell's, as `pack` makes it.
function paintCells(canvas, [rows, columns], colour) {
  canvas.width = columns
  canvas.height = rows
  const image = new ImageData(columns, rows)
  const pixels = new Uint32Array(image.data.buffer)
  for (let cell = 0; cell < pixels.length; cell++) pixels[cell] = colour(cell)
  canvas.getContext("2d").putImageData(image, 0, 0)
}

// A picture: red, green, blue of each pixel.
function paintPicture(canvas, pixels, size) {
  paintCells(canvas, size, (pixel) => pack(pixels.subarray(3 * pixel, 3 * pixel + 3)))
}

// Lays a picture under all maps in `holder`; `underlay` is its height and width, or null for none.
function layUnder(holder, { underlay, opacity }, pixels) {
  holder.classList.toggle("over-picture", Boolean(underlay))
  if (!underlay) return
  const canvas = document.createElement("canvas")
  paintPicture(canvas, pixels, underlay)
  holder.style.setProperty("--underlay", `url(${canvas.toDataURL()})`)
  holder.style.setProperty("--opacity", opacity)
}

// What the colours of a scale mean; `low` and `high` take what stands at its ends.
function buildLegend(parent) {
  const legend = element("div", "legend", parent)
  const low = element("span", "", legend)
  const bar = element("canvas", "bar", legend)
  const paint = (colours) => paintCells(bar, [1, colours.length], (shade) => colours[shade])
  return { legend, low, high: element("span", "high", legend), paint }
}

// 256 shades between a scale's colours: as pixels of an image, and as a style sheet writes them.
function lookupTable(colours) {
  return Uint32Array.from(shades(colours), pack)
}

function cssColours(colours) {
  return shades(colours).map((mixed) => `rgb(${mixed.join(",")})`)
}

function shades(colours) {
  const channels = colours.map(rgb)
  return Array.from({ length: 256 }, (_, shade) => {
    const position = (shade / 255) * (channels.length - 1)
    const left = Math.min(channels.length - 2, Math.floor(position))
    return channels[left].map((low, channel) => Math.round(low + (position - left) * (channels[left + 1][channel] - low)))
  })
}

function rgb(colour) {
  return [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16))
}

function packed(colour) {
  return pack(rgb(colour))
}

function pack([red, green, blue]) {
  return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0
}

function largest(values) {
  return values.reduce((most, value) => Math.max(most, value), 0)
}

// A colour of the page's theme as `#rrggbb`.
function canvasColour(host, variable, fallback) {
  const probe = (canvasColour.probe ??= document.createElement("canvas").getContext("2d"))
  probe.fillStyle = getComputedStyle(host).getPropertyValue(variable).trim() || fallback
  return probe.fillStyle
}

function themeOf(host) {
  const [red, green, blue] = rgb(canvasColour(host, "--st-background-color", "#ffffff"))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 128 ? "light" : "dark"
}

function element(tag, className, parent) {
  const made = document.createElement(tag)
  if (className) made.className = className
  parent?.append(made)
  return made
}

function button(parent, text, act) {
  const made = element("button", "", parent)
  made.type = "button"
  made.textContent = text
  made.onclick = act
  return made
}

// While a slider is dragged everything follows in the browser; the server is told when it is let go, or after a key. What
// was still to be told of an earlier choice waits until then too.
function followDrag(view, slider, follow, tell) {
  let moved = false
  slider.oninput = () => {
    moved = true
    view.unsent?.abort()
    follow()
  }
  slider.onchange = slider.onpointerup = () => {
    if (moved) tell()
    moved = false
  }
}

// A text that the page has said, with `values` in its places in braces.
function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (place, name) => (name in values ? values[name] : place))
}

// Marks an element that shows what the page does not say: a token, a number or a name.
function markData(shown, kind) {
  if (kind) shown.dataset.said = kind
  return shown
}

// Such a text among others, for where what the page says stands beside it.
function dataText(text, kind) {
  const shown = markData(document.createElement("span"), kind)
  shown.textContent = text
  return shown
}

function clamp(place, count) {
  return Math.min(count - 1, Math.max(0, place))
}

// Row and column that an arrow key adds; undefined for any other key.
function arrowStep(key) {
  return { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key]
}

// Row and column that the pointer is over, in an element of so many cells; outside of them where it is outside.
function pointedCell({ clientX, clientY }, shown, [rows, columns]) {
  const { left, top, width, height } = shown.getBoundingClientRect()
  return [Math.floor(((clientY - top) / height) * rows), Math.floor(((clientX - left) / width) * columns)]
}

function svgElement(tag, attributes, parent) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  parent.append(made)
  return made
}

// What the page keeps beside a component, see `mark` in parts.py, so that the payload can stay as it is.
function watchMark(host, follow) {
  const surroundings = host.closest('[class*="-with-mark"]')
  if (!surroundings) return { read: () => null, exact: () => "", disconnect: () => {} } // nothing can be chosen
  const watching = new MutationObserver(follow)
  watching.observe(surroundings, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-chosen", "data-exact"] })
  return {
    read: () => {
      const mark = surroundings.querySelector("[data-chosen]")
      return mark && JSON.parse(mark.dataset.chosen)
    },
    exact: () => surroundings.querySelector("[data-exact]")?.dataset.exact ?? "",
    disconnect: () => watching.disconnect(),
  }
}
