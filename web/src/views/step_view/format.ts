/** Numbers and labels of a step view as text. */

import { threeDigits } from "../../core/numbers"

/** Three significant digits; a dash for NaN. */
export function signedDigits(value: number): string {
  return Number.isNaN(value) ? "\u2013" : threeDigits(value)
}
