import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { type HomeFile, parsedHomeFile } from '../home/home-file.ts'
import type { Result } from '../lib/result.ts'

/** Shorter files take a few milliseconds, less than the start of a thread. */
const HERE_CHARS_MAX = 16 * 1024

/** Reads the file of a home (`parsedHomeFile`); a long one in its own thread, so that nothing blocks. */
export async function readLongFile(text: string, defaultZone: string): Promise<Result<HomeFile, string>> {
  if (text.length <= HERE_CHARS_MAX) return parsedHomeFile(text, defaultZone)
  const thread = new Worker(new URL('./home-file-thread.ts', import.meta.url), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    workerData: { text, defaultZone },
  })
  const ended = async (): Promise<never> => {
    await once(thread, 'exit')
    throw new Error('The thread for a home file ended early.')
  }
  const [read] = await Promise.race([once(thread, 'message') as Promise<[Result<HomeFile, string>]>, ended()])
  return read
}
