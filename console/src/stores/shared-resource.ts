import { effect, type Signal, signal } from '@preact/signals'
import { connected } from './home.ts'
import { signedIn } from './session.ts'

/** An answer of the gateway that pages share; it stays current while one of them shows it. */
export interface SharedResource<T> {
  /** The last answer; null before the first and after sign-out. */
  readonly value: Signal<T | null>
  /** Error of the last request; null if it succeeded. */
  readonly error: Signal<unknown>
  /** Reloads. A call during a running request causes one more request after it; all callers wait together. */
  readonly reload: () => Promise<void>
  /** Reloads if a page shows the value. */
  readonly reloadIfShown: () => void
}

/** Loads when a page shows the value and after a reconnect. The owner calls `reloadIfShown` on further events. */
export function sharedResource<T>(load: () => Promise<T>): SharedResource<T> {
  let isShown = false
  const reloadIfShown = (): void => {
    if (isShown && connected.peek()) void reload()
  }
  const error = signal<unknown>(null)
  const value = signal<T | null>(null, {
    watched: () => {
      isShown = true
      reloadIfShown()
    },
    unwatched: () => {
      isShown = false
    },
  })
  const reload = coalesced(async () => {
    try {
      value.value = await load()
      error.value = null
    } catch (failure) {
      error.value = failure
    }
  })
  effect(() => {
    if (connected.value) reloadIfShown()
  })
  effect(() => {
    if (signedIn.value !== false) return
    value.value = null
    error.value = null
  })
  return { value, error, reload, reloadIfShown }
}

/** Runs one request at a time and joins all calls during a run into one more run. */
function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  let mustRunAgain = false
  const run = async (): Promise<void> => {
    do {
      mustRunAgain = false
      await work()
    } while (mustRunAgain)
    running = null
  }
  return () => {
    if (running !== null) mustRunAgain = true
    return (running ??= run())
  }
}
