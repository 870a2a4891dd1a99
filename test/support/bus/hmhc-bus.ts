import { HmhcBus } from '../../../src/hmhc/unit/hmhc-bus.ts'
import type { ConnectionOptions } from '../../../src/hmhc/unit/unit-connection.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { SeededRandom } from '../../../src/sim/model/seeded-random.ts'

/** The gateway's own bus, one hour west of Greenwich, over the port that `openPort` opens. */
export function testBus(options: Pick<ConnectionOptions, 'openPort' | 'clock'> & Partial<ConnectionOptions>): HmhcBus {
  return new HmhcBus({
    random: new SeededRandom('bus'),
    log: silentLog,
    utcOffset: () => 60,
    ...options,
  })
}
