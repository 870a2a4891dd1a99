import { setTimeout as pause } from 'node:timers/promises'
import { isFinal } from '@hm-gateway/client/src/follow.ts'
import { ConnectionError, HmError } from '@hm-gateway/client/src/error.ts'
import type { ClientContext } from './client-context.ts'
import { failureOf } from './failure.ts'

/** How long until it is tried again: doubled each time, up to the second. */
const FIRST_PAUSE_MS = 1_000
const PAUSE_MAX_MS = 30_000

/**
 * Asks until it is answered, for what is followed for long: a gateway that is away, starts or has too much to do is
 * asked again, which is said once.
 * @throws Failure for what stays refused, as a key that has ended, and where another CA answers
 */
export async function patiently<T>(context: ClientContext, ask: () => Promise<T>): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS, lost = false; ; lost = true) {
    try {
      const answer = await ask()
      if (lost) context.note('There again.')
      return answer
    } catch (error) {
      if (!isPassing(error)) throw failureOf(error)
      if (!lost) context.note(`${error.message} Trying again until it is there.`)
      const asked = error instanceof HmError ? (error.retryAfter ?? 0) * 1_000 : 0
      await pause(Math.max(pauseMs, asked))
      pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS)
    }
  }
}

const isPassing = (error: unknown): error is Error =>
  error instanceof ConnectionError || (error instanceof HmError && !isFinal(error))
