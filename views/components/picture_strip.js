// Thumbnails to choose from, as radio buttons, and a button to paste a picture. A pasted picture is passed unchanged to the
// page's upload box, like a selected file: only the server decodes it.

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
    this.leaving = new AbortController()
    const { signal } = this.leaving
    document.addEventListener("paste", (event) => this.pasted(event), { signal })
    // capturing, since the server never receives files that the page's own box refuses
    for (const kind of ["change", "drop"]) {
      document.addEventListener(kind, (event) => this.fileSelected(event), { signal, capture: true })
    }
  }

  leave() {
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

  fileSelected(event) {
    const files = event.type === "drop" ? event.dataTransfer?.files : event.target.type === "file" && event.target.files
    if (!files?.length) return
    this.status.textContent = ""
    if ([...files].some((file) => file.size > this.data.limit)) this.refuse("") // the box shows the reason
  }

  async readClipboard() {
    this.status.textContent = ""
    const items = await navigator.clipboard?.read?.().catch(() => null)
    if (!items) return this.refuse(this.data.words.refused)
    for (const item of items) {
      const type = item.types.find((type) => type.startsWith("image/"))
      if (type) return this.send(await item.getType(type))
    }
    this.refuse(this.data.words.empty)
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
    if (blob.size > this.data.limit) this.refuse(this.data.words.tooHeavy)
    else if (!box) this.refuse(this.data.words.unread)
    else {
      const transfer = new DataTransfer()
      transfer.items.add(new File([blob], "pasted.png")) // the box checks the extension, the server the content
      box.files = transfer.files
      box.dispatchEvent(new Event("change", { bubbles: true }))
    }
  }
}

export default mounting(PictureStrip)
