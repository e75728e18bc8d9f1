/** Brushing and linking: a token or patch under the pointer is marked in all views of the page. */

/** The name of a picture's patches; a token's name is the text of its whole row. */
export const PICTURE = "picture"

/** A name and an index: what is under the pointer. */
export type Pointed = readonly [name: string, place: number]

interface Pointing {
  from: unknown
  at: readonly Pointed[]
}

declare global {
  interface WindowEventMap {
    pointing: CustomEvent<Pointing>
  }
}

/**
 * `follow(at)` is called with what is under the pointer elsewhere, none for nothing. Returns a function that announces what
 * is under the pointer here, in the same form.
 */
export function linkTokens(root: Element, follow: (at: readonly Pointed[]) => void): (...at: Pointed[]) => void {
  const onPointing = ({ detail: { from, at } }: CustomEvent<Pointing>) => {
    if (!root.isConnected) window.removeEventListener("pointing", onPointing)
    else if (from !== root) follow(at)
  }
  window.addEventListener("pointing", onPointing)
  linkChips()
  return (...at) => announce(root, at)
}

function announce(from: unknown, at: readonly Pointed[]): void {
  window.dispatchEvent(new CustomEvent<Pointing>("pointing", { detail: { from, at } }))
}

/** Name and index of the `place`-th of these labels: a token by its whole row, a patch by its index in the picture. */
export function calledIn(labels: readonly string[], place: number, ofPicture = false): Pointed {
  const first = ofPicture ? firstPatch(labels) : 0
  return place < first ? [labels[place]!, 0] : [ofPicture ? PICTURE : labels.join(" "), place - first]
}

/** The index of the first of these labels that is among the pairs; -1 for none. */
export function placeOf(pairs: readonly Pointed[], labels: readonly string[], ofPicture = false): number {
  const name = ofPicture ? PICTURE : labels.join(" ")
  const first = ofPicture ? firstPatch(labels) : 0
  const places = pairs.map(([called, place]) => (called === name ? place + first : first && called === labels[0] ? 0 : -1))
  return places.find((place) => place >= 0 && place < labels.length) ?? -1
}

/** The labels of patches are numbers; CLS may come before them. */
function firstPatch(labels: readonly string[]): 0 | 1 {
  return /\d/.test(labels[0] ?? "") ? 0 : 1
}

/** The row and the column of a map that are among the pairs; -1 for none. One token may be both. */
export function linkedCell(
  at: readonly Pointed[],
  rows: readonly string[],
  columns: readonly string[],
  ofPicture = false,
): [number, number] {
  return [placeOf(at, rows, ofPicture), placeOf([...at].reverse(), columns, ofPicture)]
}

const CHIPS = ".aa-chips > span"

/** Links the tokens in the page's own text once, from the first component that is mounted. */
function linkChips(): void {
  if (document.documentElement.dataset.chips) return
  document.documentElement.dataset.chips = "linked"
  let before: Element | null = null
  document.addEventListener("pointerover", ({ target }) => {
    const chip = target instanceof Element ? target.closest(CHIPS) : null
    if (chip === before) return
    before = chip
    announce(document, chip ? [calledChip(chip)] : [])
  })
  window.addEventListener("pointing", ({ detail: { at } }) => {
    for (const chip of document.querySelectorAll(CHIPS)) {
      const [row, place] = calledChip(chip)
      chip.classList.toggle("at", at.some(([name, other]) => name === row && other === place))
    }
  })
}

function calledChip(chip: Element): Pointed {
  const chips = [...(chip.parentElement?.children ?? [])]
  const label = (each: Element) => (each.querySelector("[data-said=token]") ?? each).textContent
  return calledIn(chips.map(label), chips.indexOf(chip))
}
