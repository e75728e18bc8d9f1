/**
 * While the server is away, say so in one sentence, in place of Streamlit's dialog, which addresses developers and covers
 * the page. Streamlit goes on trying to connect, every four seconds at least. Then the page runs with its address, as after
 * Back: the server may be another one, which knows nothing of it, or another release, for which Streamlit loads the page
 * anew; without that run it would do so at the user's next action, and lose it.
 */

import { appElement, appendToBody } from "./dom"

const DIALOG = "[data-testid=stDialog]"
const TITLE = "Connection error" // of Streamlit's dialog
const CONNECTED = ["CONNECTED", "STATIC_CONNECTED"]
const SHEET = `.connection-notice {position: fixed; bottom: 0; left: 0; right: 0; z-index: 1000001; padding: 0.75rem 1rem;
    background: #34495E; color: #FFFFFF; font: 1rem/1.5 "Source Sans", sans-serif; text-align: center}
  [data-testid=stConnectionStatus], .connection-notice[hidden] {display: none !important}
  body:has(.connection-notice:not([hidden])) [data-testid=stDialog].connection-error {display: none}`
const MOMENT = 3000 // milliseconds that a connection may take

/** `waiting`: the sentence, by language. */
export function showConnection(waiting: Readonly<Record<string, string>>): void {
  const notice = Object.assign(document.createElement("div"), { className: "connection-notice" })
  notice.setAttribute("role", "status")
  notice.hidden = true
  const sheet = document.createElement("style") // the app's come with the first run, which may not have been possible
  sheet.textContent = SHEET
  document.head.append(sheet)

  let away: number | undefined // timer while the server is away
  let wasConnected = false
  let isLost = false // the connection, after it was there
  const reveal = () => {
    const text = waiting[document.documentElement.lang] ?? "" // the user may have changed the language
    if (notice.textContent !== text) notice.textContent = text
    notice.hidden = false
  }
  const runAgain = () => window.dispatchEvent(new PopStateEvent("popstate", { state: history.state as unknown }))
  const dismiss = () => {
    for (const dialog of document.querySelectorAll(DIALOG)) {
      if (dialog.querySelector("[role=heading], h1, h2, h3, header")?.textContent.trim() !== TITLE) continue
      reveal()
      dialog.classList.add("connection-error")
      dialog.querySelector<HTMLElement>("button[aria-label]")?.click() // Streamlit shows it once for each loss
    }
  }
  const update = () => {
    const app = appElement()
    if (!app) return // Streamlit's scripts are loading
    if (CONNECTED.includes(app.dataset.testConnectionState ?? "")) {
      window.clearTimeout(away)
      away = undefined
      notice.hidden = true
      const again = isLost
      wasConnected = true
      isLost = false
      if (again) runAgain()
    } else {
      isLost = wasConnected
      away ??= window.setTimeout(reveal, MOMENT)
      dismiss()
    }
  }
  new MutationObserver(update).observe(document, {
    attributes: true,
    attributeFilter: ["data-test-connection-state"],
    childList: true,
    subtree: true,
  })
  appendToBody(notice)
}
