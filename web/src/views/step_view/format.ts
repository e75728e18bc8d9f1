/** Numbers and labels of a step view as text. */

import { NARROW_SPACE, threeDigits } from "../../core/numbers"

/** Three significant digits with a minus sign; a dash for NaN. */
export function signedDigits(value: number): string {
  return Number.isNaN(value) ? "\u2013" : threeDigits(value).replace("-", "\u2212")
}

/** A whole number, in groups of three digits. */
export function wholeDigits(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, NARROW_SPACE)
}
