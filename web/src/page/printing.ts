/** Marks a page in the dark theme while it is printed: paper is white. */

const APP = "[data-testid=stApp]"

export function markPrinting(): void {
  const page = document.documentElement
  addEventListener("beforeprint", () => {
    const app = document.querySelector(APP)
    const colour = app ? getComputedStyle(app).backgroundColor : ""
    page.toggleAttribute("data-prints-dark", isDark(colour))
  })
  addEventListener("afterprint", () => page.removeAttribute("data-prints-dark"))
}

/** Whether a colour as a browser computes it, such as `rgb(18, 21, 26)`, is dark. */
export function isDark(colour: string): boolean {
  const [red = 255, green = 255, blue = 255] = (colour.match(/\d+/g) ?? []).map(Number)
  return red + green + blue < 384
}
