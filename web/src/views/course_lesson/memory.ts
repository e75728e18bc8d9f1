/** What this browser stores of the course: the lessons that are done, and what was predicted and found. */

const DONE = "lessons-done" // ids, separated by spaces
const PREDICTED = "lessons-predicted" // JSON: id -> prediction

export type Verdict = "held" | "nearly" | "not"
const VERDICTS: readonly Verdict[] = ["held", "nearly", "not"]

/** A prediction, and what came out. */
interface Prediction {
  chosen: string
  verdict: Verdict
  found: string
}

const known = new Map<string, string>() // for a browser that stores nothing

function read(name: string): string {
  try {
    return localStorage.getItem(name) ?? known.get(name) ?? ""
  } catch {
    return known.get(name) ?? ""
  }
}

function store(name: string, value: string): void {
  known.set(name, value)
  try {
    localStorage.setItem(name, value)
  } catch {
    // refused, for privacy
  }
}

export function doneLessons(): Set<string> {
  return new Set(read(DONE).split(" ").filter(Boolean))
}

/** The predictions by lesson; without what is not of their form, since a user can change what is stored. */
export function predictions(): Map<string, Prediction> {
  try {
    const stored: unknown = JSON.parse(read(PREDICTED) || "{}")
    return new Map(Object.entries(stored as Record<string, unknown>).filter((entry): entry is [string, Prediction] => isPrediction(entry[1])))
  } catch {
    return new Map()
  }
}

function isPrediction(stored: unknown): stored is Prediction {
  if (typeof stored !== "object" || !stored) return false
  const { chosen, verdict, found } = stored as Record<string, unknown>
  return typeof chosen === "string" && typeof found === "string" && VERDICTS.includes(verdict as Verdict)
}

/** Stores a prediction; its lesson is done. */
export function storePrediction(lesson: string, prediction: Prediction): void {
  store(PREDICTED, JSON.stringify(Object.fromEntries([...predictions(), [lesson, prediction]])))
  store(DONE, [...doneLessons().add(lesson)].join(" "))
}
