/**
 * Rank, determinant and coordinates. Coordinates are whole thousandths, and products of three of them stay whole numbers
 * that a double represents exactly; so rounding never affects a rank.
 */

export const DECIMALS = 3 // of a coordinate
export const THOUSAND = 10 ** DECIMALS

/** A vector, or a row of a matrix. */
export type Row = readonly number[]

/** Two or three vectors of two or three dimensions, and a point that may be a linear combination of them. */
export interface Vectors {
  vectors: readonly Row[]
  point: Row
}

/** What follows from `Vectors`. */
export interface Derived {
  determinant: number // of two vectors in space: the area between them
  rank: number
  basis: readonly Row[] // orthonormal, of the span
  nearest: Row // the point of the span that is nearest to the point
  reached: boolean // the point lies in the span
  coordinates: Row | null // of the point, if the vectors are independent and it lies in the span
  distance: number // from the point to the span
  relation: Row | null // whole coefficients, not all 0, of a combination that gives 0; null for independent vectors
}

const thousandths = (row: Row): number[] => row.map((number) => Math.round(number * THOUSAND))

export function dot(one: Row, other: Row): number {
  return one.reduce((sum, number, place) => sum + number * other[place]!, 0)
}

export function scaled(row: Row, by: number): number[] {
  return row.map((number) => number * by)
}

export function added(one: Row, other: Row): number[] {
  return one.map((number, place) => number + other[place]!)
}

export function lengthOf(row: Row): number {
  return Math.sqrt(dot(row, row))
}

/** The sum of vectors, each multiplied by its share. */
export function combined(vectors: readonly Row[], shares: Row): number[] {
  const origin = (vectors[0] ?? []).map(() => 0)
  return vectors.reduce<number[]>((sum, vector, place) => added(sum, scaled(vector, shares[place]!)), origin)
}

/** The determinant of 1, 2 or 3 rows. */
export function determinantOf([first = [], ...others]: readonly Row[]): number {
  if (!others.length) return first[0]!
  return first.reduce((sum, number, column) => {
    const rest = others.map((row) => row.filter((_, place) => place !== column))
    return sum + (column % 2 ? -1 : 1) * number * determinantOf(rest)
  }, 0)
}

/** All ways to choose `count` of `items`, in order. */
export function choicesOf<Item>(items: readonly Item[], count: number): Item[][] {
  if (!count) return [[]]
  return items.flatMap((item, place) => choicesOf(items.slice(place + 1), count - 1).map((rest) => [item, ...rest]))
}

/** The size of the largest square part whose determinant is not 0. */
export function rankOf(rows: readonly Row[]): number {
  const whole = rows.map(thousandths)
  const columns = [...(rows[0] ?? []).keys()]
  for (let size = Math.min(rows.length, columns.length); size > 0; size--) {
    const selections = choicesOf(columns, size)
    const independent = choicesOf(whole, size).some((some) =>
      selections.some((which) => determinantOf(some.map((row) => which.map((column) => row[column]!))) !== 0),
    )
    if (independent) return size
  }
  return 0
}

/** Rows of length 1 at right angles that span what `vectors` do. */
export function orthonormal(vectors: readonly Row[]): number[][] {
  const basis: number[][] = []
  vectors.forEach((vector, place) => {
    if (rankOf(vectors.slice(0, place + 1)) === basis.length) return
    let left = [...vector]
    for (let again = 0; again < 2; again++) {
      for (const row of basis) left = added(left, scaled(row, -dot(left, row)))
    }
    basis.push(scaled(left, 1 / lengthOf(left)))
  })
  return basis
}

function divisorOf(one: number, other: number): number {
  return other ? divisorOf(other, one % other) : Math.abs(one)
}

/** Whole coefficients, not all 0, of a combination that gives 0; null where the vectors are independent. */
export function relationOf(vectors: readonly Row[]): number[] | null {
  const places = [...vectors.keys()]
  for (let count = 1; count <= vectors.length; count++) {
    const dependent = choicesOf(places, count).find((some) => rankOf(some.map((place) => vectors[place]!)) < count)
    if (!dependent) continue
    const coefficients = smallestRelation(dependent.map((place) => thousandths(vectors[place]!)))
    return places.map((place) => coefficients[dependent.indexOf(place)] ?? 0)
  }
  return null
}

/** The same of dependent vectors of which every smaller selection is independent. */
function smallestRelation(rows: readonly Row[]): number[] {
  const [first = [], second = []] = rows
  const axes = [...first.keys()]
  let coefficients = [1]
  if (rows.length === 2) {
    const axis = axes.find((each) => first[each] || second[each])!
    coefficients = [second[axis]!, -first[axis]!]
  }
  if (rows.length === 3) {
    const crossed = choicesOf(axes, 2).map((pair) => {
      const [a = [], b = []] = pair.map((axis) => rows.map((row) => row[axis]!))
      return [a[1]! * b[2]! - a[2]! * b[1]!, a[2]! * b[0]! - a[0]! * b[2]!, a[0]! * b[1]! - a[1]! * b[0]!]
    })
    coefficients = crossed.find((each) => each.some(Boolean))!
  }
  const divisor = coefficients.reduce(divisorOf, 0) * (coefficients.find(Boolean)! > 0 ? 1 : -1)
  return coefficients.map((number) => number / divisor + 0)
}

/** Area between two vectors of space, and the nearest point of their plane in their basis. */
function inPlane(one: Row, other: Row, point: Row): { area: number; coordinates: Row } {
  const [a, b, c] = [dot(one, one), dot(one, other), dot(other, other)]
  const [p, q] = [dot(one, point), dot(other, point)]
  const square = a * c - b * b
  return { area: Math.sqrt(Math.max(0, square)), coordinates: [(p * c - q * b) / square, (a * q - b * p) / square] }
}

/** All derived values of vectors and a point. */
export function spanned({ vectors, point }: Vectors): Derived {
  const plane = vectors.length < point.length ? inPlane(vectors[0]!, vectors[1]!, point) : null
  const whole = vectors.map(thousandths)
  const volume = plane ? 0 : determinantOf(whole)
  const rank = rankOf(vectors)
  const independent = rank === vectors.length
  const basis = orthonormal(vectors)
  const origin = point.map(() => 0)
  const nearest = basis.reduce((sum, row) => added(sum, scaled(row, dot(point, row))), origin)
  const apart = lengthOf(added(point, scaled(nearest, -1)))
  const reached = rankOf([...vectors, point]) === rank || (plane !== null && apart <= 1 / THOUSAND)
  const inBasis = plane && reached && independent ? plane.coordinates : null
  const replaced = (place: number) => whole.map((row, at) => (at === place ? thousandths(point) : row))
  const coordinates = volume ? vectors.map((_, place) => determinantOf(replaced(place)) / volume) : inBasis
  const determinant = plane ? (independent ? plane.area : 0) : volume / THOUSAND ** vectors.length
  const distance = reached ? 0 : apart
  return { determinant, rank, basis, nearest, reached, coordinates, distance, relation: relationOf(vectors) }
}
