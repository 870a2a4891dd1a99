/**
 * The turns of the event loop, taken by hand: while installed, what asks for the next turn (`setImmediate`) waits here
 * and runs in the order it asked. So a run of the simulator never yields to the machine, and is the same each time.
 */
export class Turns {
  #waiting: { run: (() => void) | null }[] = []

  /** Takes the place of `setImmediate` until disposed. */
  install(): Disposable {
    const original = globalThis.setImmediate
    const replaced = (run: (...args: unknown[]) => void, ...args: unknown[]): object => {
      const entry: { run: (() => void) | null } = { run: () => run(...args) }
      this.#waiting.push(entry)
      return entry
    }
    globalThis.setImmediate = replaced as unknown as typeof setImmediate
    return {
      [Symbol.dispose]: () => {
        globalThis.setImmediate = original
      },
    }
  }

  /** Resolves once no promise and no turn is left to come. */
  async settle(): Promise<void> {
    await drained()
    while (this.#waiting.length > 0) {
      for (const { run } of this.#waiting.splice(0)) {
        run?.()
        await drained()
      }
    }
  }
}

/** A tick that is asked for by a promise comes after all promises that are settled by then. */
function drained(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve)
  })
}
