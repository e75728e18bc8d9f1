/** What follows from the vectors, in words. */

import { filled } from "../../core/dom"
import { threeDigits } from "../../core/numbers"
import type { Derived, Row, Vectors } from "./algebra"
import type { Header } from "./placement"

export function readoutLines(
  { words, spans, dimensions }: Pick<Header, "words" | "spans" | "dimensions">,
  { vectors, point }: Vectors,
  { determinant, rank, reached, coordinates, nearest, distance, relation }: Derived,
): string[] {
  const [count, isPair, isZero] = [vectors.length, vectors.length < dimensions, !point.some(Boolean)]
  const lines = [
    filled(isPair ? words.area : words.determinant, { number: threeDigits(determinant) }),
    filled(words.rank, { rank, count, span: spans[rank] ?? "" }),
    rank < count ? words.dependent : isPair ? words.pair : words.independent,
    coordinates ? filled(words.coordinates, { numbers: listed(coordinates) }) : "",
    !coordinates && reached && !isZero ? words.reached : "",
    isZero && !relation ? words.only : "",
    isZero && relation ? filled(words.relation, { numbers: listed(relation) }) : "",
    reached ? "" : filled(words.missed, { nearest: listed(nearest), distance: threeDigits(distance) }),
  ]
  return lines.filter(Boolean).map((line) => line.replaceAll("-", "\u2212"))
}

function listed(row: Row): string {
  return `(${row.map((number) => threeDigits(Math.abs(number) < 1e-12 ? 0 : number)).join(", ")})`
}
