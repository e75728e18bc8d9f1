/** Tables of bars of a step view: a row for each position of one axis, a bar and a number for each array. */

import { element, markData } from "../../core/dom"
import { buildScroll } from "../../core/table"
import { labelOf, type Axis, type BarColumn, type BarsHeader, type Content } from "./content"
import { StepPanel, type SteppedView } from "./panel"

/** Start and length of a bar in per cent of its track; a bar of both signs starts in the middle. */
export function barExtent(value: number, { top, signed }: Pick<BarColumn, "top" | "signed">): [left: number, width: number] {
  const share = Math.min(1, Math.abs(value) / top) * (signed ? 50 : 100)
  return [signed ? (value < 0 ? 50 - share : 50) : 0, share || 0]
}

interface Cell {
  bar: HTMLElement
  number: HTMLElement
}

interface Line {
  line: HTMLTableRowElement
  cells: Cell[]
}

export class BarsPanel extends StepPanel<BarsHeader> {
  private readonly axis: Axis
  private readonly lines: Line[]

  constructor(view: SteppedView, content: Content, about: BarsHeader, parent: ParentNode) {
    super(view, content, about, parent)
    this.axis = content.axes[about.along]!
    const name = about.name || this.axis.title
    const table = element("table", "", buildScroll(this.root, name))
    table.setAttribute("aria-label", name)
    const head = element("tr", "", element("thead", "", table))
    for (const title of [this.axis.title, ...about.columns.map((column) => column.name)]) {
      const cell = element("th", "", head)
      cell.scope = "col"
      cell.textContent = title
    }
    const body = element("tbody", "", table)
    this.lines = Array.from({ length: this.axis.count }, (_, place) => this.buildLine(place, body))
  }

  private buildLine(place: number, body: ParentNode): Line {
    const { about, axis } = this
    const line = element("tr", "", body)
    const heading = element("th", "", line)
    heading.scope = "row"
    const label = markData(element(place === about.taken ? "b" : "span", "", heading), axis.said || "number")
    label.textContent = labelOf(axis, place)
    if (place === about.taken) {
      label.className = "taken"
      label.style.background = `color-mix(in srgb, ${about.hue} 38%, transparent)`
    }
    if (axis.slider) line.onclick = () => this.view.move({ [about.along]: place }, true)
    return { line, cells: about.columns.map((column) => buildCell(column, line)) }
  }

  override follow(): void {
    const { about, axis, view } = this
    this.lines.forEach(({ line, cells }, place) => {
      line.classList.toggle("chosen", axis.slider && view.places[about.along] === place)
      about.columns.forEach((column, index) => {
        const value = this.number(column.numbers, { [about.along]: place })
        const { bar, number } = cells[index]!
        const [left, width] = barExtent(value, column)
        bar.style.width = `${width}%`
        bar.style.left = `${left}%`
        bar.style.background = column.hues[value < 0 ? 0 : 1]
        number.textContent = this.written(column.numbers, value, column.nothing)
        number.classList.toggle("nothing", Number.isNaN(value))
      })
    })
  }
}

function buildCell(column: BarColumn, line: ParentNode): Cell {
  const cell = element("td", "", line)
  const track = element("span", "track", cell)
  track.hidden = !column.bar
  const bar = element("span", "bar", track)
  return { bar, number: markData(element("span", "number", cell), "number") }
}
