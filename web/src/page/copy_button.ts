/**
 * Copy the program below a pressed copy button, and report it. Where the browser refuses, as it does on a page without
 * https, the program is selected for the user to copy.
 */

import { closest } from "./dom"

const REPORTED = 3000 // milliseconds that the report is shown

export function copyPrograms(): void {
  document.addEventListener("click", ({ target }) => {
    const button = closest(target, "button[data-copied]")
    const code = button?.closest(".aa-program")?.querySelector("code")
    const report = button?.previousElementSibling
    if (!button || !code || !report) return
    void copy(code).then((copied) => {
      report.textContent = (copied ? button.dataset.copied : button.dataset.selected) ?? ""
      setTimeout(() => (report.textContent = ""), REPORTED)
    })
  })
}

async function copy(code: Element): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(code.textContent)
    return true
  } catch {
    getSelection()?.selectAllChildren(code)
    return document.execCommand("copy")
  }
}
