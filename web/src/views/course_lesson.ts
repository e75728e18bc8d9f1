/**
 * A lesson of the course: its figure, a prediction, why it holds or does not, and a last question. All is in the payload: an
 * answer needs no request. This browser stores what was predicted.
 *
 * The order of the Tab key is that in which one reads: question, answers, Next, what is folded, the list of lessons. The figure
 * is where it is answered: behind the question that is answered in it.
 */

import type { Theme } from "../core/colour"
import { View, mounting } from "../core/component"
import { button, dataText, element, filled, keyHandler, setAttributes } from "../core/dom"
import style from "./course_lesson.css"

/* The figure of a lesson: an SVG of this project, in which something can be picked by pointer, touch and keys. */

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

/* What this browser stores of the course: the lessons that are done, and what was predicted and found. */

const DONE = "lessons-done" // ids, separated by spaces
const PREDICTED = "lessons-predicted" // JSON: id -> prediction

export type Verdict = "held" | "nearly" | "not"
const VERDICTS: readonly Verdict[] = ["held", "nearly", "not"]

/** A prediction, and what came out. */
interface Prediction {
  chosen: string
  verdict: Verdict
  found: string
}

const known = new Map<string, string>() // for a browser that stores nothing

function read(name: string): string {
  try {
    return localStorage.getItem(name) ?? known.get(name) ?? ""
  } catch {
    return known.get(name) ?? ""
  }
}

function store(name: string, value: string): void {
  known.set(name, value)
  try {
    localStorage.setItem(name, value)
  } catch {
    // refused, for privacy
  }
}

export function doneLessons(): Set<string> {
  return new Set(read(DONE).split(" ").filter(Boolean))
}

/** The predictions by lesson; without what is not of their form, since a user can change what is stored. */
export function predictions(): Map<string, Prediction> {
  try {
    const stored: unknown = JSON.parse(read(PREDICTED) || "{}")
    return new Map(Object.entries(stored as Record<string, unknown>).filter((entry): entry is [string, Prediction] => isPrediction(entry[1])))
  } catch {
    return new Map()
  }
}

function isPrediction(stored: unknown): stored is Prediction {
  if (typeof stored !== "object" || !stored) return false
  const { chosen, verdict, found } = stored as Record<string, unknown>
  return typeof chosen === "string" && typeof found === "string" && VERDICTS.includes(verdict as Verdict)
}

/** Stores a prediction; its lesson is done. */
export function storePrediction(lesson: string, prediction: Prediction): void {
  store(PREDICTED, JSON.stringify(Object.fromEntries([...predictions(), [lesson, prediction]])))
  store(DONE, [...doneLessons().add(lesson)].join(" "))
}

/* What a lesson is sent as; see views/components/course_lesson.py. */

/** A question. Its options are buttons, or, without any, what can be picked in the figure. */
export interface Question {
  text: string
  options: readonly (readonly [id: string, label: string])[]
  right: string
  near: readonly string[]
  found: string // where an option has no reason
  because: Readonly<Record<string, readonly [lead: string, rest: string]>> // by option
}

interface Link {
  label: string // of a page, or of what is done there
  address: string
}

export type Words = Readonly<
  Record<
    | "lessons"
    | "place"
    | "done"
    | "next"
    | "end"
    | "note"
    | "more"
    | "misconception"
    | "yours"
    | "right"
    | Verdict
    | "ended"
    | "nothing"
    | "ways",
    string
  >
>

export interface LessonPayload {
  lesson: string // id; "end" for the end of the course
  lessons: readonly (readonly [id: string, title: string, address: string])[]
  end: string // address of the end of the course
  aim: string
  figures: readonly string[] // SVG: before the prediction, after it, after the last question
  ask: Question | null
  misconception: string
  last: Question | null
  links: readonly Link[] // to the reference part, or the ways on
  theme: Theme
  words: Words
}

/** Whether a prediction held. */
export function verdictOf(question: Question, option: string): Verdict {
  if (option === question.right) return "held"
  return question.near.includes(option) ? "nearly" : "not"
}

/** What is said about an option: first words, and the reason for it or what came out. */
export function resultOf(question: Question, option: string, words: Words): readonly [lead: string, rest: string] {
  return question.because[option] ?? [words[verdictOf(question, option)], question.found]
}

const WIDE = "(min-width: 864px)" // as in the style sheet

class CourseLesson extends View<LessonPayload> {
  private payload: LessonPayload | undefined
  private shown = ""
  private readonly head = element("div", "head", this.root)
  private readonly place = element("div", "figure", this.root)
  private readonly side = element("div", "side", this.root)
  private readonly foot = element("div", "foot", this.root)
  private readonly list = element("details", "list", this.root)
  private readonly figure = new LessonFigure(this.place, (option, label) => this.onAnswer(option, label))
  private onAnswer: (option: string, label: string) => void = () => {}

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".course-root")
    this.root.addEventListener("click", followLink)
    const wide = matchMedia(WIDE)
    const fold = () => (this.list.open = wide.matches)
    wide.addEventListener("change", fold)
    fold()
  }

  show(payload: LessonPayload): void {
    this.fit(null, payload.theme)
    const content = JSON.stringify(payload)
    if (content === this.shown) return
    const before = this.payload?.lesson
    this.shown = content
    this.payload = payload
    this.root.dataset.lesson = payload.lesson
    this.drawList(payload)
    for (const part of [this.head, this.side, this.foot]) part.replaceChildren()
    const title = element("h2", "", this.head)
    title.tabIndex = -1
    if (payload.ask) this.drawLesson(payload, payload.ask, title)
    else this.drawEnd(payload, title)
    if (!before || before === payload.lesson) return
    this.root.scrollIntoView({ block: "start" })
    title.focus({ preventScroll: true })
  }

  private drawList({ lesson, lessons, end, words }: LessonPayload): void {
    const done = doneLessons()
    const at = lessons.findIndex(([id]) => id === lesson)
    const summary = element("summary")
    summary.textContent = at < 0 ? words.end : filled(words.place, { number: at + 1, all: lessons.length })
    const items = element("ol")
    for (const [id, title, address] of lessons) {
      const link = linkTo(element("li", "", items), title, address)
      if (done.has(id)) {
        link.dataset.done = ""
        setAttributes(check(link), { role: "img", "aria-label": words.done })
      }
      if (id === lesson) link.setAttribute("aria-current", "page")
    }
    const last = linkTo(element("li", "last", items), words.end, end)
    if (at < 0) last.setAttribute("aria-current", "page")
    const nav = element("nav")
    nav.setAttribute("aria-label", words.lessons)
    nav.append(items)
    this.list.replaceChildren(summary, nav)
    if (!matchMedia(WIDE).matches) this.list.open = false
  }

  private drawLesson(payload: LessonPayload, ask: Question, title: HTMLElement): void {
    const { lesson, lessons, aim, figures, last } = payload
    title.textContent = lessons.find(([id]) => id === lesson)?.[1] ?? ""
    element("p", "aim", this.head).textContent = aim
    element("h3", "ask", this.head).textContent = ask.text
    this.place.hidden = false
    this.root.insertBefore(this.place, this.side)
    this.figure.show(figures[0] ?? "", ask.options.length ? "" : "ask")
    this.drawFoot(payload)
    this.offer(ask, (option, label) => {
      const picks = last && !last.options.length
      if (picks) this.root.insertBefore(this.place, this.foot) // the last question is answered in it
      this.figure.show(figures[1] ?? "", picks ? "last" : "")
      this.figure.mark("ask", option, ask.right)
      const [verdict, said, result] = this.reveal(ask, option)
      storePrediction(lesson, { chosen: label, verdict, found: said })
      this.drawList(payload)
      this.foot.querySelector<HTMLElement>(".misconception")!.hidden = false
      if (last) this.askLast(payload, last, [option, ask.right])
      else this.finish(result)
    })
  }

  private askLast({ figures }: LessonPayload, last: Question, first: readonly [picked: string, right: string]): void {
    const heading = element("h3", "ask", this.side)
    heading.textContent = last.text
    heading.tabIndex = -1
    this.offer(last, (option) => {
      this.figure.show(figures[2] ?? figures[1] ?? "", "")
      this.figure.mark("ask", ...first)
      this.figure.mark("last", option, last.right)
      this.finish(this.reveal(last, option)[2])
    })
    bringIntoView(heading, last.options.length ? this.side.lastElementChild! : this.place)
  }

  /** Both questions are answered: the result gets the focus, and the way on is the main button. */
  private finish(result: HTMLElement): void {
    this.foot.querySelector(".next")?.classList.add("primary")
    bringIntoView(result, result)
  }

  /** Offers the options of a question; `answered` is called once. Afterwards they stay, marked. */
  private offer(question: Question, answered: (option: string, label: string) => void): void {
    const options = element("div", "options", this.side)
    options.hidden = !question.options.length
    this.onAnswer = (option, label) => {
      this.onAnswer = () => {}
      options.replaceChildren(...this.markOptions(question, option))
      answered(option, label)
    }
    for (const [id, label] of question.options) button(options, label, () => this.onAnswer(id, label)).dataset.option = id
  }

  private markOptions({ options, right }: Question, picked: string): HTMLElement[] {
    const { words } = this.payload!
    return options.map(([id, label]) => {
      const option = element("div", "option")
      option.dataset.option = id
      if (id === right) {
        setAttributes(check(option), { role: "img", "aria-label": words.right })
        option.dataset.right = ""
      }
      element("span", "", option).textContent = label
      if (id === picked) element("small", "", option).textContent = words.yours
      option.toggleAttribute("data-picked", id === picked)
      return option
    })
  }

  /** States what came out and why; returns the verdict, the text and its element. */
  private reveal(question: Question, option: string): readonly [Verdict, string, HTMLElement] {
    const verdict = verdictOf(question, option)
    const [lead, rest] = resultOf(question, option, this.payload!.words)
    const found = element("p", "found", this.side)
    found.dataset.verdict = verdict
    setAttributes(found, { role: "status", tabindex: -1 })
    if (lead) element("strong", "", found).textContent = lead
    found.append(lead && rest ? " " : "", dataText(rest, "token"))
    return [verdict, verdict === "not" ? `${lead} ${rest}`.trim() : rest, found]
  }

  /** The way on, a box for a reason of the user's, which stays on this page, and where more can be seen. */
  private drawFoot({ lesson, lessons, end, links, misconception, words }: LessonPayload): void {
    const after = lessons[lessons.findIndex(([id]) => id === lesson) + 1]
    const next = after ? linkTo(this.foot, filled(words.next, { name: after[1] }), after[2]) : linkTo(this.foot, words.end, end)
    next.rel = "next"
    next.className = "next"
    const note = element("details", "note", this.foot)
    element("summary", "", note).textContent = words.note
    const box = element("textarea", "", note)
    box.rows = 2
    box.setAttribute("aria-label", words.note)
    const more = element("details", "more", this.foot)
    element("summary", "", more).textContent = words.more
    const text = element("p", "misconception", more)
    text.hidden = true // until there is an answer
    element("strong", "", text).textContent = `${words.misconception} `
    text.append(misconception)
    const references = element("p", "reference", more)
    for (const { label, address } of links) linkTo(references, label, address)
  }

  private drawEnd({ lessons, links, words }: LessonPayload, title: HTMLElement): void {
    this.place.hidden = true
    title.textContent = words.end
    const made = predictions()
    const text = element("p", "aim", this.head)
    const held = [...made.values()].filter(({ verdict }) => verdict === "held").length
    text.textContent = made.size ? filled(words.ended, { held, count: made.size, all: lessons.length }) : words.nothing
    const list = element("ol", "results", this.side)
    for (const [id, name, address] of lessons) {
      const item = element("li", "", list)
      linkTo(item, name, address)
      const prediction = made.get(id)
      if (!prediction) continue
      const found = element("p", "found", item)
      found.dataset.verdict = prediction.verdict
      element("strong", "", found).textContent = `${words[prediction.verdict]} `
      found.append(dataText(`\u201c${prediction.chosen}\u201d`, "token"), " \u2014 ", dataText(prediction.found, "token"))
    }
    element("h3", "", this.side).textContent = words.ways
    const ways = element("ul", "ways", this.side)
    for (const { label, address } of links) linkTo(element("li", "", ways), label, address)
  }
}

function linkTo(parent: Element, text: string, address: string): HTMLAnchorElement {
  const link = element("a", "", parent)
  link.href = address
  link.textContent = text
  return link
}

function check(parent: Element): HTMLElement {
  const mark = element("span", "mark", parent)
  mark.textContent = "\u2713"
  return mark
}

/** Focuses a heading or a result, and scrolls so far that what follows it is seen, too. */
function bringIntoView(focused: HTMLElement, last: Element): void {
  focused.focus({ preventScroll: true })
  if (last !== focused) last.scrollIntoView({ block: "nearest" })
  focused.scrollIntoView({ block: "nearest" })
}

/** Follows a link as the menu's links do, without reloading the app. */
function followLink(event: MouseEvent): void {
  const link = (event.target as Element).closest("a")
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  history.pushState(null, "", link.href)
  dispatchEvent(new PopStateEvent("popstate", { state: null }))
}

export default mounting(CourseLesson, style)
