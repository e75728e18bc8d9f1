/**
 * Requests of a component to its server. A message can be lost: of those that wait there the server receives the last one,
 * and a run that is replaced answers nothing. So the newest request of a channel is sent again until it is answered: after a
 * pause, and with each other message of its component. The server answers a request that comes again as before.
 */

const REPEAT = 3000 // milliseconds until a request is sent again, then twice as long each time
const LATE = 20_000 // milliseconds without an answer after which the user is informed

/** What sends the messages of a component; `unanswered`: the newest of each name without an answer. */
export interface Sender {
  readonly answer: (name: string, value: unknown) => void
  readonly unanswered: Map<string, unknown>
}

export class Requests<Request extends object> {
  /** The request that has no answer yet. */
  open: Request | null = null
  /** Whether its answer takes so long that the user is informed. */
  late = false
  // A component that was here before may have had answers, which the page can still have: no serial number comes twice.
  private serial = Math.floor(performance.timeOrigin + performance.now()) % 2 ** 30
  private again: number | undefined
  private patience: number | undefined

  /** `name`: of the messages; `onLate` is called when `late` changes. */
  constructor(
    private readonly sender: Sender,
    private readonly name: string,
    private readonly onLate: () => void,
  ) {}

  /** Sends a request in place of the one before. */
  ask(request: Request): void {
    this.drop()
    this.open = request
    this.patience = window.setTimeout(() => this.setLate(true), LATE)
    this.send({ serial: ++this.serial, ...request }, REPEAT)
  }

  private send(message: object, pause: number): void {
    const { sender, name } = this
    sender.unanswered.set(name, message)
    sender.answer(name, message)
    this.again = window.setTimeout(() => this.send(message, 2 * pause), pause)
  }

  /** Takes the serial number of an answer; returns the request if that is the open one, else null. */
  settle(serial: number | undefined): Request | null {
    const { open } = this
    if (!open || serial !== this.serial) return null
    this.drop()
    return open
  }

  /** Waits for no answer any more. */
  drop(): void {
    window.clearTimeout(this.again)
    window.clearTimeout(this.patience)
    this.sender.unanswered.delete(this.name)
    this.open = null
    this.setLate(false)
  }

  private setLate(late: boolean): void {
    if (late === this.late) return
    this.late = late
    this.onLate()
  }
}
