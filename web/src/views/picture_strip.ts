/**
 * Thumbnails to choose from, as radio buttons, and a button to paste a picture. A pasted picture is passed to the page's
 * upload box, like a selected file, and unchanged unless it is over a limit: then it is made smaller here. A box for
 * several files receives all that are chosen or dropped together.
 */

import { View, mounting } from "../core/component"
import { button, element, setAttributes } from "../core/dom"
import style from "./picture_strip.css"

/* Makes a picture that is over a limit smaller, as a JPEG on white, upright as its EXIF data says, in sRGB. */

const MOST_PIXELS = 250_000_000 // of a picture that a browser is asked to decode: four bytes each
const QUALITIES = [0.92, 0.8, 0.6]

/** The limits of a picture, and the texts about one that exceeds them. */
export interface Limits {
  limit: number // bytes
  pixels: number
  side: number // pixels of the longer side of a smaller picture
  words: { tooLarge: string; tooHeavy: string }
}

/** A picture within the limits, or the reason why it is refused. */
type Fitted = { file: File } | { refused: string }

/** The file, or a smaller picture of it if it has more than `limit` bytes or `pixels` pixels. */
export async function fittedPicture(file: File, limits: Limits): Promise<Fitted> {
  const fitted = await withPicture(file, (image) => fit(file, image, limits))
  // what the browser cannot read, the server may
  return fitted ?? (file.size <= limits.limit ? { file } : { refused: limits.words.tooHeavy })
}

/** Calls `use` with the picture of a file, not decoded yet; null if the browser cannot read it. */
async function withPicture<Result>(file: File, use: (image: HTMLImageElement) => Promise<Result>): Promise<Result | null> {
  const image = new Image()
  const url = URL.createObjectURL(file)
  try {
    await new Promise((resolve, reject) => Object.assign(image, { onload: resolve, onerror: reject, src: url }))
    return await use(image)
  } catch {
    return null
  } finally {
    URL.revokeObjectURL(url)
  }
}

async function fit(file: File, image: HTMLImageElement, { limit, pixels, side, words }: Limits): Promise<Fitted | null> {
  const { naturalWidth: width, naturalHeight: height } = image
  if (!width || !height) return null // a drawing without a size
  if (file.size <= limit && width * height <= pixels) return { file }
  if (width * height > MOST_PIXELS) return { refused: words.tooLarge }
  await image.decode()
  const canvas = document.createElement("canvas")
  ;[canvas.width, canvas.height] = reducedSize(width, height, side)
  const pen = canvas.getContext("2d")!
  pen.imageSmoothingQuality = "high"
  pen.fillStyle = "white"
  pen.fillRect(0, 0, canvas.width, canvas.height)
  pen.drawImage(image, 0, 0, canvas.width, canvas.height)
  for (const quality of QUALITIES) {
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", quality))
    // the server reads from the name what the size of the picture was
    if (blob && blob.size <= limit) return { file: new File([blob], `reduced-from-${width}x${height}.jpg`) }
  }
  return null
}

/** Width and height of a picture whose longer side has at most `side` pixels. */
export function reducedSize(width: number, height: number, side: number): [width: number, height: number] {
  const scale = Math.min(1, side / Math.max(width, height))
  return [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))]
}

const DROP_ZONE = '[data-testid="stFileUploaderDropzone"]'
const UPLOAD_BOX = '[data-testid="stFileUploaderDropzoneInput"]'
const PASTED = "pasted.png" // the box checks the extension, the server the content

interface Tile {
  name: string
  label: string
  thumbnail: string // a data URI
}

/** The data of views/components/picture_strip.py. */
interface Data extends Limits {
  label: string
  tiles: readonly Tile[]
  selected: string
  words: Limits["words"] & { paste: string; empty: string; refused: string; unread: string; reducing: string }
  tell: boolean // the page shows a message about the picture before
}

class PictureStrip extends View<Data> {
  private readonly group = element("div", "tiles", this.root)
  private readonly line = element("div", "paste", this.root)
  private readonly button = button(this.line, "", () => void this.readClipboard())
  private readonly status = element("span", "status", this.line)
  private readonly mounted = new AbortController()
  private data: Data | undefined
  private round = 0 // number of pictures that were chosen, so that a late one can be dropped
  private passing = false // whether this script itself gives a file to the box

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".strip-root")
    this.group.setAttribute("role", "radiogroup")
    this.status.setAttribute("role", "status")
    const { signal } = this.mounted
    document.addEventListener("paste", (event) => this.pasted(event), { signal })
    // capturing, to be asked before the page's own box
    const capturing = { signal, capture: true }
    document.addEventListener("change", (event) => this.fileSelected(event), capturing)
    document.addEventListener("drop", (event) => this.fileDropped(event), capturing)
  }

  override leave(): void {
    super.leave()
    this.round++
    this.mounted.abort()
  }

  show(data: Data): void {
    this.data = data
    this.button.textContent = data.words.paste
    this.group.setAttribute("aria-label", data.label)
    const focused = this.group.matches(":focus-within")
    this.group.replaceChildren(...data.tiles.map((tile) => this.buildTile(tile, data.selected)))
    if (focused) this.group.querySelector<HTMLElement>(":checked")?.focus()
    this.root.dataset.shown = data.selected
  }

  private buildTile({ name, label, thumbnail }: Tile, selected: string): HTMLLabelElement {
    const tile = element("label", "tile")
    const radio = element("input", "", tile)
    Object.assign(radio, { type: "radio", name: "picture", checked: name === selected })
    // by an arrow key too
    radio.onclick = () => {
      this.round++
      this.status.textContent = ""
      this.answer("chosen", name)
    }
    setAttributes(element("img", "", tile), { src: thumbnail, alt: "" })
    element("span", "", tile).textContent = label
    return tile
  }

  /**
   * Shows why a picture is refused. The server never receives it, so the page must drop its message about the one before.
   * Not called for a picture that is uploaded: a run that starts while the box requests the upload address may lose it,
   * and the picture.
   */
  private refuse(reason: string): void {
    this.status.textContent = reason
    if (this.data?.tell) this.answer("refused", true)
  }

  private fileSelected(event: Event): void {
    const { target } = event
    const files = target instanceof HTMLInputElement && target.type === "file" ? [...(target.files ?? [])] : []
    if (!files.length || !this.intercept(event)) return
    void this.take(files)
    ;(target as HTMLInputElement).value = "" // so that the same file can be chosen again
  }

  private fileDropped(event: DragEvent): void {
    const { target } = event
    const files = [...(event.dataTransfer?.files ?? [])]
    if (!files.length || !(target instanceof Element) || !target.closest(DROP_ZONE) || !this.intercept(event)) return
    target.dispatchEvent(new DragEvent("dragleave", { bubbles: true, cancelable: true }))
    void this.take(files)
  }

  /** Prevents that a file reaches the box before it is checked; false for one that was. */
  private intercept(event: Event): boolean {
    if (this.passing) return false
    this.status.textContent = ""
    event.preventDefault()
    event.stopImmediatePropagation()
    return true
  }

  private async readClipboard(): Promise<void> {
    if (!this.data) return
    const { words } = this.data
    this.status.textContent = ""
    const clipboard = navigator.clipboard as Partial<Clipboard> | undefined // none without HTTPS, or in old browsers
    const items = await clipboard?.read?.().catch(() => null)
    if (!items) return this.refuse(words.refused)
    for (const item of items) {
      const type = item.types.find((each) => each.startsWith("image/"))
      if (type) return this.take([new File([await item.getType(type)], PASTED)])
    }
    this.refuse(words.empty)
  }

  private pasted(event: ClipboardEvent): void {
    const { target } = event
    if (target instanceof Element && target.closest("input, textarea, [contenteditable=true]")) return
    const file = event.clipboardData?.files[0]
    if (!file) return
    event.preventDefault()
    void this.take([new File([file], PASTED)])
  }

  /**
   * Sends pictures, each made smaller if it is over a limit, unless others are chosen in the meantime. The first alone
   * where the box takes one.
   */
  private async take(chosen: readonly File[]): Promise<void> {
    if (!this.data) return
    const round = ++this.round
    const { limit, words } = this.data
    const several = document.querySelector<HTMLInputElement>(UPLOAD_BOX)?.multiple
    const files: File[] = []
    for (const file of several ? chosen : chosen.slice(0, 1)) {
      if (file.size > limit) this.status.textContent = words.reducing
      const fitted = await fittedPicture(file, this.data)
      if (round !== this.round) return
      this.status.textContent = ""
      if (!("file" in fitted)) return this.refuse(fitted.refused)
      files.push(fitted.file)
    }
    this.send(files)
  }

  private send(files: readonly File[]): void {
    const box = document.querySelector<HTMLInputElement>(UPLOAD_BOX)
    if (!box) {
      if (this.data) this.refuse(this.data.words.unread)
      return
    }
    const transfer = new DataTransfer()
    files.forEach((file) => transfer.items.add(file))
    box.files = transfer.files
    this.passing = true
    box.dispatchEvent(new Event("change", { bubbles: true }))
    this.passing = false
  }
}

export default mounting(PictureStrip, style)
