// Small pictures to choose from, as one group of radio buttons, and a way to paste one. What is pasted goes the way of
// a chosen file, through the page's upload box and as it is: only the server reads it.

const UPLOAD_BOX = '[data-testid="stFileUploaderDropzoneInput"]'

class PictureStrip extends View {
  constructor(parentElement) {
    super(parentElement, ".strip-root")
    this.group = element("div", "tiles", this.root)
    this.group.setAttribute("role", "radiogroup")
    const line = element("div", "paste", this.root)
    this.button = button(line, "", () => this.readClipboard())
    this.status = element("span", "status", line)
    this.status.setAttribute("role", "status")
    this.onPaste = (event) => this.pasted(event)
    this.onFile = (event) => this.fileGiven(event)
    document.addEventListener("paste", this.onPaste)
    // before the page itself hears of it: what its own box refuses, the server never hears of
    for (const kind of ["change", "drop"]) document.addEventListener(kind, this.onFile, true)
  }

  leave() {
    document.removeEventListener("paste", this.onPaste)
    for (const kind of ["change", "drop"]) document.removeEventListener(kind, this.onFile, true)
  }

  show(data) {
    this.limit = data.limit
    this.words = data.words
    this.button.textContent = data.words.paste
    this.tell = data.tell
    this.group.setAttribute("aria-label", data.label)
    const held = this.tiles?.findIndex((tile) => tile === tile.getRootNode().activeElement) ?? -1
    this.tiles = data.tiles.map((tile, place) => this.build(tile, place, tile.name === data.selected))
    this.group.replaceChildren(...this.tiles)
    if (held >= 0) this.tiles.find((tile) => tile.ariaChecked === "true")?.focus()
    this.root.dataset.shown = data.selected
  }

  build({ name, label, thumbnail }, place, selected) {
    const tile = button(null, "", () => this.choose(place))
    tile.className = "tile"
    tile.dataset.name = name
    tile.setAttribute("role", "radio")
    tile.setAttribute("aria-checked", selected)
    tile.tabIndex = selected ? 0 : -1
    const image = element("img", "", tile)
    image.src = thumbnail
    image.alt = ""
    element("span", "", tile).textContent = label
    tile.onkeydown = (event) => this.move(event, place)
    return tile
  }

  // As in any group of radio buttons, an arrow key both moves and chooses.
  move(event, place) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    if (!step) return
    event.preventDefault()
    this.choose((place + step + this.tiles.length) % this.tiles.length)
  }

  // The server never hears of this picture: what the page says about the one before is over. Never for a picture that
  // is sent: a run that begins while the box asks where to send it may drop the answer, and the picture with it.
  refuse(reason) {
    this.status.textContent = reason
    if (this.tell) this.answer("refused", true)
  }

  fileGiven(event) {
    const files = event.type === "drop" ? event.dataTransfer?.files : event.target.type === "file" && event.target.files
    if (!files?.length) return
    this.status.textContent = ""
    if ([...files].some((file) => file.size > this.limit)) this.refuse("") // the box says why
  }

  choose(place) {
    this.status.textContent = ""
    this.tiles.forEach((tile, other) => {
      tile.setAttribute("aria-checked", other === place)
      tile.tabIndex = other === place ? 0 : -1
    })
    this.tiles[place].focus()
    this.answer("chosen", this.tiles[place].dataset.name)
  }

  async readClipboard() {
    this.status.textContent = ""
    let items
    try {
      items = await navigator.clipboard.read()
    } catch {
      this.refuse(this.words.refused)
      return
    }
    for (const item of items) {
      const type = item.types.find((type) => type.startsWith("image/"))
      if (type) return this.send(await item.getType(type))
    }
    this.refuse(this.words.empty)
  }

  pasted(event) {
    if (event.target.closest?.("input, textarea, [contenteditable=true]")) return
    const file = [...(event.clipboardData?.files ?? [])][0]
    if (!file) return
    event.preventDefault()
    this.send(file)
  }

  send(blob) {
    const box = document.querySelector(UPLOAD_BOX)
    if (blob.size > this.limit) this.refuse(this.words.tooHeavy)
    else if (!box) this.refuse(this.words.unread)
    else {
      const given = new DataTransfer()
      given.items.add(new File([blob], "pasted.png")) // the box looks at the ending, the server at what is in it
      box.files = given.files
      box.dispatchEvent(new Event("change", { bubbles: true }))
    }
  }
}

export default mounting(PictureStrip)
