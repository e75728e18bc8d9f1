/**
 * Make a downloaded file contain what the screen shows. Pending values of components are sent to the server first, and a
 * download that is pressed during a run waits until the run has ended. Before that, the server would make the file of the
 * previous view, or none because it no longer knows the button.
 */

import { closest, isRunning } from "./dom"

const BUTTON = "[data-testid=stDownloadButton] button"
const BEGINS = 1000 // milliseconds after a message within which a run may start; some messages request none
const MOST = 20000 // milliseconds after which the button is pressed in any case

export function guardDownloads(): void {
  let sent = -Infinity // when the last message was sent
  let pressing = false // the message of a download button requests no run

  new MutationObserver(() => isRunning() && (sent = -Infinity)).observe(document, {
    subtree: true,
    attributeFilter: ["data-test-script-state"],
  })
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the socket
  const { send } = WebSocket.prototype
  WebSocket.prototype.send = function (message) {
    if (!pressing) sent = performance.now()
    send.call(this, message)
  }
  addEventListener("telling", () => (sent = performance.now())) // Streamlit sends it a moment later

  const isReady = () => !isRunning() && performance.now() - sent > BEGINS
  const press = (button: HTMLElement, container: string | undefined) => {
    const target =
      button.isConnected || !container
        ? button
        : document.querySelector<HTMLElement>(`.${CSS.escape(container)} button`)
    button.removeAttribute("aria-busy")
    pressing = true
    target?.click()
    pressing = false
  }
  const onClick = (event: MouseEvent) => {
    const button = closest(event.target, BUTTON)
    if (!button || pressing) return
    dispatchEvent(new Event("leavingpage")) // components send their pending values
    if (!button.ariaBusy && isReady()) {
      pressing = true
      setTimeout(() => (pressing = false))
      return
    }
    event.preventDefault()
    event.stopImmediatePropagation()
    if (button.ariaBusy) return
    button.setAttribute("aria-busy", "true")
    const [start, container] = [performance.now(), containerOf(button)]
    const wait = () => {
      if (isReady() || performance.now() - start > MOST) press(button, container)
      else setTimeout(wait, 20)
    }
    setTimeout(wait, 20)
  }
  addEventListener("click", onClick, true)
}

/** The class of a button's container with the name of its file: the new page may have a new button. */
function containerOf(button: Element): string | undefined {
  return [...(button.closest("[class*=st-key-download]")?.classList ?? [])].find((name) => name.startsWith("st-key-"))
}
