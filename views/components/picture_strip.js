// Thumbnails to choose from, as radio buttons, and a button to paste a picture. A pasted picture is passed to the page's
// upload box, like a selected file, and unchanged unless it is over a limit: then it is made smaller here.

const DROP_ZONE = '[data-testid="stFileUploaderDropzone"]'
const UPLOAD_BOX = '[data-testid="stFileUploaderDropzoneInput"]'
const PASTED = "pasted.png" // the box checks the extension, the server the content

class PictureStrip extends View {
  constructor(parentElement) {
    super(parentElement, ".strip-root")
    this.group = element("div", "tiles", this.root)
    this.group.setAttribute("role", "radiogroup")
    const line = element("div", "paste", this.root)
    this.button = button(line, "", () => this.readClipboard())
    this.status = element("span", "status", line)
    this.status.setAttribute("role", "status")
    this.round = 0 // number of pictures that were chosen, so that a late one can be dropped
    this.passing = false // whether this script itself gives a file to the box
    this.leaving = new AbortController()
    const { signal } = this.leaving
    document.addEventListener("paste", (event) => this.pasted(event), { signal })
    // capturing, to be asked before the page's own box
    for (const kind of ["change", "drop"]) {
      document.addEventListener(kind, (event) => this.fileSelected(event), { signal, capture: true })
    }
  }

  leave() {
    this.round++
    this.leaving.abort()
  }

  show(data) {
    this.data = data
    this.button.textContent = data.words.paste
    this.group.setAttribute("aria-label", data.label)
    const focused = this.group.matches(":focus-within")
    this.group.replaceChildren(...data.tiles.map((tile) => this.build(tile)))
    if (focused) this.group.querySelector(":checked")?.focus()
    this.root.dataset.shown = data.selected
  }

  build({ name, label, thumbnail }) {
    const tile = element("label", "tile")
    const radio = element("input", "", tile)
    Object.assign(radio, { type: "radio", name: "picture", checked: name === this.data.selected })
    radio.onclick = () => { // by an arrow key too
      this.round++
      this.status.textContent = ""
      this.answer("chosen", name)
    }
    Object.assign(element("img", "", tile), { src: thumbnail, alt: "" })
    element("span", "", tile).textContent = label
    return tile
  }

  // The server never receives this picture, so the page must drop its message about the one before. Not called for a picture
  // that is uploaded: a run that starts while the box requests the upload address may lose it, and the picture.
  refuse(reason) {
    this.status.textContent = reason
    if (this.data.tell) this.answer("refused", true)
  }

  // Files do not reach the box before they are checked.
  fileSelected(event) {
    const dropped = event.type === "drop"
    const files = dropped ? event.dataTransfer?.files : event.target.type === "file" && event.target.files
    if (!files?.length || this.passing || (dropped && !event.target.closest?.(DROP_ZONE))) return
    this.status.textContent = ""
    const file = files[0]
    event.preventDefault()
    event.stopImmediatePropagation()
    if (dropped) event.target.dispatchEvent(new DragEvent("dragleave", { bubbles: true, cancelable: true }))
    this.take(file)
    if (!dropped) event.target.value = "" // so that the same file can be chosen again
  }

  async readClipboard() {
    this.status.textContent = ""
    const items = await navigator.clipboard?.read?.().catch(() => null)
    if (!items) return this.refuse(this.data.words.refused)
    for (const item of items) {
      const type = item.types.find((type) => type.startsWith("image/"))
      if (type) return this.take(new File([await item.getType(type)], PASTED))
    }
    this.refuse(this.data.words.empty)
  }

  pasted(event) {
    if (event.target.closest?.("input, textarea, [contenteditable=true]")) return
    const file = [...(event.clipboardData?.files ?? [])][0]
    if (!file) return
    event.preventDefault()
    this.take(new File([file], PASTED))
  }

  // Sends a picture, made smaller if it is over a limit, unless another one is chosen in the meantime.
  async take(file) {
    const round = ++this.round
    const { limit, words } = this.data
    if (file.size > limit) this.status.textContent = words.reducing
    const fitted = await fittedPicture(file, this.data)
    if (round !== this.round) return
    this.status.textContent = ""
    fitted.file ? this.send(fitted.file) : this.refuse(fitted.refused)
  }

  send(file) {
    const box = document.querySelector(UPLOAD_BOX)
    if (!box) return this.refuse(this.data.words.unread)
    const transfer = new DataTransfer()
    transfer.items.add(file)
    box.files = transfer.files
    this.passing = true
    box.dispatchEvent(new Event("change", { bubbles: true }))
    this.passing = false
  }
}

export default mounting(PictureStrip)
