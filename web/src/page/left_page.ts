/**
 * The page that is being left. It accepts no user actions: Streamlit would request it again until the answer has arrived.
 */

const CONTENT = "[data-testid=stMainBlockContainer] > * > :not(:has(> .st-key-menu)), [data-testid=stSidebarUserContent]"
const MOST = 5000 // milliseconds; the answer may never arrive

export class LeftPage {
  /** Whether a link to another page was pressed, and Streamlit has not opened that page yet. */
  isLeaving = false
  private timer: number | undefined

  constructor() {
    window.addEventListener("popstate", () => this.end())
  }

  begin(link: HTMLAnchorElement): void {
    if (link.pathname === location.pathname) return
    this.isLeaving = true
    setInteractive(false)
    window.clearTimeout(this.timer)
    this.timer = window.setTimeout(() => this.end(), MOST)
  }

  end(): void {
    this.isLeaving = false
    setInteractive(true)
  }
}

function setInteractive(interactive: boolean): void {
  for (const part of document.querySelectorAll<HTMLElement>(CONTENT)) part.inert = !interactive
}
