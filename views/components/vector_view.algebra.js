// Rank, determinant and coordinates. Coordinates are whole thousandths, and products of three of them stay whole numbers
// that a double represents exactly; so rounding never affects a rank.

const THOUSAND = 1000
const PARTS = 3 // decimals of a coordinate

const thousandths = (row) => row.map((number) => Math.round(number * THOUSAND))
const dot = (one, other) => one.reduce((sum, number, place) => sum + number * other[place], 0)
const scaled = (row, by) => row.map((number) => number * by)
const added = (one, other) => one.map((number, place) => number + other[place])
const lengthOf = (row) => Math.sqrt(dot(row, row))

// The determinant of 1, 2 or 3 rows.
function determinantOf(rows) {
  if (rows.length === 1) return rows[0][0]
  return rows[0].reduce((sum, number, column) => {
    const rest = rows.slice(1).map((row) => row.filter((_, place) => place !== column))
    return sum + (column % 2 ? -1 : 1) * number * determinantOf(rest)
  }, 0)
}

// All ways to choose `count` of `items`, in order.
function choicesOf(items, count) {
  if (!count) return [[]]
  return items.flatMap((item, place) => choicesOf(items.slice(place + 1), count - 1).map((rest) => [item, ...rest]))
}

// The size of the largest square part whose determinant is not 0.
function rankOf(rows) {
  const whole = rows.map(thousandths)
  for (let size = Math.min(rows.length, rows[0].length); size > 0; size--) {
    const columns = choicesOf([...whole[0].keys()], size)
    const independent = choicesOf(whole, size).some((some) =>
      columns.some((which) => determinantOf(some.map((row) => which.map((column) => row[column]))) !== 0),
    )
    if (independent) return size
  }
  return 0
}

// Rows of length 1 at right angles that span what `vectors` do.
function orthonormal(vectors) {
  const basis = []
  vectors.forEach((vector, place) => {
    if (rankOf(vectors.slice(0, place + 1)) === basis.length) return
    let left = vector
    for (let again = 0; again < 2; again++) {
      for (const row of basis) left = added(left, scaled(row, -dot(left, row)))
    }
    basis.push(scaled(left, 1 / lengthOf(left)))
  })
  return basis
}

function divisorOf(one, other) {
  return other ? divisorOf(other, one % other) : Math.abs(one)
}

// Whole coefficients, not all 0, of a combination that gives 0; null where the vectors are independent.
function relationOf(vectors) {
  const places = [...vectors.keys()]
  for (let count = 1; count <= vectors.length; count++) {
    const dependent = choicesOf(places, count).find((some) => rankOf(some.map((place) => vectors[place])) < count)
    if (!dependent) continue
    const coefficients = smallestRelation(dependent.map((place) => thousandths(vectors[place])))
    return places.map((place) => (dependent.includes(place) ? coefficients[dependent.indexOf(place)] : 0))
  }
  return null
}

// The same of dependent vectors of which every smaller selection is independent.
function smallestRelation(rows) {
  const axes = [...rows[0].keys()]
  let coefficients = [1]
  if (rows.length === 2) {
    const axis = axes.find((each) => rows[0][each] || rows[1][each])
    coefficients = [rows[1][axis], -rows[0][axis]]
  }
  if (rows.length === 3) {
    const crossed = choicesOf(axes, 2).map(([one, other]) => {
      const [a, b] = [one, other].map((axis) => rows.map((row) => row[axis]))
      return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    })
    coefficients = crossed.find((each) => each.some(Boolean))
  }
  const divisor = coefficients.reduce(divisorOf, 0) * (coefficients.find(Boolean) > 0 ? 1 : -1)
  return coefficients.map((number) => number / divisor + 0)
}

// Area between two vectors of space, and the nearest point of their plane in their basis.
function inPlane([one, other], point) {
  const [a, b, c] = [dot(one, one), dot(one, other), dot(other, other)]
  const [p, q] = [dot(one, point), dot(other, point)]
  const square = a * c - b * b
  return { area: Math.sqrt(Math.max(0, square)), coordinates: [(p * c - q * b) / square, (a * q - b * p) / square] }
}

// All derived values of `vectors` and `point`.
function spanned({ vectors, point }) {
  const isPair = vectors.length < point.length
  const whole = vectors.map(thousandths)
  const plane = isPair ? inPlane(vectors, point) : null
  const volume = isPair ? 0 : determinantOf(whole)
  const rank = rankOf(vectors)
  const basis = orthonormal(vectors)
  const nearest = basis.reduce((sum, row) => added(sum, scaled(row, dot(point, row))), point.map(() => 0))
  const apart = lengthOf(added(point, scaled(nearest, -1)))
  const reached = rankOf([...vectors, point]) === rank || (isPair && apart <= 1 / THOUSAND)
  const inBasis = isPair && reached && rank === vectors.length ? plane.coordinates : null
  const coordinates = volume
    ? vectors.map((_, place) => determinantOf(whole.map((row, at) => (at === place ? thousandths(point) : row))) / volume)
    : inBasis
  const distance = reached ? 0 : apart
  const determinant = isPair ? (rank === vectors.length ? plane.area : 0) : volume / THOUSAND ** vectors.length
  return { determinant, rank, basis, nearest, reached, coordinates, distance, relation: relationOf(vectors) }
}
