// Plays the steps of the page, until the last one or until the user does something else.

const PACE = 3000 // milliseconds per step

class Player extends View {
  constructor(parentElement) {
    super(parentElement, ".player-root")
    this.button = button(this.root, "", () => (this.playing ? this.stop() : this.play()))
    this.still = matchMedia("(prefers-reduced-motion: reduce)")
    this.mounted = new AbortController()
    const listening = { capture: true, signal: this.mounted.signal }
    const interrupt = (event) => event.composedPath().includes(this.root) || this.stop()
    window.addEventListener("pointerdown", interrupt, listening)
    window.addEventListener("keydown", interrupt, listening)
  }

  show(data) {
    this.words = data.words
    this.root.hidden = this.still.matches
    this.updateLabel()
  }

  updateLabel() {
    this.button.textContent = this.playing ? this.words.pause : this.words.play
  }

  play() {
    this.playing = setInterval(() => this.step(), PACE)
    this.updateLabel()
    this.step()
  }

  step() {
    const detail = { by: 1, slowly: true }
    if (!window.dispatchEvent(new CustomEvent("stepping", { detail, cancelable: true }))) this.stop()
  }

  stop() {
    clearInterval(this.playing)
    this.playing = null
    this.updateLabel()
  }

  leave() {
    super.leave()
    this.stop()
    this.mounted.abort()
  }
}

export default mounting(Player)
