// Base class of the panels of a step view. A panel is painted once and then follows the sliders.

const STEP_TEXT = 11 // pixels that a label needs

function signedDigits(value) {
  return Number.isNaN(value) ? "\u2013" : threeDigits(value).replace("-", "\u2212") // nothing to show
}

class StepPanel {
  constructor(view, about, parent) {
    this.view = view
    this.about = about
    this.root = element("figure", about.is, parent)
    this.root.classList.toggle("wide", about.wide)
    if (about.name) element("figcaption", "", this.root).textContent = about.name
  }

  // The number at the sliders' positions, some replaced by `places`.
  number(key, places = {}) {
    return this.view.numbers[key].at({ ...this.view.places, ...places })
  }

  // A formatted number; `nothing` if there is none.
  written(key, value, nothing) {
    if (Number.isNaN(value) && nothing) return nothing
    return this.view.sheet.whole.includes(key) ? String(value).replace(/\B(?=(\d{3})+$)/g, "\u2009") : signedDigits(value)
  }

  // The positions of an array's axes that are not drawn; the picture depends on these only.
  standing(key, drawn) {
    return this.view.numbers[key].dims.filter((dim) => !drawn.includes(dim)).map((dim) => this.view.places[dim]).join()
  }

  paint() {}

  fit() {}
}
