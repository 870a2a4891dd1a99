import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { HouseShowAnswer, Integration } from '../admin-contract.ts'
import { connected, revision } from './home.ts'
import { onPushed } from './pushed.ts'
import { admin } from './session.ts'

/** All integrations with their credentials, as they were read last; null before. */
export const integrations = signal<readonly Integration[] | null>(null)
/** The home by local ids, as exposures name it; null before it was read. */
export const localHome = signal<HouseShowAnswer | null>(null)
/** Why they could not be read. */
export const accessProblem = signal<unknown>(null)

/** Reads integrations and credentials again. */
export const readAccess = oneAtATime(async () => {
  integrations.value = (await admin.call('get', '/admin/v1/integrations')).integrations
})

const readHome = oneAtATime(async () => {
  localHome.value = await admin.call('get', '/admin/v1/house')
})

/**
 * Keeps both right while a page shows them: they are read again when somebody changes them here, in another console or
 * by `bin/hm`, and with each status, because nobody tells when a credential was used last.
 */
export function useAccess(): void {
  const isConnected = connected.value
  const ofHome = revision.value
  useEffect(() => {
    if (isConnected) void readAccess()
    const stops = [onPushed('access', () => void readAccess()), onPushed('status', () => void readAccess())]
    return () => {
      for (const stop of stops) stop()
    }
  }, [isConnected])
  useEffect(() => void readHome(), [isConnected, ofHome])
}

/** Whoever asks while it works gets it done once more afterwards; all share one wait. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  let again = false
  const run = async (): Promise<void> => {
    try {
      do {
        again = false
        await work()
      } while (again)
      accessProblem.value = null
    } catch (error) {
      accessProblem.value = error
    } finally {
      running = null
    }
  }
  return () => {
    if (running !== null) again = true
    return (running ??= run())
  }
}
