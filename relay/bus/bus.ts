import { RelayUnavailable } from '../model/unavailable.ts'

/** Nobody can be asked: the bus is away, or those who listen do not answer. */
export class BusUnavailable extends RelayUnavailable {}

/** From a question to its answer. */
export const ASK_MS = 1_000
/** Bytes of one message as JSON; a larger one is not heard. */
export const MESSAGE_BYTES_MAX = 4_096

/** Subjects are words with dots between them; `*` as the last word stands for any one. */
export interface Listening {
  /** Hears what another node says; what comes is JSON that nobody has checked. Its answer is for who asked. */
  readonly heard: (message: unknown, subject: string) => object | undefined
}

/**
 * What nodes tell and ask each other: at most once, to those who listen now. A node does not hear itself.
 */
export interface Bus {
  /** While it is not, questions fail at once and what is told is lost. */
  readonly isUp: boolean
  tell(subject: string, message: object): void
  /**
   * The first answer that is accepted, null where nobody listens or none was accepted.
   * @throws BusUnavailable where nobody can be asked.
   */
  ask(subject: string, message: object, accept?: (answer: unknown) => boolean): Promise<unknown>
  /** Listens until the returned function is called. */
  listen(subject: string, listening: Listening): () => void
  /** Calls back when the bus is there again: what was told meanwhile was not heard. */
  onReturn(returned: () => void): void
  /** Resolves when every node hears what is told to those who listen here. */
  settled(): Promise<void>
}
