// Decodes matrices, and formats their numbers.

function decode(bytes) {
  const [header, body] = unpack(bytes)
  let offset = 0
  for (const item of header.items) {
    if (item.sign) continue
    item.shape = item.values
    const count = item.shape[0] * item.shape[1]
    item.values = new Float32Array(body, offset, count)
    offset += 4 * count
  }
  return header
}

// The text of a cell's value, and the parts of the text that identifies the cell.
function readOut(item, row, column) {
  const value = item.values[row * item.shape[1] + column]
  const name = (labels, title, place) => (labels.length ? dataText(labels[place], "token") : `${title} ${place}`)
  const words = item.words ? item.words[value ? 1 : 0] : value === -Infinity ? item.masked.join(", ") : full(value)
  return [words, [name(item.rows, item.row_title, row), " \u2192 ", name(item.columns, item.column_title, column)]]
}

// As many digits as float32 has.
function full(value) {
  return value === 0 ? "0" : String(Number(value.toPrecision(7))).replace("-", "\u2212")
}

// Half precision has no three digits below 0.0001.
function threeDigitsOfHalf(value) {
  return Math.abs(value) < 1e-4 ? `< ${1e-4}` : threeDigits(value).replace("-", "\u2212")
}

// Short enough for a cell; the read-out has all digits.
function short(value) {
  if (Number.isInteger(value)) return String(value).replace("-", "\u2212")
  const size = Math.abs(value)
  const text = size < 0.005 ? "\u22480" : size < 10 ? value.toFixed(2) : value.toPrecision(3)
  return text.replace("-", "\u2212")
}

// Black or white, by the higher contrast.
function readable(colour) {
  const [red, green, blue] = colour.startsWith("#") ? rgb(colour) : colour.match(/\d+/g).map(Number)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 140 ? "#111417" : "#f4f6f8"
}
