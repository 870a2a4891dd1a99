import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Number of devices of the peer's home. */
export const DEVICES = Number(process.argv[3])

/** First message of a host: the facts about its peer, or the reason why it did not start. */
export type Hosted<Facts> = Facts | { readonly failed: string }

/** Loads a package from the peer's folder. */
export type Take = (name: string) => unknown

/** Longer than the slowest start, which interviews all devices. */
const START_WAIT_MS = 90_000

/**
 * Runs one peer in this process until the benchmark disconnects. The arguments of the process are the folder of its
 * packages and the number of devices. `start` also gets a temporary folder.
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
