import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { type HomeFile, parsedHomeFile } from '../home/home-file.ts'
import type { Result } from '../lib/result.ts'

/** What is no longer is read in a few milliseconds, sooner than a thread begins. */
const HERE_CHARS_MAX = 16 * 1024

/** Reads the file of a home (`parsedHomeFile`), a long one in a thread of its own: nobody waits for it. */
export async function readLongFile(text: string, defaultZone: string): Promise<Result<HomeFile, string>> {
  if (text.length <= HERE_CHARS_MAX) return parsedHomeFile(text, defaultZone)
  const thread = new Worker(new URL('./home-file-thread.ts', import.meta.url), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    workerData: { text, defaultZone },
  })
  const ended = async (): Promise<never> => {
    await once(thread, 'exit')
    throw new Error('The thread that reads a home file has ended before its time.')
  }
  const [read] = await Promise.race([once(thread, 'message') as Promise<[Result<HomeFile, string>]>, ended()])
  return read
}
