/** The patches that hold most of a map, and the outline around them. */

/** The fewest patches, largest weights first, that hold `share` of all weights; the same rule as views/patch_grid.py. */
export function selectLargest(weights: Float32Array, share: number): [selected: Uint8Array, count: number] {
  const order = [...weights.keys()].sort((a, b) => weights[b]! - weights[a]!)
  const target = share * sumOf(weights) - 1e-6 // weights have about seven digits
  const selected = new Uint8Array(weights.length)
  let [covered, count] = [0, 0]
  for (const patch of order) {
    const weight = weights[patch]!
    if (covered >= target || weight <= 0) break
    selected[patch] = 1
    covered += weight
    count += 1
  }
  return [selected, count]
}

export function sumOf(weights: Float32Array): number {
  return weights.reduce((total, weight) => total + weight, 0)
}

/** The edges between selected patches and the rest, as a path in patches. */
export function outlineOf(selected: Uint8Array, [rows, columns]: readonly [number, number]): string {
  const at = (row: number, column: number) =>
    row >= 0 && column >= 0 && row < rows && column < columns && selected[row * columns + column] === 1
  let path = ""
  for (let row = 0; row <= rows; row++) {
    for (let column = 0; column <= columns; column++) {
      if (at(row, column) !== at(row - 1, column)) path += `M${column} ${row}h1`
      if (at(row, column) !== at(row, column - 1)) path += `M${column} ${row}v1`
    }
  }
  return path
}
