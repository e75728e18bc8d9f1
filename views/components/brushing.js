// Tokens and patches that stand in several places of a page: what is pointed at in one of them is marked in all.

const PICTURE = "picture" // how the patches of a picture are called; tokens are called after the row that they stand in

// `follow(at)` hears what is pointed at elsewhere, as the pairs of a name and a place; of none where nothing is. Returns
// what says it of here, in the same form.
function linkTokens(root, follow) {
  const onPointing = ({ detail: { from, at } }) => {
    if (!root.isConnected) window.removeEventListener("pointing", onPointing)
    else if (from !== root) follow(at)
  }
  window.addEventListener("pointing", onPointing)
  linkChips()
  return (...at) => window.dispatchEvent(new CustomEvent("pointing", { detail: { from: root, at } }))
}

// How the `place`-th of these labels is called: a token by its whole row, a patch by its place on the picture.
function calledIn(labels, place, ofPicture = false) {
  const first = ofPicture ? firstPatch(labels) : 0
  return place < first ? [labels[place], 0] : [ofPicture ? PICTURE : labels.join(" "), place - first]
}

// The first of these labels that is so called; -1 where none is.
function placeOf(pairs, labels, ofPicture) {
  const [name, first] = ofPicture ? [PICTURE, firstPatch(labels)] : [labels.join(" "), 0]
  const places = pairs.map(([called, place]) => (called === name ? place + first : first && called === labels[0] ? 0 : -1))
  return places.find((place) => place >= 0 && place < labels.length) ?? -1
}

// Patches are called by numbers; CLS may stand before them.
function firstPatch(labels) {
  return /\d/.test(labels[0]) ? 0 : 1
}

// The row and the column of a map that are pointed at; -1 for none. One token may be both.
function linkedCell(at, rows, columns, ofPicture = false) {
  return [placeOf(at, rows, ofPicture), placeOf([...at].reverse(), columns, ofPicture)]
}

// The tokens in the page's own text are linked once, by whichever component comes first.
function linkChips() {
  if (document.documentElement.dataset.chips) return
  document.documentElement.dataset.chips = "linked"
  const CHIPS = ".aa-chips > span"
  const label = (chip) => (chip.querySelector("[data-said=token]") ?? chip).textContent
  const called = (chip) => calledIn([...chip.parentElement.children].map(label), [...chip.parentElement.children].indexOf(chip))
  let before = null
  document.addEventListener("pointerover", ({ target }) => {
    const chip = target.closest?.(CHIPS) ?? null
    if (chip === before) return
    before = chip
    window.dispatchEvent(new CustomEvent("pointing", { detail: { from: document, at: chip ? [called(chip)] : [] } }))
  })
  window.addEventListener("pointing", ({ detail: { at } }) => {
    for (const chip of document.querySelectorAll(CHIPS)) {
      const [row, place] = called(chip)
      chip.classList.toggle("at", at.some(([name, other]) => name === row && other === place))
    }
  })
}
