import { registerMap } from '../../../src/hmhc/registers/index.ts'
import { HmhcBus, type HmhcBusOptions } from '../../../src/hmhc/unit/hmhc-bus.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { SeededRandom } from '../../../src/sim/model/seeded-random.ts'

/** The gateway's own bus, an hour before Greenwich, in front of whatever `openPort` opens. */
export function hmhcBus(options: Pick<HmhcBusOptions, 'openPort' | 'clock'> & Partial<HmhcBusOptions>): HmhcBus {
  return new HmhcBus({
    random: new SeededRandom('bus'),
    log: silentLog,
    registers: registerMap,
    utcOffset: () => 60,
    ...options,
  })
}
