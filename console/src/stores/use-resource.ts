import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { localIdOf } from '../lib/addresses.ts'
import { connected } from './home.ts'
import { onPushed } from './pushed.ts'

/** Something that a page reads from the gateway. */
export interface Reading<T> {
  /** What was read last; null before. */
  readonly value: T | null
  /** Why it could not be read. */
  readonly error: unknown
  readonly again: () => void
}

/** Reads when a page opens, after a break of the connection, and whenever one of `keys` is another than before. */
export function useReading<T>(read: () => Promise<T>, ...keys: readonly unknown[]): Reading<T> {
  const value = useSignal<T | null>(null)
  const error = useSignal<unknown>(null)
  // An older answer that comes later says nothing any more.
  const newest = useRef(0)
  const again = (): void => {
    newest.current += 1
    const own = newest.current
    read().then(
      (fresh) => {
        if (own !== newest.current) return
        value.value = fresh
        error.value = null
      },
      (problem: unknown) => {
        if (own === newest.current) error.value = problem
      },
    )
  }
  useEffect(() => {
    if (connected.value) again()
  }, [connected.value, ...keys])
  return { value: value.value, error: error.value, again }
}

/** Grows with each thing that happens to a device: who shows what happened reads it again then. */
export function useHappened(device: string): number {
  const count = useSignal(0)
  useEffect(() => {
    const id = localIdOf(device)
    return onPushed('activity', ({ entries }) => {
      if (entries.some(({ subjectId }) => subjectId === id)) count.value += 1
    })
  }, [device])
  return count.value
}
