/** The language of the document is that of the texts on the page, which the switch changes without a reload. */

import { oncePerFrame } from "./dom"

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

/** Marks each button of the switch with the language of its name, for screen readers; its key ends with the code: see views/navigation.py. */
export function markSwitch(): void {
  for (const holder of document.querySelectorAll(".st-key-languages [class*=st-key-language-]")) {
    const code = /st-key-language-(\S+)/.exec(holder.className)?.[1]
    const button = holder.querySelector("button")
    if (button && code && button.lang !== code) button.lang = code
  }
}

export function followLanguage(): void {
  const soon = oncePerFrame(() => {
    adoptLanguage()
    nameButtons()
    markSwitch()
  })
  new MutationObserver(soon).observe(document, { childList: true, subtree: true, attributeFilter: ["data-language"] })
}
