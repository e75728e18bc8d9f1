/**
 * A lesson of the course: its figure, a prediction, why it holds or does not, and a last question. All is in the payload: an
 * answer needs no request. This browser stores what was predicted.
 *
 * The order of the Tab key is that in which one reads: question, answers, Next, what is folded, the list of lessons. The figure
 * is where it is answered: behind the question that is answered in it.
 */

import { mounting, View } from "../core/component"
import { button, dataText, element, filled, setAttributes } from "../core/dom"
import style from "./course_lesson.css"
import { LessonFigure } from "./course_lesson/figure"
import { doneLessons, predictions, storePrediction, type Verdict } from "./course_lesson/memory"
import { resultOf, verdictOf, type LessonPayload, type Question } from "./course_lesson/payload"

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
