import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { prepareDataFolder } from '../../src/settings/data-folder.ts'
import { openSafeMode } from '../../src/gateway/safe-mode.ts'
import type { HomeEvent } from '../../src/home/model/events.ts'
import { DAY_MS } from '../../src/lib/durations.ts'
import { silentLog } from '../../src/lib/log.ts'
import { systemRandom } from '../../src/lib/random.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { canMount, SmallDisk } from '#support/faults/small-disk.ts'
import { hm } from '#support/gateway/cli.ts'
import { hmProcess } from '#support/gateway/hm-process.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { tempFolder } from '#support/temp-folder.ts'

interface Verdict {
  readonly state: string
  readonly reasons: readonly { readonly kind: string; readonly level: string; readonly what: string }[]
}

/** Exit code and kinds of the reasons; checks that the lines are the sentences of the reasons. */
async function checked(dataDir: string): Promise<readonly [code: number, ...kinds: string[]]> {
  const asJson = await hm(dataDir, 'status', '--check', '--json')
  const { state, reasons } = JSON.parse(asJson.out) as Verdict
  const lines = await hm(dataDir, 'status', '--check')
  expect([lines.code, lines.err]).toEqual([asJson.code, ''])
  // Free disk space may differ between two reads.
  const without = (text: string): string => text.replaceAll(/\d+/g, '#')
  expect(without(lines.out)).toBe(
    reasons.length === 0 ? 'well\n' : reasons.map(({ what }) => `${without(what)}\n`).join(''),
  )
  expect(['well', 'attention', 'broken'].indexOf(state)).toBe(asJson.code)
  return [asJson.code, ...reasons.map(({ kind }) => kind)]
}

let running: TestGateway
beforeAll(async () => {
  running = await TestGateway.open(ONE_UNIT)
})
afterAll(() => running[Symbol.asyncDispose]())

function nextEvent(kind: HomeEvent['kind']): Promise<void> {
  const { events } = running.gateway.home
  return running.hasten(
    new Promise((resolve) => {
      const stop = events.on((event) => {
        if (event.kind !== kind) return
        stop()
        resolve()
      })
    }),
  )
}

describe('hm status --check', () => {
  proves('operations.attention', 'is well without attention items', async () => {
    expect(await checked(running.dataDir)).toEqual([0])
  })

  proves('operations.attention', 'without a gateway is broken, with the next step', async () => {
    const nowhere = tempFolder()
    expect(await checked(nowhere)).toEqual([2, 'gateway'])
    expect((await hm(nowhere, 'status', '--check')).out).toMatch(/^No gateway runs on the data folder/)
  })

  proves(
    'operations.attention',
    'is unknown after a typing error, or without a data folder',
    { tags: ['long'] },
    async () => {
      const file = join(tempFolder(), 'file')
      writeFileSync(file, '')
      const verdictOf = async (dataDir: string) => {
        const { code, out } = await hm(dataDir, 'status', '--check', '--json')
        return [code, (JSON.parse(out) as Verdict).state]
      }
      expect(await verdictOf(join(file, '..', 'nowhere'))).toEqual([3, 'unknown'])
      expect(await verdictOf(file)).toEqual([3, 'unknown'])
      const [typed, misplaced] = await Promise.all([
        hmProcess(['status', '--chekc'], running.dataDir),
        hmProcess(['--data-dri', 'x', 'status', '--check'], running.dataDir),
      ])
      expect([typed.code, misplaced.code, typed.stdout + misplaced.stdout]).toEqual([3, 3, ''])
      expect(typed.stderr).toMatch(/^error: unknown option '--chekc'/)
    },
  )

  proves('operations.attention', 'needs attention for a silent unit, with its name', { tags: ['long'] }, async () => {
    const [unit] = [...running.gateway.home.house.units.values()]
    if (!unit) throw new Error('The home has no unit.')
    running.sim.silence(unit.address)
    await Promise.all([nextEvent('unit'), running.gateway.home.bus.ping(unit.address, 'person')])
    expect(await checked(running.dataDir)).toEqual([1, 'unit_silent'])
    expect((await hm(running.dataDir, 'status', '--check')).out).toMatch(new RegExp(`^${unit.name} does not answer`))
    running.sim.silence(unit.address, false)
    await Promise.all([nextEvent('unit'), running.gateway.home.bus.ping(unit.address, 'person')])
    expect(await checked(running.dataDir)).toEqual([0])
  })

  proves('operations.attention', 'is broken while the adapter is lost', async () => {
    const lost = nextEvent('link')
    running.sim.unplug()
    await lost
    expect(await checked(running.dataDir)).toEqual([2, 'line'])
    const back = nextEvent('link')
    running.sim.plug()
    await back
    await running.hasten(running.settled())
    expect(await checked(running.dataDir)).toEqual([0])
  })

  proves(
    'operations.attention',
    'needs attention after a restored configuration, until it is acknowledged',
    async () => {
      const { core, incidents } = running.gateway.stores
      core.change(() => incidents.add(running.clock.now(), 'The configuration was put back.'))
      expect(await checked(running.dataDir)).toEqual([1, 'incident'])
      await hm(running.dataDir, 'acknowledge')
      expect(await checked(running.dataDir)).toEqual([0])
    },
  )

  proves('operations.attention', 'of a gateway in safe mode is broken, with the reason', async () => {
    const dataDir = tempFolder()
    const hmhc = { kind: 'sim', units: null, seed: 1, speed: 1 } as const
    const settings = {
      port: 0,
      hmhc,
      rateLimit: null,
      logLevel: 'silent',
      console: 'on',
      setupCode: null,
      backupDir: null,
    } as const
    const safe = await openSafeMode({
      settings: { ...settings, host: '127.0.0.1', dataDir },
      folder: prepareDataFolder(dataDir),
      clock: new ManualClock(Date.now()),
      random: systemRandom,
      log: silentLog,
      failed: { count: 5, reason: 'The adapter is on fire.' },
    })
    try {
      expect(await checked(dataDir)).toEqual([2, 'gateway'])
      expect((await hm(dataDir, 'status', '--check')).out).toContain('The adapter is on fire.')
    } finally {
      await safe.stop()
    }
  })

  proves(
    'operations.attention',
    'needs attention for an untrusted clock, and a CA that expires soon',
    { tags: ['long'] },
    async () => {
      const dataDir = tempFolder()
      const first = await TestGateway.open({ ...ONE_UNIT, dataDir, settled: false })
      const { caUntil } = await first.admin.call<{ caUntil: string }>('GET', '/status')
      await first.stop()
      const later = new PassingClock(Date.parse(caUntil) - 60 * DAY_MS)
      await using again = await TestGateway.open({ ...ONE_UNIT, dataDir, clock: later })
      expect(await checked(again.dataDir)).toEqual([2, 'certificate', 'ca', 'clock'])
    },
  )

  proves('operations.attention', 'needs attention for an old backup', { tags: ['long'] }, async () => {
    const dataDir = tempFolder()
    await (await TestGateway.open({ ...ONE_UNIT, dataDir, settled: false })).stop()
    // The gateway makes no backup in the nights of this week.
    const clock = new ManualClock(Date.now())
    await using home = await TestGateway.open({ ...ONE_UNIT, dataDir, settled: false, clock })
    expect((await hm(dataDir, 'backup')).code).toBe(0)
    await home.stop()
    const later = new PassingClock(clock.now() + 7 * DAY_MS)
    await using again = await TestGateway.open({ ...ONE_UNIT, dataDir, clock: later })
    // The backup folder is read after the start.
    await expect.poll(() => checked(again.dataDir)).toEqual([1, 'clock', 'backup'])
  })

  proves('operations.attention', 'needs attention for an unreachable relay', { tags: ['long'] }, async () => {
    const dataDir = tempFolder()
    await (await TestGateway.open({ ...ONE_UNIT, dataDir, settled: false })).stop()
    const { relay } = prepareDataFolder(dataDir)
    mkdirSync(dirname(relay.settings), { recursive: true })
    writeFileSync(
      relay.settings,
      JSON.stringify({ url: 'https://127.0.0.1:1', ca: null, accounts: [], passthrough: 'off' }),
    )
    await using home = await TestGateway.open({ ...ONE_UNIT, dataDir })
    await expect.poll(() => checked(dataDir)).toEqual([1, 'relay'])
    expect(home.gateway.adminSocket).not.toBeNull()
  })
})

test.runIf(canMount)(
  'a disk that is full or accepts no writes is broken (mounting one needs root)',
  { tags: ['long'] },
  async () => {
    const disk = new SmallDisk(64 * 2 ** 20)
    const clock = new PassingClock()
    await using home = await TestGateway.open({ ...ONE_UNIT, dataDir: disk.dataDir, clock })
    disk.fill()
    await clock.pass(61_000)
    expect(await checked(home.dataDir)).toEqual([2, 'disk', 'history'])
    disk.empty()
    await home.stop()
    disk.readOnly(true)
    await using served = await TestGateway.open({ ...ONE_UNIT, dataDir: disk.dataDir })
    // Its socket file is in another folder, which is reported too.
    expect(await checked(served.dataDir)).toEqual([2, 'disk', 'socket'])
  },
)
