import { describe, expect } from 'vitest'
import { DEMO_PLAN } from '../../src/demo/demo-plan.ts'
import type { UnitPlan } from '../../src/sim/model/house-plan.ts'
import { TestHome, verifiesAlone } from '#support/gateway/harness.ts'
import { changeUnits, houseFile, importHouse } from '#support/gateway/house-file.ts'
import {
  agentOf,
  decideConfirmation,
  expectConfirmationRequired,
  FRONT_DOOR,
  open,
} from '#support/gateway/opening-agent.ts'
import { awaitState } from '#support/gateway/await-home.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { proves } from '#support/gateway/verifies.ts'

const LAMP = 'living-lamp'
const OTHER = 'bedroom-light'
const LAMP_ADDRESS = 22
const OTHER_ADDRESS = 51
const PANEL_ADDRESS = 31

interface Answer {
  readonly device: {
    readonly state: { readonly bri?: number; readonly on?: boolean } | null
    readonly lastSeen: unknown
  }
}

const verifies = verifiesAlone()

const stateOf = async (home: TestHome, local: string): Promise<Answer['device']['state']> =>
  ((await home.get(home.at(local))) as unknown as Answer).device.state

async function dim(home: TestHome, local: string, bri: number): Promise<void> {
  const body = { op: 'set_brightness', args: { bri } }
  expect((await home.call({ method: 'POST', path: home.at(local, '/control'), body })).status).toBe(200)
}

/** Resolves once the unit at an address has reported its state after `act`, while time passes. */
async function readAfter(home: TestHome, act: () => Promise<void>): Promise<void> {
  await act()
  await home.running.hasten(home.running.settled())
}

/** Swaps the addresses of two lamps. */
const exchange = (home: TestHome): Promise<void> =>
  changeUnits(home, { [LAMP]: { address: OTHER_ADDRESS }, [OTHER]: { address: LAMP_ADDRESS } })

async function whatHappened(home: TestHome, local: string): Promise<readonly string[]> {
  const { entries } = (await home.get(`/v1/activity?device=${encodeURIComponent(home.id(local))}`)) as {
    entries: { what: string }[]
  }
  return entries.map(({ what }) => what)
}

describe('a unit that is replaced in the house', () => {
  verifies('devices.replaced', 'shows the state of the unit at its new address', async (home) => {
    await dim(home, LAMP, 70)
    await dim(home, OTHER, 20)
    await readAfter(home, () => exchange(home))
    expect(await stateOf(home, LAMP)).toMatchObject({ bri: 20 })
    expect(await stateOf(home, OTHER)).toMatchObject({ bri: 70 })
    expect((await whatHappened(home, LAMP))[0]).toBe('replaced')
    expect((await whatHappened(home, LAMP)).filter((what) => what === 'replaced')).toHaveLength(1)
  })

  verifies('devices.replaced', 'shows no state until the new unit is read', async (home) => {
    await dim(home, LAMP, 70)
    await home.running.still(async () => {
      await exchange(home)
      expect(await stateOf(home, LAMP)).toBeNull()
      const { device } = (await home.get(home.at(LAMP))) as unknown as Answer
      expect(device.lastSeen).toBeNull()
    })
  })

  verifies('devices.replaced', 'shows no settings of the old unit', { tags: ['long'] }, async (home) => {
    const { settings } = home.running.gateway.home
    const body = { value: 35 }
    const path = home.at(LAMP, '/intents/turn_on_brightness')
    expect((await home.call({ method: 'PUT', path, body })).status).toBe(200)
    await home.running.still(async () => {
      await exchange(home)
      expect(settings.get(LAMP).size).toBe(0)
      expect(settings.schedulesOf(LAMP)).toBeUndefined()
      const { intents } = (await home.get(home.at(LAMP, '/intents'))) as {
        intents: { intent: string; value: unknown }[]
      }
      expect(intents.find(({ intent }) => intent === 'turn_on_brightness')?.value).toBeNull()
    })
  })

  verifies(
    'devices.replaced',
    'is explained by the replacement, not by changes of the old unit',
    { tags: ['long'] },
    async (home) => {
      await dim(home, LAMP, 70)
      await readAfter(home, () => exchange(home))
      const { items } = (await home.get(home.at(LAMP, '/explain'))) as { items: { kind: string; what: string }[] }
      expect(items[0]?.what).toMatch(/^Floor lamp: replaced /)
      expect(items.filter(({ what }) => what.includes('70'))).toEqual([])
    },
  )

  verifies(
    'devices.replaced',
    'has no old reason in the very millisecond of its replacement',
    { tags: ['long'] },
    async (home) => {
      await dim(home, LAMP, 70)
      await home.running.still(async () => {
        await exchange(home)
        const { items } = (await home.get(home.at(LAMP, '/explain'))) as { items: { what: string }[] }
        expect(items.filter(({ what }) => what.includes('70'))).toEqual([])
      })
    },
  )
})

describe('on the stream', () => {
  verifies(
    'devices.replaced-events',
    'the old state becomes null and is never sent again, even to a socket that resumes',
    async (home) => {
      const socket = await home.socket()
      const { body } = await socket.subscribe([`device:${home.id(LAMP)}`])
      const { seq } = body as { seq: number }
      await dim(home, LAMP, 70)
      await socket.event(({ state }) => (state as { bri?: number } | null)?.bri === 70)
      await exchange(home)
      expect(await socket.event(({ state }) => state === null)).toMatchObject({
        event: 'state',
        device: home.id(LAMP),
        class: 'light_dimmer',
      })
      const again = await home.socket()
      await again.subscribe([`device:${home.id(LAMP)}`], seq)
      await again.ask('about', { id: 'about', method: 'GET', path: '/v1/about' })
      expect(again.events.map(({ state }) => state)).toContain(null)
      expect(JSON.stringify(again.events)).not.toContain('"bri":70')
    },
  )
})

const SWITCH_THERE: UnitPlan = { address: LAMP_ADDRESS, model: 'HMHHX1', room: 'living-room' }
const TWO_GANGS_THERE: UnitPlan = {
  address: PANEL_ADDRESS,
  model: 'HMHHX2',
  room: 'kitchen',
  gangs: [
    { gang: 0, kind: 'switch', room: 'kitchen' },
    { gang: 1, kind: 'switch', room: 'kitchen' },
  ],
}

/** Resolves when the home notices the replacement of a unit. */
function rebound(home: TestHome, unit: string): Promise<void> {
  return home.running.hasten(
    new Promise((resolve) => {
      const stop = home.running.gateway.home.events.on((event) => {
        if (event.kind !== 'rebound' || event.unit !== unit) return
        stop()
        resolve()
      })
    }),
  )
}

describe('another unit at the same address', () => {
  verifies(
    'devices.replaced',
    'of another class shows no state until the house has its class',
    { tags: ['long'] },
    async (home) => {
      await dim(home, LAMP, 70)
      // Scenes and rules of the demo home dim the lamp, so that no file could make it a switch.
      const { home: info, floors, rooms, units } = await houseFile(home)
      await importHouse(home, { home: info, floors, rooms, units })
      const found = rebound(home, LAMP)
      home.running.sim.install(SWITCH_THERE)
      await found
      expect(await stateOf(home, LAMP)).toBeNull()
      await readAfter(home, () => changeUnits(home, { [LAMP]: { model: 'HMHHX1', class: 'light_switch' } }))
      expect(await stateOf(home, LAMP)).toMatchObject({ on: false })
    },
  )

  verifies(
    'devices.replaced',
    'of another class takes no state from a command in flight',
    { tags: ['long'] },
    async (home) => {
      await dim(home, LAMP, 70)
      const found = rebound(home, LAMP)
      const { sim } = home.running
      const old = sim.house.unit(LAMP_ADDRESS)
      if (old === undefined) throw new Error('The house has no lamp.')
      // The unit is replaced while the command is in flight, so the new unit performs it.
      const execute: typeof old.execute = (gang, command, done) => {
        sim.install(SWITCH_THERE)
        sim.house.unit(LAMP_ADDRESS)?.execute(gang, command, done)
      }
      Object.assign(old, { execute })
      const body = { op: 'set_power', args: { on: false } }
      const { status, body: refusal } = await home.call({ method: 'POST', path: home.at(LAMP, '/control'), body })
      expect(status).toBe(504)
      expect(JSON.stringify(refusal)).toContain('unit_unreachable')
      await found
      expect(await stateOf(home, LAMP)).toBeNull()
    },
  )

  verifies('devices.replaced', 'with other gangs shows no state of the old gangs', { tags: ['long'] }, async (home) => {
    const on = { op: 'set_power', args: { on: true } }
    expect((await home.call({ method: 'POST', path: home.at('kitchen-panel:0', '/control'), body: on })).status).toBe(
      200,
    )
    const found = rebound(home, 'kitchen-panel')
    home.running.sim.install(TWO_GANGS_THERE)
    await found
    expect(await awaitState(home, 'kitchen-panel:0', () => true)).toMatchObject({ on: false })
    expect(await stateOf(home, 'kitchen-panel:2')).toBeNull()
    const { units } = await home.running.admin.call<{ units: { otherClass: object[] } }>('GET', '/status')
    expect(units.otherClass).toContainEqual({ device: 'kitchen-panel:2', house: 'shutter_gang', bus: null })
  })
})

describe('a lock that is replaced', () => {
  verifies('devices.replaced', 'does not open by a confirmation for the old lock', async (home) => {
    const spare = FRONT_DOOR + 1
    home.running.sim.install({ address: spare, model: 'HMLK', room: 'hall' })
    const agent = await agentOf(home)
    expectConfirmationRequired(await open(home, agent))
    await decideConfirmation(home, agent)
    await readAfter(home, () => changeUnits(home, { 'front-door': { address: spare } }))
    expectConfirmationRequired(await open(home, agent))
    expect(await stateOf(home, 'front-door')).toMatchObject({ locked: true })
  })
})

describe('a unit that is replaced while the gateway is stopped', () => {
  proves('devices.replaced-while-stopped', 'is found in the unit list of the adapter at the next start', async () => {
    const dataDir = tempFolder()
    {
      await using home = await TestHome.open('http', { dataDir })
      await dim(home, LAMP, 70)
      const path = home.at(LAMP, '/intents/turn_on_brightness')
      expect((await home.call({ method: 'PUT', path, body: { value: 35 } })).status).toBe(200)
    }
    const units = DEMO_PLAN.units.map((unit) => (unit.address === LAMP_ADDRESS ? SWITCH_THERE : unit))
    await using home = await TestHome.open('http', { dataDir, sim: { plan: { ...DEMO_PLAN, units } } })
    expect(home.running.gateway.home.settings.get(LAMP).get('turn_on_bri')).toBeUndefined()
    expect(await stateOf(home, LAMP)).toBeNull()
    expect((await whatHappened(home, LAMP)).filter((what) => what === 'replaced')).toHaveLength(1)
  })
})
