// @module-tag long
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { DEMO_PLAN } from '../../src/demo/demo-plan.ts'
import type { DeviceState } from '../../src/home/model/device.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { TestHome } from '#support/gateway/harness.ts'
import type { TestGatewayOptions } from '#support/gateway/test-gateway.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { tempFolder } from '#support/temp-folder.ts'

const run = promisify(execFile)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const jobFile = (name: string): string => join(PROJECT_ROOT, 'examples/jobs', `${name}.sh`)

/** A home with the simulated house, whose time the test lets pass. */
async function openHome(options: TestGatewayOptions = {}) {
  // Now, as curl checks the certificate by the machine's clock.
  const clock = new PassingClock(Date.now())
  const home = await TestHome.open('http', { ...options, clock })
  const { running, main } = home
  await home.change(main, { people: 'anyone', settings: { may_tell: 'on' } })
  const env = {
    ...process.env,
    HM_KEY: main.token,
    HM_URL: running.url,
    HM_CA: running.gateway.caFile,
    HM_DATA_DIR: running.dataDir,
  }
  return {
    home,
    clock,
    /** Runs a job as a person does; fails if the gateway refuses a request. */
    job: (name: string, ...args: readonly string[]) => run(jobFile(name), args, { env }),
    state: (device: string): DeviceState | null => running.gateway.home.live.states.get(device)?.state ?? null,
    /** Times at which a device is turned on from now on. */
    timesOn: (device: string): readonly number[] => {
      const times: number[] = []
      running.gateway.home.events.on((event) => {
        if (event.kind !== 'state' || event.device !== device || !event.changed) return
        const [before, after] = [event.previous, event.state].map((state) => (state as { on?: boolean } | null)?.on)
        if (after === true && before !== true) times.push(event.asOf)
      })
      return times
    },
    titles: async (): Promise<readonly string[]> => {
      const { messages } = await running.admin.call<{ messages: { title: string }[] }>('GET', '/messages')
      return messages.map(({ title }) => title)
    },
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  }
}

/** An entry of the activity about a run. */
interface Run {
  readonly at: number
  readonly cause: { readonly name: string }
}

/** Days of the heating test after its first. */
const DAYS = 5

/** An iCalendar file with whole days. */
function icalFile(dates: readonly string[]): string {
  const events = dates.flatMap((date) => [
    'BEGIN:VEVENT',
    `UID:${date}@example`,
    'DTSTAMP:20261101T000000Z',
    `DTSTART;VALUE=DATE:${date.replaceAll('-', '')}`,
    'SUMMARY:Holiday',
    'END:VEVENT',
  ])
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//EN', ...events, 'END:VCALENDAR', ''].join('\r\n')
}

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

const count = (titles: readonly string[], part: string): number => titles.filter((title) => title.includes(part)).length

describe('examples/jobs', () => {
  it('garage-left-open tells after ten minutes, and each half hour until the gate is closed', async () => {
    await using at = await openHome()
    const { home, clock } = at
    await at.job('garage-left-open')
    const send = (op: string) => home.call({ method: 'POST', path: home.at('driveway-gate', '/control'), body: { op } })
    expect(await send('open')).toMatchObject({ status: 200 })
    await clock.pass(9 * MINUTE)
    expect(count(await at.titles(), 'is still open.')).toBe(0)
    await clock.pass(2 * MINUTE)
    expect(count(await at.titles(), 'Driveway gate is still open.')).toBe(1)
    await clock.pass(HOUR)
    expect(count(await at.titles(), 'Driveway gate is still open.')).toBe(3)
    expect(await send('close')).toMatchObject({ status: 200 })
    await clock.pass(3 * HOUR)
    expect(count(await at.titles(), 'is still open.')).toBe(3)
  })

  it('washing-done tells once for each wash', async () => {
    await using at = await openHome()
    await at.job('washing-done')
    for (const washes of [1, 2]) {
      at.home.running.sim.house.startAppliance(38)
      await at.clock.pass(4 * HOUR)
      expect(count(await at.titles(), 'Washing machine is done.')).toBe(washes)
    }
  })

  it('guest-mode warms the shower room for three mornings, then the earlier mode is back', async () => {
    await using at = await openHome()
    const mode = async () => (await at.home.get('/v1/mode'))['mode']
    await at.job('guest-mode')
    expect(await mode()).toBe('guest')
    const mornings = at.timesOn('shower-heater')
    await at.clock.pass(5 * DAY)
    expect(mornings).toHaveLength(3)
    expect(await mode()).toBe('home')
  })

  it('vacation-lights are on at different minutes of four evenings', async () => {
    await using at = await openHome()
    await at.job('vacation-lights')
    await at.home.call({ method: 'PUT', path: '/v1/mode', body: { mode: 'vacation' } })
    const evenings = at.timesOn('living-lamp')
    await at.clock.pass(4 * DAY)
    const minutes = evenings.map((time) => Math.floor(time / MINUTE) % (24 * 60))
    console.log(`vacation lights: ${minutes.length} evenings, ${new Set(minutes).size} different minutes`)
    expect(minutes).toHaveLength(4)
    expect(new Set(minutes).size).toBeGreaterThan(1)
  })

  it('dusk-lights turn the lamp on only when somebody is home', async () => {
    await using at = await openHome()
    await at.job('dusk-lights')
    const { person } = await at.home.running.admin.call<{ person: { id: string } }>('POST', '/persons', {
      name: 'Anna',
    })
    const lit: boolean[] = []
    for (const is of ['away', 'home']) {
      await at.home.running.admin.call('PUT', `/persons/${person.id}/presence`, { is })
      await at.clock.pass(DAY)
      lit.push((at.state('living-lamp') as { on: boolean }).on)
    }
    expect(lit).toEqual([false, true])
  })

  it('heating-holidays heats on workdays except the holidays of the calendar', async () => {
    await using at = await openHome()
    const workdays = Array.from({ length: DAYS }, (_, day) => new Date(at.clock.now() + (day + 1) * DAY))
      .filter((date) => date.getUTCDay() % 6 !== 0)
      .map((date) => dateOf(date.getTime()))
    const holidays = workdays.slice(1, 3)
    const file = join(tempFolder(), 'holidays.ics')
    writeFileSync(file, icalFile(holidays))
    await at.job('heating-holidays', file)
    await at.clock.pass((DAYS + 1) * DAY)
    // The heater also heats by its own rule, so the runs of the schedule are counted.
    const { entries } = (await at.home.get('/v1/activity?kind=run&limit=200')) as { entries: Run[] }
    const heated = entries
      .filter(({ cause }) => cause.name === 'Warm bathroom on workdays')
      .map((run) => dateOf(run.at))
    const skipped = workdays.filter((date) => !heated.includes(date))
    console.log(`heating: ${heated.length} mornings, ${skipped.length} holidays skipped`)
    expect(skipped).toEqual(holidays)
  })

  it('replace-dimmer shows the places that the new unit cannot fill, and replaces after a yes', async () => {
    const SWITCH = {
      address: 120,
      model: 'HMHHX1',
      room: 'living-room',
      load: { kind: 'lamp', watts: 8, lux: 80 },
    } as const
    const plan = { ...DEMO_PLAN, units: [...DEMO_PLAN.units, SWITCH] }
    await using at = await openHome({ sim: { plan } })
    const replacing = spawn(jobFile('replace-dimmer'), ['living-lamp', '120'], {
      env: { ...process.env, HM_DATA_DIR: at.home.running.dataDir },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    let printed = ''
    replacing.stdout.on('data', (text) => (printed += String(text)))
    replacing.stdin.end('y\n')
    expect(await once(replacing, 'exit')).toEqual([0, null])
    expect(printed).toContain('set brightness to 30 %')
    expect((await at.home.get(at.home.at('living-lamp')))['device']).toMatchObject({ class: 'light_switch' })
  })

  it('move-home starts the home with its keys in another folder', async () => {
    const [from, to] = [tempFolder(), join(tempFolder(), 'new')]
    const ca = join(tempFolder(), 'ca.pem')
    const idsOf = async (gateway: GatewayProcess, token: string): Promise<readonly string[] | null> => {
      const headers = ['--header', `Authorization: Bearer ${token}`]
      const { stdout } = await run('curl', [
        '--silent',
        '--fail',
        '--cacert',
        ca,
        ...headers,
        `${gateway.url}/v1/house`,
      ])
      return stdout.match(/"id":"[^"]+"/g)
    }
    let token = ''
    let before: readonly string[] | null = null
    {
      await using old = await GatewayProcess.start({ dataDir: from })
      const { integration } = await old.admin.call<{ integration: { id: string } }>('POST', '/integrations', {
        name: 'Panel',
        expose: ['all'],
      })
      token = (await old.admin.call<{ token: string }>('POST', '/keys', { integration: integration.id })).token
      copyFileSync(join(from, 'tls/ca.pem'), ca)
      before = await idsOf(old, token)
      const { stdout } = await run(jobFile('move-home'), [from, to])
      expect(stdout).toContain(`HM_DATA_DIR=${to} npm start`)
    }
    await using moved = await GatewayProcess.start({ dataDir: to })
    expect(before?.length).toBeGreaterThan(50)
    expect(await idsOf(moved, token)).toEqual(before)
  })
})
