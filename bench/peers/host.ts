import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Devices in every peer's home, as many as the gateway beside it has. */
export const DEVICES = 30

/** What a host says first: where its peer listens and how it is asked, or why it could not be started. */
export type Hosted<Facts> = Facts | { readonly failed: string }

/** Takes a package of the folder that the peer was installed into. */
export type Take = (name: string) => unknown

/** Longer than the slowest peer's start, which is an interview of all its devices. */
const START_WAIT_MS = 90_000

/**
 * Runs one peer in this process until the benchmark lets go of it. The argument of the process is the folder of its
 * packages; `start` also gets a folder that is removed at the end.
 */
export async function host<Facts>(start: (take: Take, scratch: string) => Promise<Facts>): Promise<void> {
  const require = createRequire(join(process.argv[2] ?? '.', 'package.json'))
  const scratch = mkdtempSync(join(tmpdir(), 'hm-peer-'))
  process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
  process.on('SIGTERM', () => process.exit(0)).on('disconnect', () => process.exit(0))
  const say = (hosted: Hosted<Facts>): void => void process.send?.(hosted)
  const late = setTimeout(() => say({ failed: `it was not ready within ${START_WAIT_MS / 1000} s` }), START_WAIT_MS)
  try {
    say(await start((name) => require(name) as unknown, scratch))
  } catch (error) {
    say({ failed: error instanceof Error ? error.message : String(error) })
  }
  clearTimeout(late)
}
