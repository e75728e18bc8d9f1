/** Numbers as text, and the arithmetic that views share. */

/** Three significant digits; the same rule as views/text/numbers.py. */
export function threeDigits(value: number): string {
  if (value === 0) return "0"
  const short = value.toExponential(2)
  const exponent = Number(short.split("e")[1])
  if (Math.abs(value) < 1e-3 || exponent >= 6) return withMinus(short.replace("e+", "e"))
  return exponent < 3 ? withMinus(value.toPrecision(3)) : grouped(Number(short))
}

/** A probability in per cent with one decimal; the same rule as views/text/numbers.py. */
export function percent(probability: number): string {
  if (probability > 0 && probability < 0.001) return "<\u00a00.1\u00a0%"
  if (probability >= 0.9995 && probability < 1 - 1e-6) return ">\u00a099.9\u00a0%"
  return `${(100 * probability).toFixed(1)}\u00a0%`
}

/** A whole number with a comma between groups of three digits; the same rule as views/text/numbers.py. */
export function grouped(value: number): string {
  return withMinus(String(value).replace(/\B(?=(\d{3})+$)/g, ","))
}

/** As many digits as float32 has. */
export function full(value: number): string {
  return value === 0 ? "0" : withMinus(String(Number(value.toPrecision(7))))
}

/** Half precision has no three digits below 0.0001. */
export function threeDigitsOfHalf(value: number): string {
  return Math.abs(value) < 1e-4 ? `< ${1e-4}` : threeDigits(value)
}

/** Short enough for a cell: three digits, of numbers below 1 three decimals; the read-out has more. */
export function short(value: number): string {
  if (Number.isInteger(value)) return withMinus(String(value))
  const size = Math.abs(value)
  return withMinus(size < 0.0005 ? "\u22480" : size < 1 ? value.toFixed(3) : value.toPrecision(3))
}

/** A number of which only some decimals are known: those; what they cannot tell from 0 is "\u22480". */
export function known(value: number, decimals: number): string {
  const text = value.toFixed(decimals)
  return Number(text) ? withMinus(text) : "\u22480"
}

/** A round number, such as a tick, with three digits or as many as are given, without zeros that say nothing. */
export function roundNumber(value: number, digits = 3): string {
  const rounded = Number(value.toPrecision(digits))
  return Number.isInteger(rounded) && Math.abs(rounded) < 1e6 ? grouped(rounded) : withMinus(String(rounded))
}

/** A number of a drawing, such as a place in a path, which nobody reads. */
export function drawn(value: number, decimals: number): string {
  return value.toFixed(decimals)
}

/** A number on the grid of decimals on which a user places it. */
export function onGrid(value: number, decimals: number): number {
  return Number(value.toFixed(decimals)) + 0
}

function withMinus(text: string): string {
  return text.replaceAll("-", "\u2212")
}

/** The nearest index of a list of `count` items. */
export function clamp(place: number, count: number): number {
  return Math.min(count - 1, Math.max(0, place))
}

/** The largest of values that are not negative; 0 for none. */
export function largest(values: Iterable<number>): number {
  let most = 0
  for (const value of values) most = Math.max(most, value)
  return most
}
