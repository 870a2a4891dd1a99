// @module-tag repeated
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { type TestHome, verifiesIn } from '#support/gateway/harness.ts'
import { times } from '#support/long.ts'
import { passTime, SECOND } from '#support/homes/intent-house.ts'

const clock = new PassingClock()
const verifies = verifiesIn(() => ({ clock }))

/** Commands with the first item of an explanation right after each. */
const COMMANDS = [
  ['living-lamp', 'set_power', { on: false }, 'Floor lamp turned off'],
  ['living-lamp', 'set_power', { on: true }, 'Floor lamp turned on at'],
  ['living-lamp', 'set_brightness', { bri: 37 }, 'Floor lamp brightness set to 37 %'],
  ['living-lamp', 'set_mode', { mode: 'eco' }, 'Floor lamp mode set to eco'],
  ['living-lamp', 'set_brightness', { bri: 61 }, 'Floor lamp brightness set to 61 %'],
  ['bedroom-ac', 'set_power', { on: true }, 'turned on'],
  ['bedroom-ac', 'set_temp', { temp: 23.5 }, 'temperature set to 23.5 °C'],
  ['bedroom-ac', 'set_fan', { fan: 'high' }, 'fan set to high'],
  ['bedroom-ac', 'set_ac_mode', { mode: 'dry' }, 'mode set to dry'],
  ['entrance-panel:1', 'set_mode', { mode: 'eco' }, 'mode set to eco'],
  ['living-shutter', 'set_mode', { mode: 'eco' }, 'mode set to eco'],
] as const

async function firstItem(home: TestHome, local: string): Promise<string> {
  const { items } = (await home.get(home.at(local, '/explain'))) as { items: { what: string }[] }
  return items[0]?.what ?? ''
}

describe('the newest change behind the present values', () => {
  verifies('explain.newest', 'comes first, with any changed field', async (home) => {
    // Every field starts with another value, so that each command is a change.
    for (const [local, op, args] of [
      ['living-lamp', 'set_power', { on: true }],
      ['living-lamp', 'set_mode', { mode: 'manual' }],
      ['bedroom-ac', 'set_power', { on: false }],
      ['bedroom-ac', 'set_temp', { temp: 19 }],
      ['bedroom-ac', 'set_fan', { fan: 'low' }],
      ['bedroom-ac', 'set_ac_mode', { mode: 'cool' }],
      ['entrance-panel:1', 'set_mode', { mode: 'manual' }],
      ['living-shutter', 'set_mode', { mode: 'manual' }],
    ] as const)
      await command(home, local, op, args)
    for (const [local, op, args, first] of COMMANDS) {
      await command(home, local, op, args)
      expect(await firstItem(home, local), `${local} ${op}`).toContain(first)
    }
    // The module itself has no state: its newest change is a gang's.
    expect(await firstItem(home, 'entrance-panel')).toContain('mode set to eco')
    const { items } = (await home.get(home.at('living-lamp', '/explain'))) as { items: { what: string }[] }
    expect(items[1]?.what).toContain('Floor lamp turned on at')
  })

  verifies('explain.newest', 'comes before a later setting that could not be written', async (home) => {
    await command(home, 'living-lamp', 'set_power', { on: false })
    await command(home, 'living-lamp', 'set_power', { on: true })
    await command(home, 'entrance-panel:1', 'set_power', { on: false })
    await command(home, 'entrance-panel:1', 'set_power', { on: true })
    for (const unit of ['living-lamp', 'entrance-panel']) {
      // A value of another unit, which this unit refuses.
      const refused = { values: { switch_count: 9 }, what: 'unit protocol set to 9', data: { intent: 'protocol' } }
      const { settings } = home.running.gateway.home
      const written = settings.write(unit, refused, { source: 'person', name: 'Anna' })
      expect(await home.running.hasten(written)).toMatchObject({ ok: false })
    }
    expect(await firstItem(home, 'living-lamp')).toContain('Floor lamp turned on at')
    expect(await firstItem(home, 'entrance-panel:1')).toContain('turned on at')
  })

  verifies('explain.newest', 'comes first after any sequence of commands', async (home) => {
    const commands = fc.oneof(
      fc.boolean().map((on) => ['set_power', { on }] as const),
      fc.constantFrom(20, 45, 80).map((bri) => ['set_brightness', { bri }] as const),
      fc.constantFrom('auto', 'eco', 'manual').map((mode) => ['set_mode', { mode }] as const),
    )
    const sequence = fc.sample(commands, times(2, 60))
    await command(home, 'living-lamp', 'set_power', { on: true })
    let first = await firstItem(home, 'living-lamp')
    for (const [op, args] of sequence) {
      const before = await stateOf(home)
      await command(home, 'living-lamp', op, args)
      const change = Object.entries(await stateOf(home)).filter(([field, value]) => before[field] !== value)
      const [now, was] = [first, await firstItem(home, 'living-lamp')].toReversed()
      if (change.length === 0) expect(now, JSON.stringify(sequence)).toBe(was)
      else expect(now, JSON.stringify([sequence, change])).toMatch(wordsOf(change))
      first = now ?? ''
    }
  })
})

async function stateOf(home: TestHome): Promise<Readonly<Record<string, unknown>>> {
  const { device } = (await home.get(home.at('living-lamp'))) as { device: { state: Record<string, unknown> } }
  const { asOf: _, ...state } = device.state
  return state
}

/** Explanation of one of the changed fields. */
function wordsOf(change: readonly (readonly [string, unknown])[]): RegExp {
  const words = change.map(([field, value]) =>
    field === 'on'
      ? value === true
        ? 'turned on'
        : 'turned off'
      : field === 'bri'
        ? `${String(value)} %`
        : String(value),
  )
  return new RegExp(words.join('|'))
}

async function command(home: TestHome, local: string, op: string, args: object): Promise<void> {
  const path = home.at(local, '/control')
  const answer = await clock.hasten(home.call({ method: 'POST', path, body: { op, args } }))
  expect(answer.status, answer.text).toBe(200)
  await passTime(home, clock, SECOND)
}
