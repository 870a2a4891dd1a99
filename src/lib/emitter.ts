/**
 * Listeners for one kind of event, called synchronously in the order of adding; one that throws does not stop the
 * others.
 */
export class Emitter<T> {
  readonly #listeners = new Set<(event: T) => void>()
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  get isHeard(): boolean {
    return this.#listeners.size > 0
  }

  /** Adds a listener; the returned function removes it. */
  on(listener: (event: T) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  emit(event: T): void {
    for (const listener of this.#listeners) {
      try {
        listener(event)
      } catch (error) {
        this.#onError(error)
      }
    }
  }
}
