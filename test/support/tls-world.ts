import { join } from 'node:path'
import { systemRandom } from '../../src/lib/random.ts'
import { openTls } from '../../src/tls/tls.ts'
import type { GatewayTls, TlsChange } from '../../src/tls/tls.ts'
import type { Log } from '../../src/lib/log.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { type RecordingLog, recordingLog } from '#support/recording-log.ts'
import { tempFolder } from '#support/temp-folder.ts'

export const HOUR = 3_600_000
export const DAY = 24 * HOUR
export const RELEASED = Date.UTC(2026, 10, 1)
export const START = Date.UTC(2027, 0, 1)

/** A folder for certificates, and the collaborators of the certificate code. */
export interface TlsWorld {
  dir: string
  clock: ManualClock
  log: RecordingLog
  addresses: string[]
  changes: TlsChange[]
  open: () => Promise<GatewayTls>
}

export function world(start = START): TlsWorld {
  const at: TlsWorld = {
    dir: join(tempFolder(), 'tls'),
    clock: new ManualClock(start),
    log: recordingLog(),
    addresses: ['192.168.1.20'],
    changes: [],
    open: async () => {
      const log: Log = at.log
      const tls = await openTls({
        dir: at.dir,
        serial: 'AB12',
        addresses: () => at.addresses,
        clock: at.clock,
        random: systemRandom,
        log,
        releasedAt: RELEASED,
      })
      tls.onChange((change) => at.changes.push(change))
      return tls
    },
  }
  return at
}

/** Lets time pass as in a running gateway. `checkAddresses` at the end waits for the checks that have begun. */
export async function pass(clock: ManualClock, tls: GatewayTls, ms: number): Promise<void> {
  await clock.advanceAsync(ms)
  await tls.checkAddresses()
}
