import { join } from 'node:path'
import { openHistory } from '../src/db/history/history-db.ts'
import { RAW_KEPT_MS } from '../src/db/history/reading-store.ts'
import { systemClock } from '../src/lib/clock.ts'
import { HOUR_MS } from '../src/lib/durations.ts'
import { nextTurn } from '../src/lib/next-turn.ts'
import { silentLog } from '../src/lib/log.ts'
import { systemRandom } from '../src/lib/random.ts'
import { type BenchGateway, startGateway } from './gateway.ts'
import { type Held, HeldLoop } from './held-loop.ts'
import { ALL_CORES } from './processes.ts'
import { atMost } from './report.ts'
import { scratch } from './scratch.ts'

const UNITS = 3_000
const HELD_MS_MAX = 50
const ROUNDS = 3
const OLD_READINGS = 400_000
const READINGS_AT_ONCE = 5_000
const SERIES = 24

/** Holds of the event loop by background work of a gateway in a home of 3,000 units. */
export async function benchHolds(): Promise<void> {
  // No load runs, so the threads have all cores, as in a home.
  const gateway = await startGateway(UNITS, 'plain', { core: ALL_CORES })
  try {
    await gateway.ask({ rest: true })
    await administered(gateway)
  } finally {
    await gateway.stop()
  }
  await upkeep()
}

async function administered(gateway: BenchGateway): Promise<void> {
  const held = async (work: string, ask: (round: number) => Promise<unknown>): Promise<void> => {
    const rounds: Held[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      await gateway.ask({ watch: true })
      await ask(round)
      rounds.push(await gateway.ask<Held>({ held: true }))
    }
    reportHolds(work, rounds)
  }
  await held('nothing but a status', () => gateway.administer('GET', '/status'))
  await held('a backup', () => gateway.administer('POST', '/backups', { history: false }))
  await held('a backup with history', () => gateway.administer('POST', '/backups', { history: true }))
  await held('an export of the house', () => gateway.administer('GET', '/house/file'))
  const { file } = await gateway.administer<{ file: string }>('GET', '/house/file')
  await held('a look at a house import', (round) =>
    gateway.administer('PUT', '/house/file', { file: renamed(file, `look ${round}`), check: true }),
  )
  await held('a house import', (round) =>
    gateway.administer('PUT', '/house/file', { file: renamed(file, `round ${round}`), check: false }),
  )
  await held('a house import that changes nothing', () =>
    gateway.administer('PUT', '/house/file', { file: renamed(file, `round ${ROUNDS - 1}`), check: false }),
  )
  await held('a renewal of the certificate', () => gateway.administer('POST', '/tls/renew', {}))
}

/** The home with another name for each unit. */
const renamed = (file: string, word: string): string => file.replaceAll(/^( {4}name: )(.+)$/gm, `$1${word} $2`)

/** Thins out old readings. */
async function upkeep(): Promise<void> {
  using folder = scratch()
  const history = openHistory({
    file: join(folder.path, 'history.db'),
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    bytesMax: 2 ** 31,
  })
  try {
    const old = systemClock.now() - RAW_KEPT_MS - HOUR_MS * 24 * 30
    for (let row = 0; row < OLD_READINGS; row += 1) {
      history.readings.record(`unit-${row % SERIES}`, 'temperature', old + row * 1_000, 20 + (row % 7))
      if (row % READINGS_AT_ONCE === 0) await history.activity.committed()
    }
    await history.activity.committed()
    const loop = new HeldLoop()
    loop.watch()
    // The upkeep of every minute, without pauses between its steps.
    while (history.upkeep.step(systemClock.now())) await nextTurn()
    const longest = loop.stop()
    if (history.readings.thin(systemClock.now()).moved > 0)
      throw new Error('the upkeep left readings that are too fine')
    reportHolds(`the upkeep of ${OLD_READINGS.toLocaleString('en')} old readings`, [longest])
  } finally {
    history.close()
  }
}

function reportHolds(work: string, rounds: readonly Held[]): void {
  const cpuMs = Math.max(...rounds.map((hold) => hold.cpuMs)).toFixed(1)
  const detail = `the longest of ${rounds.length}; ${cpuMs} ms of it by the processor`
  const longest = Math.max(...rounds.map(({ ms }) => ms))
  atMost(`loop held: ${work}`, longest, { most: HELD_MS_MAX, unit: 'ms', digits: 1, detail })
}
