/** A button that copies the address of the page, in which a view states everything that is chosen. */

import { button, element } from "../../core/dom"

const REPORTED = 3000 // milliseconds that the result is shown

interface LinkWords {
  readonly copyLink: string
  readonly copied: string
  readonly copyThis: string
}

export class CopyLink {
  private readonly button: HTMLButtonElement
  private readonly report: HTMLSpanElement
  private words: LinkWords | undefined

  constructor(parent: ParentNode) {
    this.button = button(parent, "", () => void this.copy())
    this.report = element("span", "copied", parent)
    this.report.setAttribute("role", "status")
  }

  show(words: LinkWords): void {
    this.words = words
    this.button.textContent = words.copyLink
  }

  /** Copies the address; where the browser refuses, as it does without https, shows it selected. */
  private async copy(): Promise<void> {
    const address = new URL(location.href)
    address.searchParams.delete("present") // who opens the link chooses how it is shown
    const { words, report } = this
    if (!words) return
    report.replaceChildren()
    try {
      await navigator.clipboard.writeText(address.href)
    } catch {
      const field = Object.assign(element("input", "", report), { value: address.href, readOnly: true })
      field.setAttribute("aria-label", words.copyThis)
      field.focus()
      return field.select()
    }
    report.textContent = words.copied
    window.setTimeout(() => report.replaceChildren(), REPORTED)
  }
}
