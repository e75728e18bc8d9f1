import { describe, expect, it } from "vitest"
import { type Sweep, changedWords, headWeights, nearest, outcomes, pulledRow, stretches } from "../../src/views/stage/pulling"

describe("a row with a pulled weight", () => {
  it("keeps the proportions of the others", () => {
    expect([...pulledRow([0.5, 0.25, 0.25], 1, 0.5)]).toEqual([expect.closeTo(1 / 3), 0.5, expect.closeTo(1 / 6)])
  })
  it("becomes one-hot, and loses a key", () => {
    expect([...pulledRow([0.5, 0.25, 0.25], 0, 1)]).toEqual([1, 0, 0])
    expect([...pulledRow([0.5, 0.25, 0.25], 0, 0)]).toEqual([0, 0.5, 0.5])
  })
})

describe("weights of heads", () => {
  it("have the wanted mean, by one number on all scores", () => {
    const own = [0.001, 0.02, 0.4]
    const pulled = headWeights(own, 0.75)
    expect(pulled.reduce((total, weight) => total + weight, 0) / 3).toBeCloseTo(0.75, 6)
    const added = pulled.map((weight, head) => Math.log(weight / (1 - weight)) - Math.log(own[head]! / (1 - own[head]!)))
    for (const delta of added) expect(delta).toBeCloseTo(added[0]!, 6)
  })
  it("are the limits at 0 and 1", () => expect([headWeights([0.2, 0.4], 0), headWeights([0.2, 0.4], 1)]).toEqual([[0, 0], [1, 1]]))
})

const sweep: Sweep = { before: 0.1, weights: [0, 0.5, 1], tokens: ["elle", "elle", "il"], texts: ["a", "b"], of: [0, 0, 1] }

it("divides the scale between the weights that were tried", () => {
  expect(stretches(sweep)).toEqual([{ token: "elle", from: 0, to: 0.75 }, { token: "il", from: 0.75, to: 1 }])
  expect([0, 0.2, 0.3, 0.8].map((weight) => nearest(sweep, weight))).toEqual([0, 0, 1, 2])
})

it("names what a weight gives: the token of a place, or the words that an encoder's weight changes", () => {
  expect(outcomes(sweep, "no change")).toEqual({ tokens: ["elle", "elle", "il"], same: "elle" })
  const texts = ["une robe rouge.", "une petite robe rouge.", "une robe."]
  const encoder: Sweep = { before: 0.4, weights: [0, 0.5, 0.75, 1], tokens: [null, null, null, null], texts, of: [1, 0, 2, 0] }
  const { tokens, same } = outcomes(encoder, "no change")
  expect(tokens).toEqual(["petite", "no change", "robe.", "no change"])
  expect(same).toBe("no change")
  expect(outcomes({ ...encoder, texts: [texts[1]!, texts[0]!, texts[2]!] }, "same").tokens).toEqual(["\u2026", "same", "robe.", "same"])
})

it("marks words that changed, and no others", () => {
  const changed = (text: string, former: string) => changedWords(text, former).filter(([, is]) => is).map(([word]) => word.trim())
  expect(changed("parce qu'il était trop fatigué.", "parce qu'elle était trop fatigué.")).toEqual(["il"])
  expect(changed("une petite robe rouge.", "une robe rouge.")).toEqual(["petite"])
  expect(changed("une robe rouge.", "une petite robe rouge.")).toEqual([])
  expect(changedWords("l'un a", "l'un b").map(([word]) => word).join("")).toBe("l'un a")
})
