/** The plane, or space in parallel projection, on the screen: positions and paths of a drawing. */

import { drawn } from "../../core/numbers"
import { added, combined, lengthOf, scaled, type Derived, type Row, type Vectors } from "./algebra"
import { STEP, type Change, type Turn } from "./placement"

export const SIDE = 100 // from the middle of the drawing to its edge
const LEAST = 5 // units from the middle to the edge
const MOST_LINES = 24 // of a basis, on either side of 0

export type Point = readonly [number, number]

/** Units from the middle to the edge that show all rows. */
export function reachOf(rows: readonly Row[]): number {
  return Math.max(LEAST, Math.ceil(Math.max(...rows.flat().map(Math.abs))))
}

const outline = (corners: readonly Point[]) => `M${corners.map((corner) => corner.join(" ")).join("L")}Z`

export class Projection {
  private readonly cos: number
  private readonly sin: number
  private readonly above: number // sine and cosine of the tilt
  private readonly level: number
  readonly unit: number // of the drawing for one unit of space

  constructor(
    readonly reach: number,
    readonly dimensions: number,
    turn: Turn,
  ) {
    const [around, tilt] = [(turn[0] * Math.PI) / 180, (turn[1] * Math.PI) / 180]
    this.cos = Math.cos(around)
    this.sin = Math.sin(around)
    this.above = Math.sin(tilt)
    this.level = Math.cos(tilt)
    this.unit = (SIDE * 0.94) / (reach * (dimensions === 3 ? 1.35 : 1))
  }

  /** Units to the right and upwards on the screen. */
  seen([x = 0, y = 0, z]: Row): Point {
    if (z === undefined) return [x, y]
    return [x * this.cos + y * this.sin, z * this.level + (y * this.cos - x * this.sin) * this.above]
  }

  /** A place in the drawing. */
  to(place: Row): Point {
    const [right, up] = this.seen(place)
    return [right * this.unit, -up * this.unit]
  }

  line(from: Row, to: Row): string {
    const [one, other] = [this.to(from), this.to(to)]
    const written = (point: Point) => point.map((number) => drawn(number, 2)).join(" ")
    return `M${written(one)}L${written(other)}`
  }

  /**
   * New coordinates of `row` for a pointer at `at`, in units to the right and upwards: in space x and y, or z if it moves
   * `upwards`.
   */
  dragged(row: Row, at: Point, upwards: boolean): Change {
    const snapped = (number: number) => Math.round(Math.min(this.reach, Math.max(-this.reach, number)) / STEP) * STEP
    if (this.dimensions === 2) return { 0: snapped(at[0]), 1: snapped(at[1]) }
    const [x = 0, y = 0, z = 0] = row
    if (upwards) {
      const [, ground] = this.seen([x, y, 0])
      return { 2: snapped((at[1] - ground) / this.level) }
    }
    const [right, up] = this.seen([0, 0, z])
    const depth = (at[1] - up) / this.above
    const across = at[0] - right
    return { 0: snapped(across * this.cos - depth * this.sin), 1: snapped(across * this.sin + depth * this.cos) }
  }

  /** The grid of the plane, or of the ground of space. */
  ground(): string {
    const { reach } = this
    const step = reach > 10 ? 5 : 1
    const flat = (x: number, y: number) => (this.dimensions === 2 ? [x, y] : [x, y, 0])
    let ground = ""
    for (let at = -Math.floor(reach / step) * step; at <= reach; at += step) {
      ground += this.line(flat(at, -reach), flat(at, reach)) + this.line(flat(-reach, at), flat(reach, at))
    }
    return ground
  }

  /** The ends of the axes, in the direction of their names. */
  axisEnds(): Row[] {
    const axes = [...Array(this.dimensions).keys()]
    return axes.map((axis) => axes.map((at) => (at === axis ? this.reach : 0)))
  }

  axes(): string {
    return this.axisEnds().map((end) => this.line(scaled(end, -1), end)).join("")
  }

  /** The span: a line, a plane, or the parallelogram of a basis of the plane; empty for the origin and for space. */
  span(vectors: readonly Row[], { rank, basis }: Pick<Derived, "rank" | "basis">): string {
    const [first = [], second = []] = basis
    if (rank === 1) return this.line(scaled(first, -2 * this.reach), scaled(first, 2 * this.reach))
    if (rank !== 2) return ""
    if (this.dimensions === 3) {
      const [side, other] = [scaled(first, this.reach), scaled(second, this.reach)]
      const signs: readonly Point[] = [[1, 1], [1, -1], [-1, -1], [-1, 1]]
      return outline(signs.map((shares) => this.to(combined([side, other], shares))))
    }
    const [u = [], v = []] = vectors
    return outline([[0, 0], u, added(u, v), v].map((corner) => this.to(corner)))
  }

  /** The integer combinations of a basis of the plane, the parallelogram of two vectors in space, or the box of three. */
  lattice(vectors: readonly Row[], rank: number): string {
    const [u = [], v = [], w = []] = vectors
    if (rank === 2 && this.dimensions === 3) {
      return vectors.length === 2 ? this.line(u, added(u, v)) + this.line(v, added(u, v)) : ""
    }
    if (rank !== this.dimensions) return ""
    return rank === 2 ? this.parallels(u, v) + this.parallels(v, u) : this.box(u, v, w)
  }

  /** Lines along `other` through the multiples of `one`. */
  private parallels(one: Row, other: Row): string {
    const far = 2 * this.reach
    const count = Math.min(MOST_LINES, Math.ceil((2 * far) / Math.max(lengthOf(one), 1e-3)))
    const along = scaled(other, far / lengthOf(other))
    let lines = ""
    for (let at = -count; at <= count; at++) {
      const through = scaled(one, at)
      lines += this.line(added(through, scaled(along, -1.5)), added(through, scaled(along, 1.5)))
    }
    return lines
  }

  private box(u: Row, v: Row, w: Row): string {
    const origin = [0, 0, 0]
    const edges = (edge: Row, one: Row, other: Row) =>
      [origin, one, other, added(one, other)].map((from) => this.line(from, added(from, edge)))
    return [...edges(u, v, w), ...edges(v, u, w), ...edges(w, u, v)].join("")
  }

  /** The path to the point, one multiple of each vector after another; empty without coordinates. */
  sum({ vectors }: Vectors, { coordinates }: Pick<Derived, "coordinates">): string {
    let at: Row = Array<number>(this.dimensions).fill(0)
    const path = (coordinates ?? []).map((share, place) => {
      const from = at
      at = added(from, scaled(vectors[place]!, share))
      return this.line(from, at)
    })
    return path.join("")
  }

  /** The way from the nearest point of the span to the point; empty if the point lies in the span. */
  miss({ point }: Vectors, { nearest, reached }: Pick<Derived, "nearest" | "reached">): string {
    return reached ? "" : this.line(nearest, point)
  }
}
