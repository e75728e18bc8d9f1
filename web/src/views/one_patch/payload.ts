/** The payload of `one_patch`: see views/components/one_patch.py. */

import type { Choosable } from "../../core/choosing"
import type { Theme } from "../../core/colour"
import type { Shape } from "../../core/painting"

export interface PatchWords {
  red: string
  green: string
  blue: string
  title: string
  pixels: string
  flattened: string
  embedded: string
  dimension: string
  steps: string
  cls: string
  position: string
  patch: string
}

export interface Payload extends Choosable {
  shows: "steps" | "sequence"
  grid: Shape // of patches
  inks: readonly [red: string, green: string, blue: string]
  hue: string
  first: string // the label of CLS
  theme: Theme
  words: PatchWords
}
