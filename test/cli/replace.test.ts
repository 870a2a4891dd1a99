import { describe, expect } from 'vitest'
import { parse, stringify } from 'yaml'
import { DEMO_PLAN } from '../../src/demo/demo-plan.ts'
import type { UnitPlan } from '../../src/sim/model/house-plan.ts'
import { hm } from '#support/gateway/cli.ts'
import { type TestHome, verifiesAlone } from '#support/gateway/harness.ts'
import { HomeCommands } from '#support/gateway/home-commands.ts'
import { power, RuleCalls, type RuleObject } from '#support/gateway/rule-calls.ts'
import { awaitState } from '#support/gateway/await-home.ts'

const lamp = { kind: 'lamp', watts: 8, lux: 80 } as const
const gang = (number: number) => ({ gang: number, kind: 'switch', room: 'kitchen', load: lamp }) as const
const SWITCH: UnitPlan = { address: 120, model: 'HMHHX1', room: 'living-room', load: lamp }
const PANEL: UnitPlan = { address: 121, model: 'HMHHX2', room: 'kitchen', gangs: [gang(0), gang(1)] }
const DIMMER: UnitPlan = { address: 122, model: 'HMHH', room: 'living-room', load: lamp }
const SENSOR: UnitPlan = { address: 124, model: 'HMSE', room: 'living-room' }
const LOCK: UnitPlan = { address: 125, model: 'HMLK', room: 'hall' }
const SOCKET: UnitPlan = { address: 126, model: 'HMSH', room: 'kitchen' }
const BIGGER: UnitPlan = { address: 127, model: 'HMHHX3', room: 'kitchen', gangs: [gang(0), gang(1), gang(2)] }
const POWER: UnitPlan = { address: 128, model: 'HMPH', room: 'living-room', load: lamp }
const CONTACT: UnitPlan = { address: 129, model: 'HMSE', room: 'landing', measures: ['door', 'temperature', 'battery'] }
const FOUND = [CONTACT, BIGGER, POWER, SWITCH, PANEL, DIMMER, SENSOR, LOCK, SOCKET]
const LAMP = 'living-lamp'

const verifies = verifiesAlone(() => ({ sim: { plan: { ...DEMO_PLAN, units: [...DEMO_PLAN.units, ...FOUND] } } }))

interface Place {
  readonly kind: string
  readonly id: string
  readonly part: string
  readonly what: string
  readonly problem: string
  readonly proposal: string
  readonly becomes: string | null
}
interface Replacement {
  readonly dryRun: boolean
  readonly revision: string
  readonly units: readonly { readonly id: string; readonly after: { readonly address: number } }[]
  readonly places: readonly Place[]
  readonly settings: readonly { readonly device: string; readonly intent: string; readonly what: string }[]
}

const local = ({ id }: RuleObject): string => id.split(':').at(-1) ?? ''

/** Removes the scenes of the demo house: the tests make their own. */
async function withoutScenes(home: TestHome): Promise<void> {
  const { file } = await home.running.admin.call<{ file: string }>('GET', '/house/file')
  const content = parse(file) as Record<string, unknown>
  await home.running.admin.call('PUT', '/house/file', {
    file: stringify({ ...content, scenes: [] }),
    yes: true,
  })
}

function calls(home: TestHome) {
  return {
    scenes: new RuleCalls(home, 'scene'),
    automations: new RuleCalls(home, 'automation'),
    schedules: new RuleCalls(home, 'schedule'),
  }
}

const dim = (home: TestHome, bri: number) => ({ device: home.id(LAMP), op: 'set_brightness', args: { bri } })
const level = (home: TestHome, test: object) => ({ device: home.id(LAMP), state: 'bri', ...test })

/** Scenes and rules with 12 places that a switch cannot take, and a few that it can. */
async function twelvePlaces(home: TestHome) {
  const { scenes, automations, schedules } = calls(home)
  const fits = power(home, LAMP, true)
  const door = { device: home.id('terrace-door'), detection: 'door' }
  return {
    evening: await scenes.create({ name: 'Evening', steps: [fits, dim(home, 40), dim(home, 0)] }),
    reading: await scenes.create({ name: 'Reading', steps: [dim(home, 70)] }),
    bright: await automations.create({
      name: 'Bright',
      when: [level(home, { above: 50, for: 60 })],
      then: [dim(home, 30)],
    }),
    door: await automations.create({
      name: 'Door',
      when: [door],
      if: [level(home, { below: 20 })],
      then: [fits],
    }),
    dark: await automations.create({
      name: 'Dark',
      when: [level(home, { is: 0 }), level(home, { above: 5, below: 60 })],
      then: [dim(home, 80), fits],
    }),
    wake: await schedules.create({ name: 'Wake', at: { time: '07:00' }, then: [dim(home, 30), dim(home, 100)] }),
    sleep: await schedules.create({ name: 'Sleep', at: { time: '23:00' }, then: [dim(home, 10)] }),
    other: await scenes.create({ name: 'Other', steps: [power(home, 'study-light', true)] }),
  }
}

/** An agent that has asked to open the front door, by itself and by a scene. */
async function openingAsked(home: TestHome, scene?: string) {
  const integration = await home.integrate({ settings: { agent_access: 'on', allow_unlock: 'on' } })
  const { token } = await home.running.admin.call<{ token: string }>('POST', '/agents', {
    integration: integration.id,
    name: 'Claude',
    platform: 'Test',
    session: false,
  })
  const send = (device: string, op: string) =>
    home.call({ method: 'POST', path: home.at(device, '/control', integration), token, body: { op } })
  const run = () => send(`scene:${scene}`, 'run')
  const calls = [await send('front-door', 'open'), ...(scene === undefined ? [] : [await run()])]
  for (const call of calls)
    expect(call).toMatchObject({ status: 403, body: { error: { code: 'confirmation_required' } } })
  const pending = await home.running.admin.call<{ confirmations: { id: string }[] }>('GET', '/confirmations')
  return { ...pending, run }
}

/** Puts another unit at the address of a unit of the house, and waits until the gateway notices. */
async function anotherAt(home: TestHome, unit: string, plan: UnitPlan): Promise<void> {
  const found = new Promise<void>((resolve) => {
    const stop = home.running.gateway.home.events.on((event) => {
      if (event.kind !== 'rebound' || event.unit !== unit) return
      stop()
      resolve()
    })
  })
  home.running.sim.install(plan)
  await home.running.hasten(found)
}

/** Resolves once the settings of these devices were read. */
async function known(home: TestHome, ...devices: readonly string[]): Promise<void> {
  const { settings } = home.running.gateway.home
  const unread = () => devices.filter((device) => settings.get(device).size === 0)
  await home.running.hasten(
    (async () => {
      await expect.poll(unread, { timeout: 10_000 }).toEqual([])
    })(),
  )
}

async function whatHappened(home: TestHome, device: string): Promise<readonly string[]> {
  const { entries } = (await home.get(`/v1/activity?device=${encodeURIComponent(home.id(device))}`)) as {
    entries: { what: string }[]
  }
  return entries.map(({ what }) => what)
}

/** Activity entries of edits, newest first. */
async function edits(home: TestHome): Promise<readonly string[]> {
  const { entries } = (await home.get('/v1/activity?kind=edited')) as { entries: { what: string }[] }
  return entries.map(({ what }) => what)
}

/** The counter that a unit reports, as it arrives over the line. */
async function report(home: TestHome, address: number, energyWh: number): Promise<void> {
  const arrived = new Promise<void>((resolve) => {
    const stop = home.running.gateway.home.events.on((event) => {
      if (event.kind !== 'energy' || event.energyWh !== energyWh) return
      stop()
      resolve()
    })
  })
  home.running.sim.house.unit(address)?.report({ kind: 'energy', address, gang: null, energyWh, powerW: 0 })
  await home.running.hasten(arrived)
}

describe('hm house replace', () => {
  verifies(
    'administration.replace',
    'lists the 12 places of a dimmer that a switch cannot fill, and changes them',
    async (home) => {
      await withoutScenes(home)
      const made = await twelvePlaces(home)
      const commands = new HomeCommands(home)
      const before = await commands.output('house', 'export')

      const preview = await commands.answer<Replacement>('house', 'replace', LAMP, '120', '--dry-run')
      expect(preview.places).toHaveLength(12)
      expect(preview.places.filter(({ proposal }) => proposal === 'change')).toHaveLength(12)
      expect(preview.places[0]).toMatchObject({
        kind: 'scene',
        id: local(made.evening),
        part: 'steps',
        position: 1,
        what: 'Floor lamp: set brightness to 40 %',
        becomes: 'Floor lamp: turn on',
      })
      const text = await commands.output('house', 'replace', LAMP, '120', '--dry-run')
      expect(text).toContain(
        'living-lamp: light_dimmer HMHH at address 22 would become light_switch HMHHX1 at address 120.',
      )
      expect(text).toContain('12 places do not fit:')
      expect(text).toMatch(
        /scene Evening \(\w+\), step 3 +Floor lamp: set brightness to 0 % +-> Floor lamp: turn off\n/,
      )
      expect(text).toMatch(/automation Door \(\w+\), condition 1 +Floor lamp: .* +-> Floor lamp: power is off\n/)
      expect(await commands.output('house', 'export')).toBe(before)

      // Without a terminal for the question, a change needs the flag.
      expect(await commands.sentence('house', 'replace', LAMP, '120')).toBe(
        '12 places no longer fit: list them with --dry-run, then change them with --yes.',
      )
      expect(await commands.output('house', 'export')).toBe(before)

      // An agreement to an outdated list has no effect.
      const agreed = { unit: LAMP, address: 120, ifRevision: preview.revision }
      const late = await calls(home).scenes.create({ name: 'Late', steps: [dim(home, 15)] })
      await expect(home.running.admin.call('POST', '/house/replace', agreed)).rejects.toThrow('changed meanwhile')
      await calls(home).scenes.edit(late.id, { ifRevision: 1, steps: [] })
      const { live, events } = home.running.gateway.home
      const states: unknown[] = []
      const stop = events.on((event) => {
        if (event.kind === 'structure') states.push(live.states.get(LAMP) ?? null)
        // The old unit may still report before it is replaced.
        const isReplaced = states.length > 0
        if (isReplaced && event.kind === 'state' && event.device === LAMP) states.push(event.state, event.previous)
      })
      const editsBefore = await edits(home)
      const done = await commands.answer<Replacement>('house', 'replace', LAMP, '120', '--yes')
      expect({ ...done, dryRun: true }).toEqual(preview)
      expect(await edits(home)).toEqual(['replaced', ...editsBefore])

      const { scenes, automations, schedules } = calls(home)
      const [on, off] = [power(home, LAMP, true), power(home, LAMP, false)]
      expect(await scenes.get(made.evening.id)).toMatchObject({ revision: 2, steps: [on, on, off] })
      expect(await scenes.get(made.other.id)).toMatchObject({ revision: 1 })
      expect(await automations.get(made.bright.id)).toMatchObject({
        revision: 2,
        enabled: true,
        when: [{ device: home.id(LAMP), state: 'on', is: true, for: 60 }],
        then: [on],
      })
      expect(await automations.get(made.dark.id)).toMatchObject({
        when: [
          { state: 'on', is: false },
          { state: 'on', is: true },
        ],
      })
      expect(await schedules.get(made.wake.id)).toMatchObject({ revision: 2, then: [on, on] })
      const stale = await automations.send('PATCH', made.bright.id, { name: 'Bright', ifRevision: 1 })
      expect(stale.status).toBe(409)

      expect(await awaitState(home, LAMP, (state) => !('bri' in state))).toMatchObject({ on: false })
      stop()
      // The output comes after the first read of the new unit.
      expect(states.slice(0, 3)).toEqual([null, { on: false, mode: expect.any(String) }, null])
      expect(JSON.stringify(states)).not.toContain('bri')
      const control = { method: 'POST', path: home.at(LAMP, '/control'), body: { op: 'set_power', args: { on: true } } }
      expect((await home.call(control)).body).toMatchObject({ state: { on: true } })
      expect(home.running.sim.counters.units.get(120)?.commands).toBeGreaterThan(0)

      // The present house can be exported and imported without --yes.
      const file = await commands.output('house', 'export')
      await home.running.admin.call('PUT', '/house/file', { file })
      expect(await commands.output('house', 'export')).toBe(file)
      expect(await commands.sentence('house', 'replace', LAMP, '120')).toBe(
        'living-lamp is already the unit at address 120, and its description matches the bus.',
      )
    },
  )

  verifies(
    'administration.replace',
    'a module by one with fewer gangs: steps and conditions with a removed gang are removed',
    { tags: ['long'] },
    async (home) => {
      await withoutScenes(home)
      const { scenes, automations } = calls(home)
      const removedGang = home.id('entrance-panel:2')
      const motion = { device: home.id('landing-sensor'), detection: 'motion' }
      const remainingStep = power(home, 'entrance-panel:0', true)
      const both = await scenes.create({ name: 'Both', steps: [power(home, 'entrance-panel:2', true), remainingStep] })
      const made = {
        trigger: await automations.create({
          name: 'Trigger',
          when: [motion, { device: removedGang, state: 'on', is: true }],
          then: [remainingStep],
        }),
        condition: await automations.create({
          name: 'Condition',
          when: [motion],
          if: [{ device: removedGang, state: 'on', is: true }],
          then: [remainingStep],
        }),
        nothing: await automations.create({
          name: 'Nothing',
          when: [motion],
          then: [power(home, 'entrance-panel:2', true)],
        }),
        waits: await automations.create({
          name: 'Waits',
          when: [motion],
          then: [power(home, 'entrance-panel:2', true), { delay: 180 }, power(home, 'entrance-panel:2', false)],
        }),
      }
      const waiting = await scenes.create({
        name: 'Waiting',
        steps: [{ delay: 180 }, power(home, 'entrance-panel:2', false)],
      })
      const part = await home.integrate({ name: 'Part', expose: ['gang:entrance-panel:0', 'gang:entrance-panel:2'] })
      await home.running.admin.call('POST', '/house/place', {
        unit: 'entrance-panel',
        gangs: [{ gang: 2, light: true }],
      })

      const commands = new HomeCommands(home)
      const text = await commands.output('house', 'replace', 'entrance-panel', '121', '--dry-run')
      for (const line of [
        /scene Both \(\w+\), step 1 .* leave the step out\n/,
        /automation Trigger \(\w+\), trigger 2 .* leave the trigger out\n/,
        /automation Condition \(\w+\), condition 1 .* leave the condition out and turn the automation off\n/,
        /automation Nothing \(\w+\), step 1 .* delete the automation: no step of it is left that does something\n/,
        /automation Waits \(\w+\), step 1 .* delete the automation: no step of it is left that does something\n/,
        /scene Waiting \(\w+\), step 2 .* leave the step out\n/,
        /unit .* \(entrance-panel\), light +feeds a lamp +leave the light out\n/,
        /integration Part \([\w-]+\), exposure +exposes gang:entrance-panel:2 +leave the exposure out\n/,
      ])
        expect(text).toMatch(line)
      await commands.output('house', 'replace', 'entrance-panel', '121', '--yes')

      expect(await scenes.get(both.id)).toMatchObject({ revision: 2, steps: [remainingStep] })
      expect(await automations.get(made.trigger.id)).toMatchObject({ enabled: true, when: [motion] })
      expect(await automations.get(made.condition.id)).toMatchObject({ enabled: false, if: [] })
      expect((await automations.send('GET', made.nothing.id)).status).toBe(404)
      expect((await automations.send('GET', made.waits.id)).status).toBe(404)
      expect(await scenes.get(waiting.id)).toMatchObject({ revision: 2, steps: [] })
      const { integrations } = await home.running.admin.call<{ integrations: { id: string; expose: string[] }[] }>(
        'GET',
        '/integrations',
      )
      expect(integrations.find(({ id }) => id === part.id)?.expose).toEqual(['gang:entrance-panel:0'])
      expect((await home.call({ method: 'GET', path: home.at('entrance-panel:2') })).status).toBe(404)
      expect(await awaitState(home, 'entrance-panel:1', () => true)).toMatchObject({ on: false })
      const file = await commands.output('house', 'export')
      await home.running.admin.call('PUT', '/house/file', { file })
      expect(await commands.output('house', 'export')).toBe(file)
    },
  )

  verifies(
    'administration.replace',
    'the same model: everything fits, and the new unit takes the old settings',
    { tags: ['long'] },
    async (home) => {
      const { settings } = home.running.gateway.home
      const path = home.at(LAMP, '/intents/turn_on_brightness')
      expect((await home.call({ method: 'PUT', path, body: { value: 37 } })).status).toBe(200)
      const commands = new HomeCommands(home)
      const done = await commands.answer<Replacement>('house', 'replace', LAMP, '122')
      expect(done.places).toEqual([])
      expect(done.settings).toContainEqual({
        device: LAMP,
        intent: 'turn_on_brightness',
        what: 'brightness when turned on set to 37 %',
      })
      const held = new Promise<void>((resolve) => {
        const stop = home.running.gateway.home.events.on((event) => {
          if (event.kind !== 'settings' || event.device !== LAMP || event.values['turn_on_brightness'] !== 37) return
          stop()
          resolve()
        })
      })
      await home.running.hasten(held)
      expect(settings.get(LAMP).get('turn_on_brightness')?.value).toBe(37)
      expect(home.running.sim.house.unit(122)?.settings.value('turn_on_brightness')).toBe(37)
      expect(await whatHappened(home, LAMP)).toContain('brightness when turned on set to 37 %')
    },
  )

  verifies(
    'administration.replace',
    'the activity reports a setting that the new unit refused',
    { tags: ['long'] },
    async (home) => {
      const path = home.at(LAMP, '/intents/turn_on_brightness')
      expect((await home.call({ method: 'PUT', path, body: { value: 37 } })).status).toBe(200)
      const stop = home.running.gateway.home.events.on(({ kind }) => {
        if (kind === 'structure') home.running.sim.cutMains([122])
      })
      await new HomeCommands(home).output('house', 'replace', LAMP, '122')
      stop()
      await expect
        .poll(() => whatHappened(home, LAMP))
        .toContain('brightness when turned on set to 37 % failed: the unit does not answer')
    },
  )

  verifies(
    'administration.replace-settings',
    'a shutter gang by a lamp gang: only lamp gangs take the settings that people chose',
    { tags: ['long'] },
    async (home) => {
      await known(home, 'kitchen-panel', 'kitchen-panel:0', 'kitchen-panel:1', 'kitchen-panel:2')
      const commands = new HomeCommands(home)
      const done = await commands.answer<Replacement>('house', 'replace', 'kitchen-panel', '127', '--yes')
      const chosen = ['led_mode', 'off_after_no_motion', 'quick_off', 'only_when_dark']
      expect(done.settings.map(({ device, intent }) => `${device} ${intent}`)).toEqual(
        [0, 1].flatMap((number) => chosen.map((intent) => `kitchen-panel:${number} ${intent}`)),
      )
      // The list has only settings that the new unit accepts.
      const entries = async () => [
        ...(await whatHappened(home, 'kitchen-panel:0')),
        ...(await whatHappened(home, 'kitchen-panel:1')),
      ]
      await home.running.hasten(
        (async () => {
          await expect
            .poll(entries, { timeout: 10_000 })
            .toEqual(expect.arrayContaining(done.settings.map(({ what }) => what)))
        })(),
      )
      expect((await entries()).filter((what) => what.includes('failed'))).toEqual([])
    },
  )

  verifies('administration.replace-settings', 'a lamp by a power load takes no settings', async (home) => {
    await known(home, LAMP, 'washing-machine')
    const commands = new HomeCommands(home)
    const preview = await commands.answer<Replacement>('house', 'replace', LAMP, '128', '--dry-run')
    expect(preview).toMatchObject({ settings: [], units: [{ settingsKnown: true }] })
    const back = await commands.answer<Replacement>('house', 'replace', 'washing-machine', '120', '--dry-run')
    expect(back).toMatchObject({ settings: [], units: [{ settingsKnown: true }] })
  })

  verifies(
    'administration.replace-settings',
    'another model at the same address: its settings are not mistaken for the old ones',
    { tags: ['long'] },
    async (home) => {
      await known(home, LAMP)
      await anotherAt(home, LAMP, { ...SWITCH, address: 22, registers: { led_mode: 2 } })
      await known(home, LAMP)
      const commands = new HomeCommands(home)
      const preview = await commands.answer<Replacement>('house', 'replace', LAMP, '22', '--dry-run')
      expect(preview).toMatchObject({ settings: [], units: [{ settingsKnown: false }] })
      const elsewhere = await commands.answer<Replacement>('house', 'replace', LAMP, '122', '--dry-run')
      expect(elsewhere).toMatchObject({ settings: [], units: [{ settingsKnown: false }] })
      const text = await commands.output('house', 'replace', LAMP, '22', '--yes')
      expect(text).toContain('Floor lamp (living-lamp): the settings of the old unit are unknown, so none are written.')
      expect(text).not.toContain('being written')
    },
  )

  verifies(
    'administration.replace',
    'another model at the same address is taken over',
    { tags: ['long'] },
    async (home) => {
      await withoutScenes(home)
      const evening = await calls(home).scenes.create({ name: 'Evening', steps: [dim(home, 40)] })
      await anotherAt(home, LAMP, { ...SWITCH, address: 22 })
      const done = await new HomeCommands(home).answer<Replacement>('house', 'replace', LAMP, '22', '--yes')
      expect(done.places).toMatchObject([{ id: local(evening), becomes: 'Floor lamp: turn on' }])
      expect(await awaitState(home, LAMP, (state) => !('bri' in state))).toMatchObject({ on: false })
      expect(await calls(home).scenes.get(evening.id)).toMatchObject({ steps: [power(home, LAMP, true)] })
    },
  )

  verifies(
    'administration.replace',
    'two units of the house exchange their addresses, by id or by address',
    { tags: ['long'] },
    async (home) => {
      const commands = new HomeCommands(home)
      const done = await commands.answer<Replacement>('house', 'replace', LAMP, 'bedroom-light', '--yes')
      expect(done.units).toMatchObject([
        { id: LAMP, after: { address: 51 } },
        { id: 'bedroom-light', after: { address: 22 } },
      ])
      const back = await commands.answer<Replacement>('house', 'replace', LAMP, '22', '--yes')
      expect(back.units.map(({ after }) => after.address)).toEqual([22, 51])
      expect(await commands.sentence('house', 'replace', LAMP, 'nothing')).toBe(
        'nothing is neither an address nor the id of a unit of the house.',
      )
    },
  )

  verifies(
    'administration.replace',
    'a motion sensor by a door contact: its triggers and conditions do not fit',
    { tags: ['long'] },
    async (home) => {
      const { automations } = calls(home)
      const [sensor, then] = [home.id('landing-sensor'), [power(home, LAMP, true)]]
      const motion = { device: sensor, detection: 'motion' }
      const cold = { device: sensor, reading: 'temperature', below: 10 }
      const made = {
        either: await automations.create({ name: 'Either', when: [motion, cold], then }),
        dark: await automations.create({
          name: 'Dark',
          when: [cold],
          if: [{ device: sensor, reading: 'light', below: 20 }],
          then,
        }),
        only: await automations.create({ name: 'Only', when: [motion], then }),
      }
      const commands = new HomeCommands(home)
      const ids = Object.values(made).map(local)
      const ofThese = ({ places }: Replacement) =>
        Object.fromEntries(
          places.filter(({ id }) => ids.includes(id)).map(({ id, part, proposal }) => [id, `${part} ${proposal}`]),
        )
      const misfits = {
        [local(made.either)]: 'when leave_out',
        [local(made.dark)]: 'if switch_off',
        [local(made.only)]: 'when delete',
      }
      const found = await commands.answer<Replacement>('house', 'replace', 'landing-sensor', '129', '--dry-run')
      expect(ofThese(found)).toEqual(misfits)
      expect(found.places[0]?.problem).toMatch(/is not available: Landing sensor \(sensor\) (detects|measures)/)
      expect(found.units).toMatchObject([{ readingsKnown: true }])
      // A sensor of the house with rules that do not fit the other sensor either.
      const door = { device: home.id('terrace-door'), detection: 'door' }
      const opened = await automations.create({ name: 'Opened', when: [door], then })
      const swap = await commands.answer<Replacement>('house', 'replace', 'landing-sensor', 'terrace-door', '--dry-run')
      expect(ofThese(swap)).toEqual(misfits)
      expect(swap.places).toContainEqual(expect.objectContaining({ id: local(opened), proposal: 'delete' }))

      await commands.output('house', 'replace', 'landing-sensor', '129', '--yes')
      expect(await automations.get(made.either.id)).toMatchObject({ enabled: true, when: [cold] })
      expect(await automations.get(made.dark.id)).toMatchObject({ enabled: false, if: [] })
      expect((await automations.send('GET', made.only.id)).status).toBe(404)
      // Saving applies the same check.
      await awaitState(home, 'landing-sensor', (state) => 'door' in state)
      const refused = await automations.send('POST', undefined, { name: 'Again', when: [motion], then })
      expect(refused).toMatchObject({ status: 422 })
    },
  )

  verifies(
    'administration.replace',
    'a sensor without reports: the list says that readings are not checked',
    { tags: ['long'] },
    async (home) => {
      const commands = new HomeCommands(home)
      const preview = await commands.answer<Replacement>('house', 'replace', 'landing-sensor', '124', '--dry-run')
      expect(preview.units).toMatchObject([{ readingsKnown: false }])
      expect(await commands.output('house', 'replace', 'landing-sensor', '124', '--dry-run')).toContain(
        'Landing sensor (landing-sensor): the new unit has not reported readings, so triggers and conditions about them are not checked.',
      )
    },
  )

  verifies(
    'administration.replace',
    'running rules continue with the operations of the new unit',
    { tags: ['long'] },
    async (home) => {
      await withoutScenes(home)
      const made = await twelvePlaces(home)
      const running = home.call({
        method: 'POST',
        path: home.at(`scene:${local(made.evening)}`, '/control'),
        body: { op: 'run' },
      })
      const commands = new HomeCommands(home)
      await Promise.all([commands.output('house', 'replace', LAMP, '120', '--yes'), running])
      const run = { method: 'POST', path: home.at(`scene:${local(made.reading)}`, '/control'), body: { op: 'run' } }
      expect((await home.call(run)).status).toBe(200)
      expect(await awaitState(home, LAMP, (state) => !('bri' in state) && state['on'] === true)).toMatchObject({
        on: true,
      })
    },
  )

  verifies(
    'administration.replace',
    'a lock by another: open confirmations for it end',
    { tags: ['long'] },
    async (home) => {
      const { confirmations } = await openingAsked(home)
      const commands = new HomeCommands(home)
      const done = await commands.answer<Replacement>('house', 'replace', 'front-door', '125', '--yes')
      expect(done.places).toMatchObject([
        { kind: 'confirmation', id: confirmations[0]?.id, part: 'call', proposal: 'end' },
      ])
      expect(await home.running.admin.call('GET', '/confirmations')).toMatchObject({ confirmations: [] })
      const { id } = confirmations[0] ?? { id: '' }
      await expect(home.running.admin.call('POST', `/confirmations/${id}`, { confirm: true })).rejects.toThrow(/./)
    },
  )

  verifies(
    'agents.confirmation-replaced',
    'a lock by another through an import: open confirmations for it and its scenes end',
    async (home) => {
      const { scenes } = calls(home)
      const come = await scenes.create({ name: 'Come', steps: [{ device: home.id('front-door'), op: 'open' }] })
      const { confirmations, run } = await openingAsked(home, local(come))
      expect(confirmations).toHaveLength(2)
      const { file } = await home.running.admin.call<{ file: string }>('GET', '/house/file')
      const content = parse(file) as { units: { id: string; address: number }[] }
      const units = content.units.map((unit) => (unit.id === 'front-door' ? { ...unit, address: 125 } : unit))
      await home.running.admin.call('PUT', '/house/file', { file: stringify({ ...content, units }), yes: true })
      const commands = new HomeCommands(home)
      expect(await commands.answer('agent', 'confirm')).toMatchObject({ confirmations: [] })
      const { id } = confirmations[0] ?? { id: '' }
      await expect(home.running.admin.call('POST', `/confirmations/${id}`, { confirm: true })).rejects.toThrow(/./)
      expect(await run()).toMatchObject({ status: 403, body: { error: { code: 'confirmation_required' } } })
    },
  )

  verifies(
    'administration.replace',
    'a meter with a higher counter: the difference is not billed',
    { tags: ['long'] },
    async (home) => {
      const energy = async (): Promise<number> => {
        const scope = encodeURIComponent(`device:${home.id('dishwasher')}`)
        return ((await home.get(`/v1/energy?scope=${scope}&period=day`)) as { energy: number }).energy
      }
      await report(home, 32, 10_000)
      await report(home, 32, 10_020)
      const before = await energy()
      await new HomeCommands(home).output('house', 'replace', 'dishwasher', '126', '--yes')
      await report(home, 126, 1_331_000)
      expect(await energy()).toBeCloseTo(before, 3)
      await report(home, 126, 1_331_005)
      expect(await energy()).toBeCloseTo(before + 5, 3)
      expect(await home.running.admin.call('GET', '/energy/jumps')).toMatchObject({ jumps: [] })
    },
  )

  verifies('administration.replace', 'is refused if it is impossible, without any change', async (home) => {
    const commands = new HomeCommands(home)
    const before = await commands.output('house', 'export')
    for (const [words, sentence] of [
      [['nothing', '120'], 'The house has no unit nothing; bin/hm house show lists them.'],
      [['entrance-panel:0', '120'], 'The house has no unit entrance-panel:0; bin/hm house show lists them.'],
      [[LAMP, '999'], 'The bus has no unit at address 999; bin/hm house show lists unplaced units.'],
      [
        [LAMP, '124'],
        'living-lamp is a light_dimmer and the unit at address 124 is a sensor: it needs an id of its own (bin/hm house place 124 --id ID).',
      ],
      [
        [LAMP, '125'],
        'living-lamp is a light_dimmer and the unit at address 125 is a lock: it needs an id of its own (bin/hm house place 125 --id ID).',
      ],
      [
        [LAMP, 'front-door'],
        'living-lamp is a light_dimmer and the unit at address 13 is a lock: it needs an id of its own (bin/hm house place 13 --id ID).',
      ],
    ] as const)
      expect(await commands.sentence('house', 'replace', ...words, '--yes'), words.join(' ')).toBe(sentence)
    home.running.sim.cutMains([120])
    const silent = await home.running.hasten(hm(home.running.dataDir, 'house', 'replace', LAMP, '120', '--yes'))
    expect([silent.code, silent.err]).toEqual([1, expect.stringContaining('The unit does not answer.')])
    home.running.sim.unplug()
    const down = await home.running.hasten(hm(home.running.dataDir, 'house', 'replace', LAMP, '122', '--yes'))
    expect([down.code, down.err]).toEqual([1, expect.stringContaining('cannot reach the units')])
    expect(await commands.output('house', 'export')).toBe(before)
  })
})
