import { TrustError } from './error.ts'
import type { Timing } from './transport.ts'

/** Delay before the next address is tried beside the first. */
export const NEXT_AFTER_MS = 250

/**
 * The first success among the places. The next place is tried when the previous one has failed or after
 * `NEXT_AFTER_MS`; earlier attempts go on meanwhile. The first success aborts all others, and so does `signal`.
 * @throws when all attempts have failed: a TrustError if there is one, otherwise the first failure
 */
export async function firstOf<P, R>(
  places: readonly P[],
  attempt: (place: P, signal: AbortSignal) => Promise<R>,
  { timing, signal }: { timing: Timing; signal: AbortSignal | undefined },
): Promise<R> {
  signal?.throwIfAborted()
  if (places.length === 0) throw new Error('There is no address.')
  const decided = new AbortController()
  const ending = signal ? AbortSignal.any([decided.signal, signal]) : decided.signal
  const failures: unknown[] = []
  const left = [...places]
  let callOff = (): void => {}
  try {
    return await new Promise<R>((resolve, reject) => {
      const failed = (error: unknown): void => {
        failures.push(error)
        if (failures.length === places.length) reject(gravest(failures))
        else next()
      }
      const next = (): void => {
        callOff()
        const place = left.shift()
        if (place === undefined || ending.aborted) return
        if (left.length > 0) callOff = timing.after(NEXT_AFTER_MS, next)
        attempt(place, ending).then(resolve, failed)
      }
      ending.addEventListener('abort', () => reject(ending.reason as Error))
      next()
    })
  } finally {
    callOff()
    decided.abort()
  }
}

const gravest = (failures: readonly unknown[]): Error =>
  (failures.find((failure) => failure instanceof TrustError) ?? failures[0]) as Error
