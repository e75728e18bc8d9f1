/**
 * A bar that leads back to the lessons, on the pages to which they link, for users who began with them on the home page. Only
 * this browser stores whether the bar is shown and which lesson was the last. The lessons come with the page.
 *
 * On the page of the lessons, a link that skips the menu: the first that the Tab key reaches.
 */

import { filled } from "../core/dom"
import { sharedQuery } from "./history"
import { appendToBody, closest, oncePerFrame } from "./dom"

const ON = "lessons"
const LAST = "lessons-last"
const START_LINK = ".st-key-doors a[href*='lessons']"

/** As in views/lessons.py; `part` need not be in the address if it is the page's `first`. */
export interface Lesson {
  id: string
  number: number // of the course, from 1
  page: string
  key: string
  part: string
  first: boolean
  name: string
  address: string
}

type Words = Readonly<Record<"lessons" | "place" | "leave", string>>

interface Content {
  lessons: readonly Lesson[] // that lead to the open page
  all: number // lessons of the course
  words: Words
}

/** Index of the lesson that leads to an address; -1 for none. */
export function lessonAt(lessons: readonly Lesson[], { pathname, search }: Pick<URL, "pathname" | "search">): number {
  const page = pathname.split("/").pop()
  const query = new URLSearchParams(search)
  const part = ({ key, first, part }: Lesson) => (key ? (query.get(key) ?? (first ? part : null)) : "")
  return lessons.findIndex((lesson) => lesson.page === page && part(lesson) === lesson.part)
}

/** The address of a lesson, with the sentence and the other shared parameters of a query. */
export function addressOf({ address }: Pick<Lesson, "address">, search: string, shared: readonly string[]): string {
  const carried = sharedQuery(search, shared).toString()
  return carried ? `${address}&${carried}` : address
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
}

/** A link from the top of the page to the title of the open lesson, from where one Tab leads to the first answer. */
function skipToLesson(): () => void {
  const link = Object.assign(document.createElement("a"), { className: "skip-to-lesson", href: "#stMain", hidden: true })
  link.onclick = (event) => {
    event.preventDefault()
    const holders = document.querySelectorAll(".st-key-course [data-testid=stBidiComponentIsolated]")
    for (const { shadowRoot } of holders) shadowRoot?.querySelector<HTMLElement>(".course-root h2")?.focus()
  }
  addEventListener("DOMContentLoaded", () => document.body.prepend(link))
  return () => {
    const text = document.querySelector<HTMLElement>("[data-skip-to-lesson]")?.dataset.skipToLesson ?? ""
    if (link.textContent !== text) link.textContent = text
    link.hidden = !text
  }
}

export function showLessons(shared: readonly string[]): void {
  const updateSkip = skipToLesson()
  const memory = new Memory()
  const bar = document.createElement("nav")
  bar.className = "lessons"
  bar.hidden = true
  let drawn = "" // the state that the bar shows

  const draw = ({ lessons, all, words }: Content) => {
    const at = lessonAt(lessons, location)
    const place = at < 0 ? Math.max(0, lessons.findIndex(({ id }) => id === memory.read(LAST))) : at
    const lesson = lessons[place]
    if (!lesson) return
    if (memory.read(LAST) !== lesson.id) memory.store(LAST, lesson.id)
    const now = JSON.stringify([place, location.search, words, lessons])
    if (now === drawn) return
    drawn = now
    bar.setAttribute("aria-label", words.lessons)
    const link = Object.assign(document.createElement("a"), {
      className: "place",
      href: addressOf(lesson, location.search, shared),
      textContent: filled(words.place, { number: lesson.number, all, name: lesson.name }),
    })
    const button = Object.assign(document.createElement("button"), { type: "button", onclick: leave, textContent: words.leave })
    bar.replaceChildren(link, button)
  }
  const leave = () => {
    memory.store(ON, "")
    update()
  }

  const update = () => {
    updateSkip()
    const source = document.querySelector<HTMLElement>("[data-lessons]")?.dataset.lessons
    const on = source !== undefined && memory.read(ON) === "1"
    bar.hidden = !on
    document.documentElement.toggleAttribute("data-on-lessons", on)
    if (on) draw(JSON.parse(source) as Content)
  }

  const onClick = ({ target }: MouseEvent) => {
    if (closest(target, START_LINK)) memory.store(ON, "1")
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
