/** The stage in the whole screen, alone: its lengths are in rem, so the size of a rem follows the screen. */

import { switchScreen } from "../../core/whole_screen"

export class WholeScreen {
  /** Whether the stage fills the screen. */
  on = false

  /** `draw` is called when the stage has got the screen or has left it; `signal` ends both. */
  constructor(
    private readonly root: HTMLElement,
    draw: () => void,
    signal: AbortSignal,
  ) {
    root.dataset.map = "" // for key F
    // Of the page, not of the stage: one that is removed from the whole screen receives no event.
    document.addEventListener(
      "fullscreenchange",
      () => {
        if (this.on === root.matches(":fullscreen")) return
        this.follow(!this.on)
        draw()
      },
      { signal },
    )
    signal.addEventListener("abort", () => this.on && this.follow(false))
  }

  /** Fills the screen, or returns to the page; without effect where a frame around the page forbids it. */
  toggle(): void {
    switchScreen(this.root)
  }

  private follow(on: boolean): void {
    this.on = on
    document.documentElement.style.fontSize = on ? getComputedStyle(this.root).getPropertyValue("--type") : ""
  }
}
