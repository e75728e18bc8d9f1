// The start of every component's script: mounting, reading a payload, colours, numbers and elements. Larger parts, such as
// a table, are in shared.built.js.

const instances = new WeakMap() // parent element of a component -> its view

// The function that Streamlit calls for a component, again whenever its data changes.
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

// Base class of components, which show a payload in the page's theme. A subclass has `show(data)` and `build()`.
class View {
  constructor(parentElement, root) {
    this.host = parentElement.host ?? parentElement
    this.root = parentElement.querySelector(root)
    // An update that arrives during another one makes Streamlit end a view and create a new one in the same place.
    this.root.replaceChildren()
    this.root.classList.add("component")
    this.bytes = new Uint8Array()
    this.layout = ""
    this.sent = [] // choices that were sent and that the server has not repeated yet
  }

  // Whether payload or theme changed: an update may repeat what is shown already.
  isNew(bytes) {
    const theme = themeOf(this.host)
    if (theme === this.theme && sameBytes(bytes, this.bytes)) return false
    this.theme = theme
    this.bytes = bytes
    return true
  }

  // Rebuilds the elements if the layout changed, and reports the page's theme.
  fit(layout, theme) {
    const key = JSON.stringify(layout)
    if (key !== this.layout) this.build()
    this.layout = key
    if (this.theme !== theme) this.reportTheme(this.theme)
  }

  // Sends a choice to the server after `still` milliseconds without another one, or at once if the pointer or the focus
  // leaves the component or a link to another page is pressed. Not when a Streamlit widget is set: at the same moment
  // the browser would merge both into one message, and the server would run only the component's fragment.
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

  // The page's mark; null if it is no change, such as a choice that was sent from here and comes back.
  readMark() {
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

  // Shows the page's mark if it changed; whether it did.
  followMark() {
    const chosen = this.readMark()
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
  return [header, bytes.slice(4 + length).buffer] // a copy is aligned, as typed arrays need
}

// Whether two payloads are the same.
function sameBytes(one, other) {
  if (one.length !== other.length) return false
  for (let place = 0; place < one.length; place++) {
    if (one[place] !== other[place]) return false
  }
  return true
}

// IEEE 754 half precision: 1 sign bit, 5 exponent bits, 10 fraction bits. Long inputs have a million of them, so all
// 65,536 values are computed once; payloads contain no NaN.
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

// Paints one pixel per cell, row by row; the browser scales it up. `colour` returns a cell's colour as of `pack`.
function paintCells(canvas, [rows, columns], colour) {
  canvas.width = columns
  canvas.height = rows
  const image = new ImageData(columns, rows)
  const pixels = new Uint32Array(image.data.buffer)
  for (let cell = 0; cell < pixels.length; cell++) pixels[cell] = colour(cell)
  canvas.getContext("2d").putImageData(image, 0, 0)
}

// Paints a picture: red, green, blue of each pixel.
function paintPicture(canvas, pixels, size) {
  paintCells(canvas, size, (pixel) => pack(pixels.subarray(3 * pixel, 3 * pixel + 3)))
}

// Puts a picture under all maps in `holder`; `underlay` is its height and width, or null for none.
function layUnder(holder, { underlay, opacity }, pixels) {
  holder.classList.toggle("over-picture", Boolean(underlay))
  if (!underlay) return
  const canvas = document.createElement("canvas")
  paintPicture(canvas, pixels, underlay)
  holder.style.setProperty("--underlay", `url(${canvas.toDataURL()})`)
  holder.style.setProperty("--opacity", opacity)
}

// The legend of a colour scale; `low` and `high` are the labels of its ends.
function buildLegend(parent) {
  const legend = element("div", "legend", parent)
  const low = element("span", "", legend)
  const bar = element("canvas", "bar", legend)
  const paint = (colours) => paintCells(bar, [1, colours.length], (shade) => colours[shade])
  return { legend, low, high: element("span", "high", legend), paint }
}

// 256 shades between a scale's colours: as pixels of an image, and as CSS colours.
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
  const node = document.createElement(tag)
  if (className) node.className = className
  parent?.append(node)
  return node
}

function button(parent, text, act) {
  const node = element("button", "", parent)
  node.type = "button"
  node.textContent = text
  node.onclick = act
  return node
}

// While a slider is dragged the browser follows; the value is sent when it is released, or after a key. A pending earlier
// choice is delayed until then too.
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

// A text of the page with `values` for its placeholders in braces.
function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (place, name) => (name in values ? values[name] : place))
}

// Marks an element that shows data, not text of the page: a token, a number or a name.
function markData(shown, kind) {
  if (kind) shown.dataset.said = kind
  return shown
}

// A span with such data, next to text of the page.
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

// Row and column under the pointer, in an element of so many cells; out of range if it is outside.
function pointedCell({ clientX, clientY }, shown, [rows, columns]) {
  const { left, top, width, height } = shown.getBoundingClientRect()
  return [Math.floor(((clientY - top) / height) * rows), Math.floor(((clientX - left) / width) * columns)]
}

function svgElement(tag, attributes, parent) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag)
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value)
  parent.append(node)
  return node
}

// The page's mark next to a component, see `mark` in component.py, which can change without the payload.
function watchMark(host, follow) {
  const container = host.closest('[class*="-with-mark"]')
  if (!container) return { read: () => null, exact: () => "", disconnect: () => {} } // nothing can be selected
  const watching = new MutationObserver(follow)
  watching.observe(container, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-chosen", "data-exact"] })
  return {
    read: () => {
      const mark = container.querySelector("[data-chosen]")
      return mark && JSON.parse(mark.dataset.chosen)
    },
    exact: () => container.querySelector("[data-exact]")?.dataset.exact ?? "",
    disconnect: () => watching.disconnect(),
  }
}
