/** The values of the last call: what depends on them alone is drawn again only where one of them is another. */
export class Former {
  private values: readonly unknown[] | undefined

  /** Whether a value is another than in the last call. */
  changed(...values: readonly unknown[]): boolean {
    const { values: before } = this
    this.values = values
    return !before || values.length !== before.length || values.some((value, place) => value !== before[place])
  }
}
