import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/**
 * Copies a database in use to a new file, as a snapshot of one moment, in a thread of its own. Rejects with SQLite's
 * reason.
 */
export function copyDatabase(file: string, to: string): Promise<void> {
  return inThread(file, to)
}

/** Resolves if SQLite finds every page and index of the file sound; rejects with the damage found. */
export function checkDatabase(file: string): Promise<void> {
  return inThread(file, null)
}

async function inThread(file: string, to: string | null): Promise<void> {
  const thread = new Worker(new URL('copy-thread.mjs', import.meta.url), { execArgv: [], workerData: { file, to } })
  const [code] = (await once(thread, 'exit')) as [number]
  if (code !== 0) throw new Error('The copy thread ended early.')
}
