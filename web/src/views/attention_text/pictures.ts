/** Pictures between the tokens of a running text: each part of a picture is a token, drawn over it. */

import { element } from "../../core/dom"
import { paintPicture, type Shape } from "../../core/painting"
import { unpack, type Bytes } from "../../core/payload"

/** A picture in the text: rows and columns of its parts, and the position of each in the text, -1 for none. */
interface PlacedPicture {
  grid: Shape
  places: readonly number[]
}

export interface ShownPicture extends PlacedPicture {
  size: Shape // height and width
  pixels: Uint8Array
}

export function readPictures(bytes: Bytes): readonly ShownPicture[] {
  const [{ pictures }, arrays] = unpack<{ pictures?: readonly PlacedPicture[] }>(bytes)
  return (pictures ?? []).map((placed, number) => {
    const name = `picture ${number}`
    return { ...placed, size: arrays.shape(name).slice(0, 2) as unknown as Shape, pixels: arrays.bytes(name) }
  })
}

/** The picture that begins at a position of the text: before the first of its parts. */
export function pictureAt<Picture extends PlacedPicture>(pictures: readonly Picture[], place: number): Picture | undefined {
  return pictures.find(({ places }) => Math.min(...places.filter((own) => own >= 0)) === place)
}

/** Draws a picture into the text; calls `part` with the element and the position of each part that has a token. */
export function buildPicture(
  parent: ParentNode,
  { grid, places, size: [height, width], pixels }: ShownPicture,
  part: (cell: HTMLSpanElement, place: number) => void,
): void {
  const frame = element("span", "picture", parent)
  frame.style.aspectRatio = `${width} / ${height}`
  frame.style.setProperty("--columns", String(grid[1]))
  paintPicture(element("canvas", "under", frame), pixels, [height, width])
  const cells = element("span", "parts", frame)
  for (const place of places) {
    const cell = element("span", place < 0 ? "absent" : "token part", cells)
    if (place >= 0) part(cell, place)
  }
}

/** The position that an arrow key leads to: in a picture up and down by a row, else to the next position. */
export function nextPlace(pictures: readonly PlacedPicture[], place: number, [down, right]: readonly [number, number]): number {
  const picture = pictures.find(({ places }) => places.includes(place))
  if (!picture || !down) return place + down + right
  const { grid, places } = picture
  const below = places[places.indexOf(place) + down * grid[1]] ?? -1
  return below >= 0 ? below : place + down
}

/** The largest weight of each group of positions: of the text at -1, and of each picture at its number. */
export function largestByGroup(pictures: readonly PlacedPicture[], weights: ArrayLike<number>): (place: number) => number {
  const groups = new Map<number, number>()
  pictures.forEach(({ places }, number) => places.forEach((place) => groups.set(place, number)))
  const most = new Map<number, number>()
  for (let place = 0; place < weights.length; place++) {
    const group = groups.get(place) ?? -1
    most.set(group, Math.max(most.get(group) ?? 0, weights[place]!))
  }
  return (place) => most.get(groups.get(place) ?? -1) || 1
}
