import { effect, type Signal, signal } from '@preact/signals'
import { connected } from './home.ts'
import { signedIn } from './session.ts'

/** Something of the gateway that is kept right while somebody looks at it. */
export interface KeptReading<T> {
  /** As it was read last; null before, and while nobody is signed in. */
  readonly value: Signal<T | null>
  /** Why it could not be read; null where it could. */
  readonly problem: Signal<unknown>
  /** Reads it again. Whoever asks while that goes on gets it done once more afterwards; all share one wait. */
  readonly read: () => Promise<void>
  /** The same, where somebody looks at it. */
  readonly readIfShown: () => void
}

/** Reads when somebody begins to look, and after a break of the connection; when else, its owner says. */
export function keptReading<T>(ask: () => Promise<T>): KeptReading<T> {
  let isShown = false
  const readIfShown = (): void => {
    if (isShown && connected.peek()) void read()
  }
  const problem = signal<unknown>(null)
  const value = signal<T | null>(null, {
    watched: () => {
      isShown = true
      readIfShown()
    },
    unwatched: () => {
      isShown = false
    },
  })
  const read = oneAtATime(async () => {
    try {
      value.value = await ask()
      problem.value = null
    } catch (error) {
      problem.value = error
    }
  })
  effect(() => {
    if (connected.value) readIfShown()
  })
  effect(() => {
    if (signedIn.value !== false) return
    value.value = null
    problem.value = null
  })
  return { value, problem, read, readIfShown }
}

function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  let isWantedAgain = false
  const run = async (): Promise<void> => {
    do {
      isWantedAgain = false
      await work()
    } while (isWantedAgain)
    running = null
  }
  return () => {
    if (running !== null) isWantedAgain = true
    return (running ??= run())
  }
}
