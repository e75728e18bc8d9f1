/** The language of the document is that of the texts on the page, which the switch changes without a reload. */

import { oncePerFrame } from "./dom"

/** Takes the language from the style sheet of the menu, where views/navigation.py writes it. */
export function adoptLanguage(): void {
  const language = document.querySelector<HTMLElement>("style[data-language]")?.dataset.language
  if (language && document.documentElement.lang !== language) document.documentElement.lang = language
}

export function followLanguage(): void {
  const soon = oncePerFrame(adoptLanguage)
  new MutationObserver(soon).observe(document, { childList: true, subtree: true, attributeFilter: ["data-language"] })
}
