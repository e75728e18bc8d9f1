/** Sums and limits. */

export function sum(numbers: Iterable<number>): number {
  let total = 0
  for (const number of numbers) total += number
  return total
}

export function clampNumber(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value))
}
