import { expect } from 'vitest'
import { type TestHome, verifies } from '#support/gateway/harness.ts'

const HEATER = 'bathroom-heater'
const WARM = { heat: { on: 20.5, off: 22 } }
const SET_TEMP = { op: 'set_temp', args: { temp: 23 } }

const write = (home: TestHome, local: string, value: object) =>
  home.call({ method: 'PUT', path: home.at(local, '/intents/climate'), body: { value } })
const setTemp = (home: TestHome, local: string) =>
  home.call({ method: 'POST', path: home.at(local, '/control'), body: SET_TEMP })

async function deviceOf(home: TestHome, local: string) {
  const { device } = await home.get(home.at(local))
  return device as { operations: string[]; state: { temp: number | null } }
}

/** True if a scene that sets the temperature would be refused. */
async function refusedIn(home: TestHome, local: string): Promise<unknown> {
  const steps = [{ device: home.id(local), ...SET_TEMP }]
  const { body } = await home.call({ method: 'POST', path: '/v1/scenes/try', body: { name: 'Tried', steps } })
  return (body as { steps: { refused: object | null }[] }).steps[0]?.refused
}

verifies('devices.operations-follow', 'a switch that feeds no climate load any more', async (home) => {
  const socket = await home.socket()
  await socket.subscribe([`device:${home.id(HEATER)}`])
  try {
    expect((await write(home, HEATER, { none: true })).status).toBe(200)
    const { operations, state } = await deviceOf(home, HEATER)
    expect({ operations, temp: state.temp }).toEqual({ operations: ['set_power', 'set_mode'], temp: null })
    expect(await refusedIn(home, HEATER)).toMatchObject({ code: 'validation' })
    expect(await setTemp(home, HEATER)).toMatchObject({ status: 422 })
    expect(await socket.event(() => true)).toMatchObject({ event: 'state', state: { temp: null } })
    const { items } = (await home.get(home.at(HEATER, '/explain'))) as { items: { what: string }[] }
    expect(items.some(({ what }) => what.includes('reconnect'))).toBe(false)
  } finally {
    await write(home, HEATER, WARM)
  }
  expect(await deviceOf(home, HEATER)).toMatchObject({ state: { temp: 22 } })
})

verifies('devices.operations-follow', 'a switch that feeds one from now on', async (home) => {
  try {
    expect((await write(home, 'living-tv', { heat: { on: 19, off: 21 } })).status).toBe(200)
    expect(await deviceOf(home, 'living-tv')).toMatchObject({
      operations: ['set_power', 'set_mode', 'set_temp'],
      state: { temp: 21 },
    })
    expect(await refusedIn(home, 'living-tv')).toBeNull()
    expect(await setTemp(home, 'living-tv')).toMatchObject({ status: 200, body: { state: { temp: 23 } } })
  } finally {
    await write(home, 'living-tv', { none: true })
  }
})

verifies('devices.operations-follow', 'a switch that was set at its own menu', async (home) => {
  const unit = home.running.sim.house.unit(62)!
  const { events } = home.running.gateway.home
  const set = (load: number): Promise<unknown> =>
    new Promise((resolve) => {
      const stop = events.on((event) => {
        if (event.kind !== 'state' || event.device !== HEATER) return
        stop()
        resolve(event.state)
      })
      unit.settings.write([[40, load]])
      unit.reportRegisters(null, [40])
    })
  try {
    expect(await home.running.hasten(set(0))).toMatchObject({ temp: null })
    expect((await deviceOf(home, HEATER)).operations).not.toContain('set_temp')
  } finally {
    expect(await home.running.hasten(set(2))).toMatchObject({ temp: 22 })
  }
})
