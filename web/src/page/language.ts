/** The language of the document is that of the texts on the page, which the switch changes without a reload. */

import { oncePerFrame } from "./dom"

/** By language and by parts of the page: Streamlit's English words and those to show; see views/streamlit_words.py. */
export type LanguageWords = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>

const VARIES = "{name}" // in a text, for a part that is taken over
const ATTRIBUTES = ["aria-label", "title", "alt", "placeholder", "data-title"]

/** Takes the language from the style sheet of the menu, where views/navigation.py writes it. */
export function adoptLanguage(): void {
  const language = document.querySelector<HTMLElement>("style[data-language]")?.dataset.language
  if (language && document.documentElement.lang !== language) document.documentElement.lang = language
}

/** Gives Streamlit's buttons, whose words a style sheet replaces, their names in that language; see views/streamlit_words.py. */
export function nameButtons(): void {
  const names = document.querySelector<HTMLElement>("style[data-names]")?.dataset.names ?? "{}"
  for (const [selector, name] of Object.entries(JSON.parse(names) as Record<string, string>))
    for (const button of document.querySelectorAll(selector)) {
      if (button.getAttribute("aria-label") !== name) button.setAttribute("aria-label", name)
    }
}

/** Marks each button of the switch with the language of its name, for screen readers; see views/navigation.py. */
export function markSwitch(): void {
  for (const holder of document.querySelectorAll(".st-key-languages [class*=st-key-language-]")) {
    const code = /st-key-language-(\S+)/.exec(holder.className)?.[1]
    const button = holder.querySelector("button")
    if (button && code && button.lang !== code) button.lang = code
  }
}

/** Replaces Streamlit's words in texts and names, and puts them back when another language is chosen. */
export class StreamlitWords {
  private readonly replaced = new WeakMap<Attr | Text, [english: string, shown: string]>()

  constructor(private readonly words: LanguageWords) {}

  show(language: string): void {
    for (const [shownIn, parts] of Object.entries(this.words))
      for (const [selector, texts] of Object.entries(parts))
        for (const element of document.querySelectorAll(selector))
          for (const node of readNodes(element)) this.write(node, shownIn === language ? texts : {})
  }

  private write(node: Attr | Text, texts: Readonly<Record<string, string>>): void {
    const now = node instanceof Attr ? node.value : node.data
    const [english, shown] = this.replaced.get(node) ?? []
    const text = now === shown ? english! : now
    const translated = translation(text.trim(), texts)
    if (translated !== null) this.replaced.set(node, [text, translated])
    const next = translated ?? text
    if (next === now) return
    if (node instanceof Attr) node.value = next
    else node.data = next
  }
}

/** The translation of a text; null if there is none. */
export function translation(text: string, texts: Readonly<Record<string, string>>): string | null {
  if (Object.hasOwn(texts, text)) return texts[text]!
  for (const [english, shown] of Object.entries(texts)) {
    const [before, after] = english.split(VARIES)
    if (after === undefined || !text.startsWith(before!) || !text.endsWith(after)) continue
    const name = text.slice(before!.length, text.length - after.length)
    if (name) return shown.replace(VARIES, () => name)
  }
  return null
}

/** The texts below an element, and the names for screen readers and tooltips, its own included. */
function readNodes(element: Element): (Attr | Text)[] {
  const elements = [element, ...element.querySelectorAll("*")]
  return elements.flatMap((each) => [
    ...[...each.childNodes].filter((node) => node instanceof Text),
    ...ATTRIBUTES.map((name) => each.getAttributeNode(name)).filter((node) => node !== null),
  ])
}

export function followLanguage(words: LanguageWords): void {
  const streamlit = new StreamlitWords(words)
  const soon = oncePerFrame(() => {
    adoptLanguage()
    nameButtons()
    markSwitch()
    streamlit.show(document.documentElement.lang)
  })
  new MutationObserver(soon).observe(document, { childList: true, subtree: true, attributeFilter: ["data-language"] })
}
