// Where the numbers of a step come from: what belongs to a cell in the other matrices of the row.

// For each matrix the parts that belong to the cell of the `at`-th, each as its first row, its rows, its first column and
// its columns. `made` says how the last matrix is made of the others: the "product" of two, "each" cell of the same cell,
// or by "softmax", a row of a row, where the key that wins is a part too.
function partsOf(made, items, at, [row, column]) {
  const across = (item, which) => [[which, 1, 0, item.shape[1]]]
  const down = (item, which) => [[0, item.shape[0], which, 1]]
  if (made === "product") {
    const [left, right, result] = items
    if (at === 0) return [[], across(right, column), across(result, row)]
    if (at === 1) return [down(left, row), [], down(result, column)]
    return [across(left, row), down(right, column), []]
  }
  const others = (parts) => items.map((item, place) => (place === at ? [] : parts(item)))
  if (made === "each") return others(() => [[row, 1, column, 1]])
  const wins = winnerOf(items.at(-1), row)
  const key = wins < 0 ? [] : [[row, 1, wins, 1]]
  return others((item) => across(item, row)).map((parts) => [...parts, ...key])
}

// The column of the largest number of a row; -1 where all are masked.
function winnerOf({ values, shape: [, columns] }, row) {
  const line = [...values.subarray(row * columns, (row + 1) * columns)]
  const most = Math.max(...line)
  return most === -Infinity ? -1 : line.indexOf(most)
}
