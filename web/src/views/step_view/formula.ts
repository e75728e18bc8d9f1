/** Formulas of a step view: a line of text with placeholders for numbers and labels. */

import type { Content, FormulaHeader } from "./content"
import { StepPanel, type SteppedView } from "./panel"

export class FormulaPanel extends StepPanel<FormulaHeader> {
  private readonly write: () => void

  constructor(view: SteppedView, content: Content, about: FormulaHeader, parent: ParentNode) {
    super(view, content, about, parent)
    this.write = this.writeText(this.root, about.text)
  }

  override follow(): void {
    this.write()
  }
}
