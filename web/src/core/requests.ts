/**
 * Requests of a component to its server, each with a serial number and the state of the page that it is about, so that the
 * answer is a function of the request alone. A message can be lost: of those that wait there the server receives the last
 * one, and a run that is replaced answers nothing. So the newest request of a channel is sent again until it is answered:
 * after a pause, and with each other message of its component. The server does a request that comes again once, and
 * answers it as before; see pages/shared/requests.py, and the diagram of the states in ARCHITECTURE.md.
 */

const REPEAT = 3000 // milliseconds until a request is sent again, then twice as long each time
const LATE = 20_000 // milliseconds without an answer after which the user is informed

/** What sends the messages of a component; `unanswered`: the newest of each name without an answer. */
interface Sender {
  readonly answer: (name: string, value: unknown) => void
  readonly unanswered: Map<string, unknown>
}

/** The answer to the request with this serial number. */
export interface Answer {
  readonly serial: number
  readonly status: "done" | "refused" | "outdated"
  readonly reason?: string // why it is refused, for the user
}

type RequestState = "idle" | "sent" | "late" | "answered" | "refused" | "outdated"

export class Requests<Request extends object> {
  /** Of the newest request. */
  state: RequestState = "idle"
  /** The request that has no answer yet. */
  open: Request | null = null
  private of = "" // the state of the page
  // A component that was here before may have had answers, which the page can still have: no serial number comes twice.
  private serial = Math.floor(performance.timeOrigin + performance.now())
  private again: number | undefined
  private patience: number | undefined

  /** `name`: of the messages; `onLate` is called when `late` changes. */
  constructor(
    private readonly sender: Sender,
    private readonly name: string,
    private readonly onLate: () => void,
  ) {}

  /** Whether the answer takes so long that the user is informed. */
  get late(): boolean {
    return this.state === "late"
  }

  /** Follows the state of the page. An answer about another one is no longer expected. */
  follow(state: string): void {
    if (state === this.of) return
    this.of = state
    this.drop()
  }

  /** Sends a request in place of the one before. */
  ask(request: Request): void {
    this.end("sent")
    this.open = request
    this.patience = window.setTimeout(() => this.change("late"), LATE)
    this.send({ serial: ++this.serial, state: this.of, ...request }, REPEAT)
  }

  private send(message: object, pause: number): void {
    const { sender, name } = this
    sender.unanswered.set(name, message)
    sender.answer(name, message)
    this.again = window.setTimeout(() => this.send(message, 2 * pause), pause)
  }

  /** Takes the answer to the open request, once; null if it is not among these. */
  take<Taken extends Answer>(answers: readonly Taken[] | undefined): { request: Request; answer: Taken } | null {
    const { open: request } = this
    const answer = request && answers?.find(({ serial }) => serial === this.serial)
    if (!request || !answer) return null
    this.end(answer.status === "done" ? "answered" : answer.status)
    return { request, answer }
  }

  /** Waits for no answer any more. */
  drop(): void {
    this.end("idle")
  }

  private end(state: RequestState): void {
    window.clearTimeout(this.again)
    window.clearTimeout(this.patience)
    this.sender.unanswered.delete(this.name)
    this.open = null
    this.change(state)
  }

  private change(state: RequestState): void {
    const { late } = this
    this.state = state
    if (late !== this.late) this.onLate()
  }
}
