import { expect } from 'vitest'
import { DEMO_PLAN } from '../../src/demo/demo-plan.ts'
import { verifiesIn } from '#support/gateway/harness.ts'
import { devicesOf, houseOf } from '#support/gateway/house-answer.ts'

const units = DEMO_PLAN.units.map((unit) =>
  unit.address === 21 ? { ...unit, lacks: ['modes', 'level'] as const } : unit,
)
const verifies = verifiesIn(() => ({ sim: { plan: { ...DEMO_PLAN, units } } }))

verifies('devices.lacking', 'a dimmer without modes and levels takes set_power alone', async (home) => {
  const id = home.id('living-ceiling')
  expect(await home.get(home.at('living-ceiling'))).toMatchObject({ device: { operations: ['set_power'] } })
  const listed = devicesOf(await houseOf(home)).find((device) => device.id === id)
  expect(listed).toMatchObject({ operations: ['set_power'] })
  const control = (body: object) => home.call({ method: 'POST', path: home.at('living-ceiling', '/control'), body })
  for (const body of [
    { op: 'set_mode', args: { mode: 'auto' } },
    { op: 'set_brightness', args: { bri: 10 } },
  ])
    expect(await control(body)).toMatchObject({
      status: 422,
      body: { error: { message: `op: this device does not take ${body.op}; it takes set_power.` } },
    })
  expect(await home.running.hasten(control({ op: 'set_power', args: { on: true } }))).toMatchObject({ status: 200 })
})
