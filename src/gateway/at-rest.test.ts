import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { type Port, PortListeners } from '../hmhc/port/port.ts'
import { silentLog } from '../lib/log.ts'
import { systemRandom } from '../lib/random.ts'
import { fail } from '../lib/result.ts'
import { prepareDataFolder } from '../settings/data-folder.ts'
import { readSettings } from '../settings/settings.ts'
import { openGateway } from './gateway.ts'
import { simulatedHome } from './simulated-home.ts'

const MINUTE_MS = 60_000

/** Counts the moments at which timers run: each wakes a resting process. */
class WakingClock extends ManualClock {
  readonly moments = new Set<number>()

  override after(delayMs: number, run: () => void): () => void {
    return super.after(delayMs, () => {
      this.moments.add(this.monotonic())
      run()
    })
  }
}

/** Wakeups a second of the demo home, in the ten minutes after its first fifteen. */
async function wakeupsPerSecond(openPort?: () => Port): Promise<number> {
  const dataDir = tempFolder()
  const clock = new WakingClock()
  const hmhc = { kind: 'sim', units: null, seed: 1, speed: 1 } as const
  const line = simulatedHome(hmhc, clock, 'Europe/Berlin')
  const gateway = await openGateway({
    settings: { ...readSettings({ HM_HOST: '127.0.0.1', HM_LOG_LEVEL: 'silent' }, []), dataDir, port: 0 },
    folder: prepareDataFolder(dataDir),
    ...{ clock, random: systemRandom, log: silentLog, openPort: openPort ?? line.openPort },
    newHome: { house: line.newHome.house, rules: line.newHome.rules, integration: null, past: null },
    defaultZone: 'Europe/Berlin',
    announce: false,
  })
  await clock.advanceAsync(15 * MINUTE_MS)
  clock.moments.clear()
  await clock.advanceAsync(10 * MINUTE_MS)
  await gateway.stop()
  return clock.moments.size / 600
}

test('a home at rest wakes for its simulated adapter, and for all other work together once a second', async () => {
  const missing = (): Port => ({
    open: () => Promise.resolve(fail('no such device')),
    write: () => {},
    close: () => {},
    listeners: new PortListeners(),
  })
  expect(await wakeupsPerSecond(missing)).toBeLessThan(1.5)
  expect(await wakeupsPerSecond()).toBeLessThan(9)
})
