/** The figure of a lesson: an SVG of this project, in which something can be picked by pointer, touch and keys. */

import { keyHandler, setAttributes } from "../../core/dom"

/** The question of a lesson for which something can be picked. */
type Asked = "ask" | "last"

export class LessonFigure {
  private picks: SVGGElement[] = []

  constructor(
    private readonly place: HTMLElement,
    private readonly onPick: (option: string, label: string) => void,
  ) {
    place.onclick = ({ target }) => this.pick((target as Element).closest(".pick"))
    place.onkeydown = keyHandler((event) => this.onKey(event))
  }

  /** Shows an SVG; what can be picked for the question that is asked becomes buttons. */
  show(svg: string, asked: Asked | ""): void {
    const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement
    this.place.replaceChildren(document.importNode(parsed, true))
    const [, , width = 1, height = 1] = (parsed.getAttribute("viewBox") ?? "").split(" ").map(Number)
    this.place.style.setProperty("--shape", String(width / height))
    this.place.toggleAttribute("data-tall", height > 1.05 * width)
    const every = [...this.place.querySelectorAll<SVGGElement>(".pick")]
    this.picks = every.filter((pick) => pick.dataset.of === asked)
    for (const [number, each] of this.picks.entries()) setAttributes(each, { role: "button", tabindex: number ? -1 : 0 })
    for (const each of every) if (!this.picks.includes(each)) each.removeAttribute("aria-label")
  }

  /** Marks what was picked for a question, and what is right. */
  mark(of: Asked, picked: string, right: string): void {
    for (const each of this.place.querySelectorAll<SVGGElement>(`.pick[data-of="${of}"]`)) {
      each.toggleAttribute("data-picked", each.dataset.option === picked)
      each.toggleAttribute("data-right", each.dataset.option === right)
    }
  }

  private pick(group: Element | null): void {
    if (!(group instanceof SVGGElement) || !this.picks.includes(group)) return
    this.onPick(group.dataset.option ?? "", group.dataset.name ?? "")
  }

  private onKey(event: KeyboardEvent): void {
    const at = this.picks.indexOf((event.target as Element).closest<SVGGElement>(".pick")!)
    if (at < 0) return
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault()
      this.pick(this.picks[at]!)
      return
    }
    const columns = this.columns()
    const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }
    const next = this.picks[at + (steps[event.key] ?? NaN)]
    if (!next) return
    event.preventDefault()
    this.picks[at]!.setAttribute("tabindex", "-1")
    next.setAttribute("tabindex", "0")
    next.focus()
  }

  /** How many picks are in a row: those at the height of the first. */
  private columns(): number {
    const top = (pick: SVGGElement) => pick.querySelector("rect")?.getAttribute("y")
    return this.picks.filter((pick) => top(pick) === top(this.picks[0]!)).length
  }
}
