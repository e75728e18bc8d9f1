/**
 * A lesson of the course: its figure, a prediction, what came out, a misconception, and a last question. All is in the
 * payload: an answer needs no request. This browser stores what was predicted.
 */

import { mounting, View } from "../core/component"
import { button, dataText, element, filled, setAttributes } from "../core/dom"
import style from "./course_lesson.css"
import { LessonFigure } from "./course_lesson/figure"
import { doneLessons, predictions, storePrediction, type Verdict } from "./course_lesson/memory"
import { verdictOf, type LessonPayload, type Question, type Words } from "./course_lesson/payload"

class CourseLesson extends View<LessonPayload> {
  private payload: LessonPayload | undefined
  private shown = ""
  private readonly list = element("details", "list", this.root)
  private readonly head = element("div", "head", this.root)
  private readonly place = element("div", "figure", this.root)
  private readonly side = element("div", "side", this.root)
  private readonly figure = new LessonFigure(this.place, (option, label) => this.picked(option, label))
  private picked: (option: string, label: string) => void = () => {}
  private marked: [picked: string, right: string] = ["", ""] // in the figure

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".course-root")
    this.root.addEventListener("click", followLink)
    const wide = matchMedia("(min-width: 864px)")
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
    this.side.replaceChildren()
    this.head.replaceChildren()
    if (payload.ask) this.drawLesson(payload, payload.ask)
    else this.drawEnd(payload)
    if (before && before !== payload.lesson) this.root.scrollIntoView({ block: "start" })
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
        const mark = element("span", "mark", link)
        mark.textContent = "\u2713"
        setAttributes(mark, { role: "img", "aria-label": words.done })
      }
      if (id === lesson) link.setAttribute("aria-current", "page")
    }
    const last = linkTo(element("li", "last", items), words.end, end)
    if (at < 0) last.setAttribute("aria-current", "page")
    const nav = element("nav")
    nav.setAttribute("aria-label", words.lessons)
    nav.append(items)
    this.list.replaceChildren(summary, nav)
    if (!matchMedia("(min-width: 864px)").matches) this.list.open = false
  }

  private drawLesson(payload: LessonPayload, ask: Question): void {
    const { lesson, lessons, aim, figures, words } = payload
    element("h2", "", this.head).textContent = lessons.find(([id]) => id === lesson)?.[1] ?? ""
    element("p", "aim", this.head).textContent = aim
    element("p", "ask", this.head).textContent = ask.text
    this.place.hidden = false
    this.marked = ["", ""]
    this.figure.show(figures[0] ?? "", !ask.options.length)
    this.offer(ask, (option, label) => {
      this.figure.show(figures[1] ?? "", false)
      const verdict = this.reveal(ask, option, label, words)
      storePrediction(lesson, { chosen: label, verdict, found: ask.found })
      this.drawList(payload)
      this.askWhy(payload)
    })
    const links = element("p", "reference", this.side)
    for (const { label, address } of payload.links) linkTo(links, label, address)
  }

  /** Offers the options of a question; `answered` is called once. */
  private offer(question: Question, answered: (option: string, label: string) => void): void {
    const buttons = element("div", "options")
    this.side.insertBefore(buttons, this.side.querySelector(".reference"))
    const once = (option: string, label: string) => {
      this.picked = () => {}
      buttons.remove()
      answered(option, label)
    }
    this.picked = once
    for (const [id, label] of question.options) button(buttons, label, () => once(id, label)).dataset.option = id
  }

  /** States whether the answer held, and what is right. */
  private reveal(question: Question, option: string, label: string, words: Words): Verdict {
    const verdict = verdictOf(question, option)
    const found = this.add("p", "found")
    found.setAttribute("role", "status")
    found.dataset.verdict = verdict
    const strong = element("strong", "", found)
    strong.append(`${words[verdict]} `)
    found.append(dataText(`\u201c${label}\u201d`, "token"), ` \u2014 ${question.found}`)
    const { ask, last } = this.payload!
    const picksAreOfNext = question === ask && last?.options.length === 0
    if (!question.options.length && !picksAreOfNext) this.marked = [option, question.right]
    this.figure.mark(...this.marked)
    return verdict
  }

  /** Asks for a reason, which stays on the page, before the misconception and the last question appear. */
  private askWhy(payload: LessonPayload): void {
    const { words, misconception } = payload
    const form = this.add("div", "why")
    const label = element("label", "", form)
    label.append(words.why)
    const box = element("textarea", "", label)
    box.rows = 2
    const compare = button(form, words.compare, () => {
      compare.remove()
      box.readOnly = true
      const text = this.add("p", "misconception")
      element("strong", "", text).textContent = `${words.misconception} `
      text.append(misconception)
      this.askLast(payload)
    })
    compare.focus({ preventScroll: true })
  }

  private askLast(payload: LessonPayload): void {
    const { last, figures, words } = payload
    if (!last) return this.drawNext(payload)
    this.add("p", "ask").textContent = last.text
    this.figure.show(figures[1] ?? "", !last.options.length)
    this.offer(last, (option, label) => {
      this.figure.show(figures[2] ?? figures[1] ?? "", false)
      this.reveal(last, option, label, { ...words, held: words.right, not: words.wrong })
      this.drawNext(payload)
    })
  }

  private drawNext({ lesson, lessons, end, words }: LessonPayload): void {
    const at = lessons.findIndex(([id]) => id === lesson)
    const [before, after] = [lessons[at - 1], lessons[at + 1]]
    const links = this.add("p", "steps")
    if (before) linkTo(links, filled(words.back, { name: before[1] }), before[2]).rel = "prev"
    const next = after ? linkTo(links, filled(words.next, { name: after[1] }), after[2]) : linkTo(links, words.end, end)
    next.rel = "next"
    next.focus({ preventScroll: true })
  }

  private drawEnd({ lessons, links, words }: LessonPayload): void {
    this.place.hidden = true
    element("h2", "", this.head).textContent = words.end
    const made = predictions()
    const text = element("p", "aim", this.head)
    const held = [...made.values()].filter(({ verdict }) => verdict === "held").length
    text.textContent = made.size ? filled(words.ended, { held, count: made.size, all: lessons.length }) : words.nothing
    const list = element("ol", "results", this.side)
    for (const [id, title, address] of lessons) {
      const item = element("li", "", list)
      linkTo(item, title, address)
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

  private add<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, className: string): HTMLElementTagNameMap[Tag] {
    const node = element(tag, className)
    this.side.insertBefore(node, this.side.querySelector(".reference"))
    return node
  }
}

function linkTo(parent: Element, text: string, address: string): HTMLAnchorElement {
  const link = element("a", "", parent)
  link.href = address
  link.textContent = text
  return link
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
