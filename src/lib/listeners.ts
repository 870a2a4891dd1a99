/** A list of listeners for one kind of news; a listener that throws does not keep the others from hearing it. */
export class Listeners<T> {
  readonly #listeners = new Set<(news: T) => void>()
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /** Adds a listener; the returned function removes it. */
  add(listener: (news: T) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  tell(news: T): void {
    for (const listener of this.#listeners) {
      try {
        listener(news)
      } catch (error) {
        this.#onError(error)
      }
    }
  }
}
