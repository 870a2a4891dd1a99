import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { localIdOf } from '../lib/page-paths.ts'
import { onAdminTopic } from './admin-topics.ts'
import { trackState } from './confirmed-states.ts'
import { connected, deviceOf } from './home.ts'
import { isAdministrator } from './own-session.ts'

/** An answer of the gateway for one page. */
export interface Resource<T> {
  /** The last answer; null before the first. */
  readonly value: T | null
  /** Error of the last request; null if it succeeded. */
  readonly error: unknown
  readonly reload: () => void
}

/** Loads when a page opens, after a reconnect, and when one of `keys` changes. */
export function useResource<T>(load: () => Promise<T>, ...keys: readonly unknown[]): Resource<T> {
  const value = useSignal<T | null>(null)
  const error = useSignal<unknown>(null)
  // A slow answer must not replace a newer one.
  const newest = useRef(0)
  const reload = (): void => {
    newest.current += 1
    const request = newest.current
    load().then(
      (answer) => {
        if (request !== newest.current) return
        value.value = answer
        error.value = null
      },
      (failure: unknown) => {
        if (request === newest.current) error.value = failure
      },
    )
  }
  useEffect(() => {
    if (connected.value) reload()
  }, [connected.value, ...keys])
  return { value: value.value, error: error.value, reload }
}

/**
 * A key for `useResource` that changes with each new activity entry of a device. Without the administrators' entries it
 * is the start of the device's state.
 */
export function useActivityCount(device: string): number {
  const count = useSignal(0)
  const current = isAdministrator.value ? null : deviceOf(device).value
  useEffect(() => {
    const id = localIdOf(device)
    return onAdminTopic('activity', ({ entries }) => {
      if (entries.some(({ subjectId }) => subjectId === id)) count.value += 1
    })
  }, [device])
  return current === null ? count.value : (trackState(current)?.at ?? 0)
}
