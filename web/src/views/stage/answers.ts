/** The answers of the server that the mark of a stage has, see `answers` in views/components/requests.py. */

import type { Answer } from "../../core/requests"
import type { OpenedLayer } from "./lane"
import type { PullAnswer } from "./pull"

export interface StageAnswers {
  readonly state: string // of the page
  readonly pulls: string // under which the translation is shown
  readonly leftOut?: string // why pulls of the address are not shown
  readonly type?: readonly Answer[]
  readonly ask?: readonly PullAnswer[]
  readonly layer?: readonly OpenedLayer[]
}
