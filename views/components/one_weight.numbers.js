// Recomputes one attention weight in double precision, like `model/lessons/one_weight.py`.

const LEAST = -1.7e38 // half of float32's smallest number: recorded scores below it were masked

// The softmax of one query over all keys, and the inputs of its scores.
function softmaxOf({ queries, keys, scores, forms, labels }, numbers, masks, [layer, head, query]) {
  const count = labels[1].length
  const form = forms[layer]
  const recorded = scores && numbers.scores.subarray(((layer * scores[1] + head) * scores[2] + query) * count).subarray(0, count)
  const vectors = form && vectorsOf(queries, keys, numbers, [layer, head, query])
  const raw = Array.from({ length: count }, (_, key) => {
    if (!form || form.biased) return recorded[key]
    const score = sumOf(vectors.products(key)) * form.scaling
    return form.softcap ? Math.tanh(score / form.softcap) * form.softcap : score
  })
  const mask = form && masks[form.allowed]
  const seen = (key) => (form ? !mask || mask[query * count + key] : raw[key] >= LEAST)
  const reached = raw.map((score, key) => (seen(key) ? score : -Infinity))
  const most = Math.max(...reached)
  const exponentials = reached.map((score) => Math.exp(score - most))
  const sink = form?.sinks.length ? Math.exp(form.sinks[head] - most) : 0
  const total = sumOf(exponentials) + sink
  return { form, vectors, raw, scores: reached, exponentials, sink, total, weights: exponentials.map((each) => each / total) }
}

// The query vector, and any key vector with their products.
function vectorsOf([, heads, rows, length], [, groups, columns], { queries, keys }, [layer, head, query]) {
  const group = Math.floor((head * groups) / heads) // grouped-query attention: several heads may share their keys
  const asking = queries.subarray(((layer * heads + head) * rows + query) * length).subarray(0, length)
  const keyOf = (key) => keys.subarray(((layer * groups + group) * columns + key) * length).subarray(0, length)
  const products = (key) => {
    const keyVector = keyOf(key)
    return Array.from(asking, (number, place) => number * keyVector[place])
  }
  return { asking, keyOf, products }
}

function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0)
}
