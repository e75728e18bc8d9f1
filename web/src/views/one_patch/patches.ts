/** The patches of a picture, and the numbers that a patch becomes. */

/** A picture of whole patches: red, green and blue of each pixel, row by row; lengths in pixels. */
export interface Patches {
  pixels: Uint8Array
  width: number
  size: number // the side of a patch
  columns: number // patches in a row
}

/** The bytes of the `place`-th patch, red, green and blue of each pixel. */
export function cutPatch({ pixels, width, size, columns }: Patches, place: number): Uint8Array {
  const [top, left] = [Math.floor(place / columns) * size, (place % columns) * size]
  const patch = new Uint8Array(3 * size * size)
  for (let row = 0; row < size; row++) {
    const start = 3 * ((top + row) * width + left)
    patch.set(pixels.subarray(start, start + 3 * size), 3 * size * row)
  }
  return patch
}

/** How much of a colour a byte is, from 0 to 1, as float32. */
export function shareOf(byte: number): number {
  return Math.fround(byte / 255)
}

/** A patch as a vector from -1 to 1: all red, all green, all blue. */
export function flatten(patch: Uint8Array): number[] {
  return [0, 1, 2].flatMap((channel) =>
    Array.from({ length: patch.length / 3 }, (_, pixel) => 2 * shareOf(patch[3 * pixel + channel]!) - 1),
  )
}
