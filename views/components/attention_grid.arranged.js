// The maps of one kind of attention by the user's settings: tokens or whole words, with or without special tokens.
// Same rules and precision as `by_words` and `with_means` in Python.

// The selected kind, or the only one.
function kindOf({ kinds }, chosen) {
  return kinds[chosen.kind] ?? Object.values(kinds)[0]
}

// The data of the overview, from a payload with several kinds.
function arranged(payload, chosen) {
  const kind = kindOf(payload, chosen)
  const { units, marks, scale } = chosen
  const known = (kind.known ??= {}) // by units and marks
  const maps = (known[`${units} ${marks}`] ??= prepared(kind, units === "words" && kind.grouped, marks === "hidden"))
  return { ...payload, ...kind, ...maps, shared_scale: scale !== "own", decades: scale === "log" ? payload.decades : 0 }
}

function prepared(kind, grouped, hidden) {
  kind.decoded ??= kind.decode()
  const sheet = { queries: kind.queries, keys: kind.keys, special: kind.special, shape: kind.weights, weights: kind.decoded, detail: kind.detail }
  const whole = grouped ? { ...grouped, ...inWords(sheet, grouped.starts) } : sheet
  if (grouped && kind.rows) fillMeans(whole.weights, whole.shape) // lines have none
  return hidden ? withoutSpecial(whole) : whole
}

// Summed over the keys of a word, averaged over its queries, in double precision.
function inWords({ shape: [rows, columns, queries, keys], weights }, [queryStarts, keyStarts]) {
  const shape = [rows, columns, queryStarts.length, keyStarts.length]
  const [, , tall, wide] = shape
  const result = new Float32Array(rows * columns * tall * wide)
  const ends = (starts, count) => starts.map((_, word) => starts[word + 1] ?? count)
  const [queryEnds, keyEnds] = [ends(queryStarts, queries), ends(keyStarts, keys)]
  const summed = new Float64Array(queries * wide)
  for (let map = 0; map < rows * columns; map++) {
    for (let place = 0; place < summed.length; place++) {
      const [start, word] = [(map * queries + Math.floor(place / wide)) * keys, place % wide]
      summed[place] = sumOf(keyStarts[word], keyEnds[word], (key) => weights[start + key])
    }
    for (let place = 0; place < tall * wide; place++) {
      const [word, column] = [Math.floor(place / wide), place % wide]
      const [first, end] = [queryStarts[word], queryEnds[word]]
      result[map * tall * wide + place] = sumOf(first, end, (query) => summed[query * wide + column]) / (end - first)
    }
  }
  return { shape, weights: result }
}

// The first plus the sum of the others: the order in which numpy's reduceat adds.
function sumOf(first, end, at) {
  let others = 0
  for (let place = first + 1; place < end; place++) others += at(place)
  return at(first) + others
}

// Fills the last column with averages over heads, and the last row with averages over layers.
function fillMeans(weights, [rows, columns, queries, keys]) {
  const cells = queries * keys
  const average = (target, first, step, count) => {
    for (let cell = 0; cell < cells; cell++) {
      let sum = 0
      for (let map = 0; map < count; map++) sum = Math.fround(sum + weights[(first + map * step) * cells + cell])
      weights[target * cells + cell] = sum / count
    }
  }
  for (let row = 0; row < rows - 1; row++) average(row * columns + columns - 1, row * columns, 1, columns - 1)
  for (let column = 0; column < columns; column++) average((rows - 1) * columns + column, column, columns, rows - 1)
}

// The remaining weights are not rescaled. If nothing would remain, all tokens stay.
function withoutSpecial(sheet) {
  const [queries, keys] = [sheet.queries, sheet.keys].map((names, side) => {
    return [...names.keys()].filter((place) => !sheet.special[side].includes(place))
  })
  if (!queries.length || !keys.length) return sheet
  const [rows, columns, tall, wide] = sheet.shape
  const shape = [rows, columns, queries.length, keys.length]
  const weights = new Float32Array(shape.reduce((product, side) => product * side))
  let cell = 0
  for (let map = 0; map < rows * columns; map++) {
    for (const query of queries) {
      for (const key of keys) weights[cell++] = sheet.weights[(map * tall + query) * wide + key]
    }
  }
  return { ...sheet, shape, weights, queries: queries.map((place) => sheet.queries[place]), keys: keys.map((place) => sheet.keys[place]) }
}
