// Goes from one step of the page to the next by itself, until the last one is there or a person does something else.

const PACE = 3000 // milliseconds a step

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
    this.say()
  }

  say() {
    this.button.textContent = this.playing ? this.words.pause : this.words.play
  }

  play() {
    this.playing = setInterval(() => this.step(), PACE)
    this.say()
    this.step()
  }

  step() {
    const detail = { by: 1, slowly: true }
    if (!window.dispatchEvent(new CustomEvent("stepping", { detail, cancelable: true }))) this.stop()
  }

  stop() {
    clearInterval(this.playing)
    this.playing = null
    this.say()
  }

  leave() {
    super.leave()
    this.stop()
    this.mounted.abort()
  }
}

export default mounting(Player)
