// Brushing and linking: a token or patch under the pointer is marked in all views of the page.

const PICTURE = "picture" // the name of a picture's patches; a token's name is the text of its whole row

// `follow(at)` is called with what is under the pointer elsewhere: pairs of a name and an index, none for nothing. Returns
// a function that announces what is under the pointer here, in the same form.
function linkTokens(root, follow) {
  const onPointing = ({ detail: { from, at } }) => {
    if (!root.isConnected) window.removeEventListener("pointing", onPointing)
    else if (from !== root) follow(at)
  }
  window.addEventListener("pointing", onPointing)
  linkChips()
  return (...at) => window.dispatchEvent(new CustomEvent("pointing", { detail: { from: root, at } }))
}

// Name and index of the `place`-th of these labels: a token by its whole row, a patch by its index in the picture.
function calledIn(labels, place, ofPicture = false) {
  const first = ofPicture ? firstPatch(labels) : 0
  return place < first ? [labels[place], 0] : [ofPicture ? PICTURE : labels.join(" "), place - first]
}

// The index of the first of these labels that is among the pairs; -1 for none.
function placeOf(pairs, labels, ofPicture) {
  const [name, first] = ofPicture ? [PICTURE, firstPatch(labels)] : [labels.join(" "), 0]
  const places = pairs.map(([called, place]) => (called === name ? place + first : first && called === labels[0] ? 0 : -1))
  return places.find((place) => place >= 0 && place < labels.length) ?? -1
}

// The labels of patches are numbers; CLS may come before them.
function firstPatch(labels) {
  return /\d/.test(labels[0]) ? 0 : 1
}

// The row and the column of a map that are among the pairs; -1 for none. One token may be both.
function linkedCell(at, rows, columns, ofPicture = false) {
  return [placeOf(at, rows, ofPicture), placeOf([...at].reverse(), columns, ofPicture)]
}

// Links the tokens in the page's own text once, from the first component that is mounted.
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
