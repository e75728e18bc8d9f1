/** Colours: of scales, of pixels and of the page's theme. */

export type Theme = "light" | "dark"
type Rgb = readonly [number, number, number]

/** 256 shades between a scale's colours, as pixels of an image. */
export function lookupTable(colours: readonly string[]): Uint32Array {
  return Uint32Array.from(shades(colours), pack)
}

/** 256 shades between a scale's colours, as CSS colours. */
export function cssColours(colours: readonly string[]): string[] {
  return shades(colours).map((mixed) => `rgb(${mixed.join(",")})`)
}

function shades(colours: readonly string[]): Rgb[] {
  const channels = colours.map(rgb)
  return Array.from({ length: 256 }, (_, shade) => {
    const position = (shade / 255) * (channels.length - 1)
    const left = Math.min(channels.length - 2, Math.floor(position))
    const [low, high] = [channels[left]!, channels[left + 1]!]
    const mixed = (channel: 0 | 1 | 2) => Math.round(low[channel] + (position - left) * (high[channel] - low[channel]))
    return [mixed(0), mixed(1), mixed(2)]
  })
}

/** Red, green and blue of a colour `#rrggbb`. */
export function rgb(colour: string): Rgb {
  const channel = (start: number) => parseInt(colour.slice(start, start + 2), 16)
  return [channel(1), channel(3), channel(5)]
}

/** A colour `#rrggbb` as one pixel of an image. */
export function packed(colour: string): number {
  return pack(rgb(colour))
}

/** Red, green and blue as one pixel of an image, opaque. */
export function pack([red, green, blue]: ArrayLike<number> & Iterable<number>): number {
  return (0xff000000 | (blue! << 16) | (green! << 8) | red!) >>> 0
}

/** Black or white, by the higher contrast to `#rrggbb` or `rgb(r,g,b)`. */
export function readable(colour: string): string {
  const [red, green, blue] = colour.startsWith("#") ? rgb(colour) : (colour.match(/\d+/g) ?? []).map(Number)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 140 ? "#111417" : "#f4f6f8"
}

let probe: CanvasRenderingContext2D | undefined

/** A colour of the page's theme as `#rrggbb`. */
export function canvasColour(host: Element, variable: string, fallback: string): string {
  probe ??= document.createElement("canvas").getContext("2d")!
  probe.fillStyle = getComputedStyle(host).getPropertyValue(variable).trim() || fallback
  return probe.fillStyle
}

/** The theme of the page around `host`, by its background. */
export function themeOf(host: Element): Theme {
  const [red, green, blue] = rgb(canvasColour(host, "--st-background-color", "#ffffff"))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 128 ? "light" : "dark"
}
