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

// All derived values of `vectors` and `point`.
function spanned({ vectors, point }) {
  const whole = vectors.map(thousandths)
  const volume = determinantOf(whole)
  const rank = rankOf(vectors)
  const basis = orthonormal(vectors)
  const nearest = basis.reduce((sum, row) => added(sum, scaled(row, dot(point, row))), point.map(() => 0))
  const reached = rankOf([...vectors, point]) === rank
  const coordinates = volume
    ? vectors.map((_, place) => determinantOf(whole.map((row, at) => (at === place ? thousandths(point) : row))) / volume)
    : null
  const distance = reached ? 0 : lengthOf(added(point, scaled(nearest, -1)))
  return { determinant: volume / THOUSAND ** vectors.length, rank, basis, nearest, reached, coordinates, distance }
}
