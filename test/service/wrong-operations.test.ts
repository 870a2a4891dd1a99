import { describe, expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { type TestHome, verifies } from '#support/gateway/harness.ts'
import { RuleCalls } from '#support/gateway/rule-calls.ts'

/** Devices of the demo home with the operations of their class, written by hand. */
const DEVICES: Readonly<Record<string, readonly [deviceClass: string, operations: string]>> = {
  'living-lamp': ['light_dimmer', 'set_power, set_brightness, set_mode'],
  'study-light': ['light_switch', 'set_power, set_mode'],
  'kitchen-panel:1': ['switch_gang', 'set_power, set_mode'],
  'front-door': ['lock', 'open, close'],
  'driveway-gate': ['gate', 'open, close, stop'],
}
/** Operations of these devices that only steps have. */
const MORE_IN_STEPS: Readonly<Record<string, string>> = {
  light_dimmer: ', toggle',
  light_switch: ', toggle',
  switch_gang: ', toggle',
}
/** An unknown operation, and an operation that these devices lack. */
const WRONG: readonly (readonly [op: string, args: object | undefined])[] = [
  ['blink', undefined],
  ['blink', { on: true }],
  ['set_fan', { fan: 'high' }],
  ['set_fan', { speed: 3 }],
  ['key', undefined],
]

const messageOf = ({ status, body }: Pick<RawAnswer, 'status' | 'body'>): unknown => {
  const { error } = body as { error?: { code: string; message: string } }
  return [status, error?.code, error?.message]
}
const refused = (message: string): unknown => [422, 'validation', message]

describe('a wrong operation', () => {
  verifies('devices.own-operations', 'of a device gets the list of its own operations', async (home) => {
    for (const [local, [, operations]] of Object.entries(DEVICES))
      for (const [op, args] of WRONG) {
        const message = `op: this device does not take ${op}; it takes ${operations}.`
        const one = await home.call({ method: 'POST', path: home.at(local, '/control'), body: { op, args } })
        expect(messageOf(one)).toEqual(refused(message))
        const controls = [{ device: home.id(local), op, args }]
        const many = await home.call({ method: 'POST', path: '/v1/control', body: { controls } })
        const { results } = many.body as { results: readonly { error: object }[] }
        expect(results.map(({ error }) => error)).toEqual([expect.objectContaining({ code: 'validation', message })])
      }
  })

  verifies('devices.own-operations', 'in a step gets the list of that device', async (home) => {
    for (const [local, [deviceClass, operations]] of Object.entries(DEVICES))
      for (const [op, args] of WRONG)
        for (const [at, answer] of await savedWith(home, { device: home.id(local), op, args }))
          expect(messageOf(answer)).toEqual(
            refused(
              `${at}.op: is not an operation of a ${deviceClass}; it takes ${operations}${MORE_IN_STEPS[deviceClass] ?? ''}.`,
            ),
          )
  })

  verifies('devices.own-operations', 'of a hidden device gets no list of a class', async (home) => {
    const part = await home.integrate({ expose: ['room:study'], settings: { structural: 'on' } })
    const scenes = new RuleCalls(home, 'scene', part)
    const messages = await Promise.all(
      ['living-lamp', 'invented'].map(async (local) =>
        messageOf(
          await scenes.send('POST', undefined, { name: 'X', steps: [{ device: home.id(local, part), op: 'blink' }] }),
        ),
      ),
    )
    expect(messages[0]).toEqual(
      refused(expect.stringMatching(/^steps\[0\]\.op: must be one of set_power, .*, key, toggle\.$/)),
    )
    expect(messages[1]).toEqual(messages[0])
  })

  verifies('devices.own-operations', 'of a room gets the list of the named class', async (home) => {
    const room = home.id('room:living-room')
    const inRoom = async (body: object): Promise<unknown> =>
      messageOf(await home.call({ method: 'POST', path: '/v1/control', body: { room, op: 'blink', ...body } }))
    expect(await inRoom({ class: 'lock' })).toEqual(refused('op: must be one of open, close.'))
    expect(await inRoom({})).toEqual(refused(expect.stringMatching(/^op: must be one of set_power, .*, key\.$/)))
  })
})

/** Responses to a scene, an automation and a schedule with this step, and its path in each. */
async function savedWith(home: TestHome, step: object): Promise<readonly (readonly [at: string, answer: RawAnswer])[]> {
  const bodies = {
    scene: { name: 'X', steps: [{ delay: 1 }, step] },
    automation: { name: 'X', when: [{ time: '07:00' }], then: [{ delay: 1 }, step] },
    schedule: { name: 'X', at: { time: '07:00' }, then: [{ delay: 1 }, step] },
  } as const
  return Promise.all(
    (['scene', 'automation', 'schedule'] as const).map(async (kind) => {
      const answer = await new RuleCalls(home, kind).send('POST', undefined, bodies[kind])
      return [kind === 'scene' ? 'steps[1]' : 'then[1]', answer] as const
    }),
  )
}
