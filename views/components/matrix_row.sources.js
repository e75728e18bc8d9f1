// The sources of a step's numbers: the cells of the other matrices from which a cell is computed.

// For each matrix the regions that belong to a cell of the `at`-th, each as first row, rows, first column, columns.
// `operation` computes the last matrix: the "product" of two, "each" cell from the same cell, or "softmax", a row from a
// row, where the largest key is a region too.
function partsOf(operation, items, at, [row, column]) {
  const across = (item, which) => [[which, 1, 0, item.shape[1]]]
  const down = (item, which) => [[0, item.shape[0], which, 1]]
  if (operation === "product") {
    const [left, right, result] = items
    if (at === 0) return [[], across(right, column), across(result, row)]
    if (at === 1) return [down(left, row), [], down(result, column)]
    return [across(left, row), down(right, column), []]
  }
  const others = (parts) => items.map((item, place) => (place === at ? [] : parts(item)))
  if (operation === "each") return others(() => [[row, 1, column, 1]])
  const wins = winnerOf(items.at(-1), row)
  const key = wins < 0 ? [] : [[row, 1, wins, 1]]
  return others((item) => across(item, row)).map((parts) => [...parts, ...key])
}

// The column of the largest number of a row; -1 if all are masked.
function winnerOf({ values, shape: [, columns] }, row) {
  const line = [...values.subarray(row * columns, (row + 1) * columns)]
  const most = Math.max(...line)
  return most === -Infinity ? -1 : line.indexOf(most)
}
