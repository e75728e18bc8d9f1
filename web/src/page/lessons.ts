/**
 * The bar of lessons, for users who started them on the home page: the current lesson, its experiment, back and next. Only
 * this browser stores whether the bar is shown and which lessons are done. The lessons come with the page.
 */

import { filled } from "../core/dom"
import { sharedQuery } from "./addresses"
import { appendToBody, closest, isRunning, oncePerFrame } from "./dom"

const ON = "lessons"
const DONE = "lessons-done"
const LAST = "lessons-last"
const START_LINK = ".st-key-doors a[href*='history']"

/** As in views/lessons.py; `query` opens the lesson's part, which need not be in the address if it is the page's `first`. */
export interface Lesson {
  page: string
  key: string
  part: string
  first: boolean
  query: string
  experiment: string
  name: string
}

type Words = Readonly<Record<"lessons" | "place" | "away" | "task" | "done" | "back" | "next" | "leave", string>>

interface Content {
  lessons: readonly Lesson[]
  words: Words
}

/** Index of the lesson at an address; -1 for none. */
export function lessonAt(lessons: readonly Lesson[], { pathname, search }: Pick<URL, "pathname" | "search">): number {
  const page = pathname.split("/").pop()
  const query = new URLSearchParams(search)
  const part = ({ key, first, part }: Lesson) => query.get(key) ?? (first ? part : "")
  return lessons.findIndex((lesson) => lesson.page === page && part(lesson) === lesson.part)
}

/** The address of a lesson, with the sentence and the other shared parameters of a query. */
export function addressOf(lesson: Pick<Lesson, "page" | "query">, search: string, shared: readonly string[]): string {
  const { page, query } = lesson
  const carried = sharedQuery(search, shared).toString()
  return `${page}?${query}${carried ? `&${carried}` : ""}`
}

/** What this browser stores. It may store nothing, for privacy: then the bar lasts as long as the page. */
class Memory {
  private readonly known = new Map<string, string>()

  read(name: string): string {
    try {
      return localStorage.getItem(name) ?? this.known.get(name) ?? ""
    } catch {
      return this.known.get(name) ?? ""
    }
  }

  store(name: string, value: string): void {
    this.known.set(name, value)
    try {
      localStorage.setItem(name, value)
    } catch {
      // refused
    }
  }

  done(): Set<string> {
    return new Set(this.read(DONE).split(" ").filter(Boolean))
  }
}

/** The experiment of a lesson on the page. */
function taskOf({ experiment }: Lesson): HTMLElement | null {
  return document.querySelector<HTMLElement>(`.st-key-experiment-${experiment}`)
}

/** Whether an experiment shows its result. During a run its text may be rendered without its button. */
function isTried(task: HTMLElement | null): boolean {
  return !isRunning() && Boolean(task && !task.querySelector("[class*=st-key-try-]") && task.textContent)
}

function scrollToTask(task: HTMLElement | null): void {
  const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth"
  task?.scrollIntoView({ behavior, block: "center" })
  task?.querySelector("button")?.focus({ preventScroll: true })
}

export function showLessons(shared: readonly string[]): void {
  const memory = new Memory()
  const bar = document.createElement("nav")
  bar.className = "lessons"
  bar.hidden = true
  let drawn = "" // the state that the bar shows

  const add = <Tag extends "a" | "button" | "span">(tag: Tag, text: string, more: Partial<HTMLElementTagNameMap[Tag]>) => {
    const node = Object.assign(document.createElement(tag), { textContent: text }, more)
    bar.append(node)
    return node
  }
  const addLink = (text: string, lesson: Lesson, more: Partial<HTMLAnchorElement>) =>
    add("a", text, { href: addressOf(lesson, location.search, shared), ...more })

  const draw = ({ lessons, words }: Content, at: number) => {
    const finished = memory.done()
    const place = at < 0 ? Math.max(0, lessons.findIndex(({ experiment }) => experiment === memory.read(LAST))) : at
    const lesson = lessons[place]
    if (!lesson) return
    const task = at < 0 ? null : taskOf(lesson)
    const known = finished.has(lesson.experiment)
    const now = JSON.stringify([at, place, location.search, known, Boolean(task), finished.size, words, lessons])
    if (now === drawn) return
    drawn = now
    bar.replaceChildren()
    bar.setAttribute("aria-label", words.lessons)
    const values = { number: place + 1, all: lessons.length, name: lesson.name }
    if (at < 0) addLink(filled(words.away, values), lesson, { className: "place" })
    else add("span", filled(words.place, values), { className: "place" })
    const dots = add("span", "", { className: "dots" })
    dots.setAttribute("aria-hidden", "true")
    for (const [number, other] of lessons.entries()) {
      const dot = dots.appendChild(document.createElement("i"))
      dot.toggleAttribute("data-done", finished.has(other.experiment))
      dot.toggleAttribute("data-here", number === at)
    }
    if (known) add("span", words.done, { className: "done" })
    if (task) add("button", words.task, { type: "button", onclick: () => scrollToTask(taskOf(lesson)) })
    const [before, after] = [lessons[at - 1], at < 0 ? undefined : lessons[at + 1]]
    if (before) addLink(words.back, before, { rel: "prev" })
    if (after) addLink(words.next, after, { rel: "next" })
    add("button", words.leave, { type: "button", onclick: leave })
  }
  const leave = () => {
    memory.store(ON, "")
    update()
  }

  const update = () => {
    const source = document.querySelector<HTMLElement>("[data-lessons]")?.dataset.lessons
    const on = source !== undefined && memory.read(ON) === "1"
    bar.hidden = !on
    document.documentElement.toggleAttribute("data-on-lessons", on)
    if (!on) return
    const content = JSON.parse(source) as Content
    const at = lessonAt(content.lessons, location)
    const lesson = content.lessons[at]
    if (lesson) {
      const { experiment } = lesson
      if (memory.read(LAST) !== experiment) memory.store(LAST, experiment)
      const done = memory.done()
      if (isTried(taskOf(lesson)) && !done.has(experiment)) memory.store(DONE, [...done, experiment].join(" "))
    }
    draw(content, at)
  }

  const onClick = ({ target }: MouseEvent) => {
    if (!closest(target, START_LINK)) return
    memory.store(ON, "1")
    memory.store(LAST, "")
  }
  document.addEventListener("click", onClick, true)
  const soon = oncePerFrame(update)
  new MutationObserver((changes) => {
    if (changes.some(({ target }) => !bar.contains(target))) soon()
  }).observe(document, { childList: true, subtree: true, attributeFilter: ["data-test-script-state"] })
  addEventListener("popstate", soon)
  addEventListener("storage", soon)
  appendToBody(bar)
}
