import { type Bus, BusUnavailable, type Listening } from './bus.ts'

/** A bus that says each time nobody could be asked. */
export class CountedBus implements Bus {
  readonly #bus: Bus
  readonly #unavailable: () => void

  constructor(bus: Bus, unavailable: () => void) {
    this.#bus = bus
    this.#unavailable = unavailable
  }

  get isUp(): boolean {
    return this.#bus.isUp
  }

  tell(subject: string, message: object): void {
    this.#bus.tell(subject, message)
  }

  async ask(subject: string, message: object, accept?: (answer: unknown) => boolean): Promise<unknown> {
    try {
      return await this.#bus.ask(subject, message, accept)
    } catch (error) {
      if (error instanceof BusUnavailable) this.#unavailable()
      throw error
    }
  }

  listen(subject: string, listening: Listening): () => void {
    return this.#bus.listen(subject, listening)
  }

  onReturn(returned: () => void): void {
    this.#bus.onReturn(returned)
  }

  settled(): Promise<void> {
    return this.#bus.settled()
  }
}
