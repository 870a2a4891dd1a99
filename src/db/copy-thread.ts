import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/**
 * Copies a database that is in use to a file that is not there yet, as it is at one moment, in a thread of its own:
 * nobody waits for it. Rejects with SQLite's reason.
 */
export function copyDatabase(file: string, to: string): Promise<void> {
  return inThread(file, to)
}

/** Resolves where SQLite finds nothing wrong with any page and index of the file; rejects with what it found. */
export function checkDatabase(file: string): Promise<void> {
  return inThread(file, null)
}

async function inThread(file: string, to: string | null): Promise<void> {
  const thread = new Worker(new URL('copy-thread.mjs', import.meta.url), { execArgv: [], workerData: { file, to } })
  const [code] = (await once(thread, 'exit')) as [number]
  if (code !== 0) throw new Error('The thread of the copies has ended before its time.')
}
