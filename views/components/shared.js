// What every component's script begins with: reading a payload, colours, numbers, elements, the read-out.

// A payload is a little-endian uint32 with the length of a JSON header, the header, then the arrays it describes.
function unpack(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const length = view.getUint32(0, true)
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)))
  return [header, bytes.slice(4 + length).buffer] // a copy starts at 0, as typed arrays need
}

// Whether two payloads are the same: an update may bring what is shown already.
function sameBytes(one, other) {
  if (one.length !== other.length) return false
  for (let place = 0; place < one.length; place++) {
    if (one[place] !== other[place]) return false
  }
  return true
}

// IEEE 754 half precision: 1 sign bit (never set here), 5 exponent bits, 10 fraction bits. Long inputs have a million of
// them, so each of the numbers there are is computed once.
function fromHalf(halves) {
  const known = Float32Array.from({ length: 1 << 15 }, (_, half) => {
    const exponent = half >> 10
    const fraction = half & 1023
    return exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024)
  })
  const numbers = new Float32Array(halves.length)
  for (let place = 0; place < halves.length; place++) numbers[place] = known[halves[place] & 0x7fff]
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

// Red, green, blue of each pixel as a canvas of its own size.
function paint(canvas, pixels, height, width) {
  canvas.width = width
  canvas.height = height
  const image = new ImageData(width, height)
  for (let pixel = 0; pixel < width * height; pixel++) {
    image.data.set(pixels.subarray(3 * pixel, 3 * pixel + 3), 4 * pixel)
    image.data[4 * pixel + 3] = 255
  }
  canvas.getContext("2d").putImageData(image, 0, 0)
}

// A scale's colours from left to right.
function paintScale(canvas, colours) {
  canvas.width = 256
  canvas.height = 1
  const image = new ImageData(256, 1)
  new Uint32Array(image.data.buffer).set(colours)
  canvas.getContext("2d").putImageData(image, 0, 0)
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
  return new Uint32Array(new Uint8ClampedArray([red, green, blue, 255]).buffer)[0] // in the machine's own byte order
}

// A colour of the page's theme as `#rrggbb`.
function canvasColour(host, variable, fallback) {
  const probe = document.createElement("canvas").getContext("2d")
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

// A text that the page has said, with `values` in its places in braces.
function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (place, name) => (name in values ? values[name] : place))
}

// Marks an element that shows what the page does not say: a token, a number or a name.
function markData(shown, kind) {
  if (kind) shown.dataset.said = kind
  return shown
}

function clamp(place, count) {
  return Math.min(count - 1, Math.max(0, place))
}

// Row and column that an arrow key adds; undefined for any other key.
function arrowStep(key) {
  return { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key]
}

// Shows a read-out above the pointer and within its root's width; below the pointer where there is no room above.
function placeTip(tip, root, x, y) {
  tip.hidden = false
  const frame = root.getBoundingClientRect()
  const left = Math.min(x - frame.left + 14, frame.width - tip.offsetWidth)
  const above = y - frame.top - tip.offsetHeight - 10
  tip.style.left = `${Math.max(0, left)}px`
  tip.style.top = `${above < 0 ? y - frame.top + 18 : above}px`
}

// What the page keeps beside a component, in `data-<name>` of a hidden element, so that the payload can stay as it is.
function watchMark(host, name, follow) {
  const surroundings = host.closest('[class*="-with-mark"]')
  const watching = new MutationObserver(follow)
  watching.observe(surroundings, { subtree: true, childList: true, attributes: true, attributeFilter: [`data-${name}`] })
  return {
    read: () => surroundings.querySelector(`[data-${name}]`)?.dataset[name],
    disconnect: () => watching.disconnect(),
  }
}
