import { expect } from 'vitest'
import { FORM_FACTS, FORMS } from '../../../src/home/rules/forms.ts'
import type { TestHome } from './harness.ts'

export type Args = Record<string, unknown>

/** A time as the clocks of the demo home in Berlin show it. */
export const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0[12]:00$/

export const EVENING = { at: { time: '19:30' }, days: [1, 2] }

/** Calls of every tool, in all ways that their descriptions mention. */
export function callsOf(home: TestHome, era: string): readonly (readonly [tool: string, args: Args, expected: Args])[] {
  const light = home.id('hall-light')
  const schedule = {
    ...EVENING,
    name: `Evening ${era}`,
    then: [{ device: light, op: 'set_power', args: { on: true } }],
  }
  return [
    ['house', {}, { currency: 'EUR', scenes: expect.any(Number), settings: { agent_access: 'on' }, nextCursor: null }],
    ['house', { limit: 2 }, { rooms: [expect.anything(), expect.anything()], nextCursor: expect.any(String) }],
    [
      'house',
      { room: home.id('room:hall') },
      {
        devices: expect.arrayContaining([
          expect.objectContaining({
            id: light,
            class: expect.any(String),
            operations: expect.arrayContaining(['set_power']),
            state: expect.anything(),
          }),
        ]),
      },
    ],
    [
      'house',
      { class: 'scene' },
      { devices: expect.arrayContaining([expect.objectContaining({ operations: ['run'] })]) },
    ],
    [
      'house',
      { search: 'KITCHEN panel' },
      {
        devices: expect.arrayContaining([
          expect.objectContaining({ id: home.id('kitchen-panel'), class: 'gang_module' }),
        ]),
      },
    ],
    ['house', { search: 'study' }, { total: 2 }],
    ['house', { floor: home.id('floor:ground-floor'), class: 'lock' }, { total: 1 }],
    [
      'state',
      { ids: [light, home.id('kitchen-panel:1'), home.id('kitchen-panel')] },
      {
        devices: [
          { id: light, state: { asOf: expect.stringMatching(LOCAL) } },
          { class: expect.stringMatching(/gang$/) },
          { class: 'gang_module', reachable: true, lastSeen: expect.stringMatching(LOCAL) },
        ],
      },
    ],
    ['control', { device: light, op: 'set_power', args: { on: true } }, { device: light, state: { on: true } }],
    [
      'control',
      { devices: [light, home.id('invented'), '', home.id('front-door')], op: 'set_power', args: { on: false } },
      {
        results: [
          { device: light, state: { on: false, asOf: expect.stringMatching(LOCAL) } },
          { error: { code: 'not_found' } },
          { error: { code: 'not_found' } },
          { error: { code: 'validation', message: expect.stringContaining('it takes open, close') } },
        ],
      },
    ],
    [
      'control',
      { floor: home.id('floor:ground-floor'), class: 'lock', op: 'open' },
      { results: [{ device: home.id('front-door'), error: { code: 'confirmation_required' } }] },
    ],
    ['control', { devices: [home.id('scene:dinner')], op: 'run' }, { results: [{ run: expect.anything() }] }],
    ['intents', {}, { intents: expect.arrayContaining([expect.objectContaining({ intent: 'led_mode' })]) }],
    [
      'intents',
      { device: light },
      { access: 'read_write', intents: expect.arrayContaining([expect.objectContaining({ source: 'cache' })]) },
    ],
    [
      'intents',
      { device: light, intent: 'led_mode' },
      { definition: { id: 'led_mode', value: expect.anything() }, intents: [{ intent: 'led_mode' }] },
    ],
    ['set_intent', { device: light, intent: 'led_mode', value: 'on' }, { intent: { intent: 'led_mode', value: 'on' } }],
    [
      'explain',
      { device: light, limit: 1 },
      { device: light, items: [expect.anything()], more: expect.any(Number), from: expect.stringMatching(LOCAL) },
    ],
    [
      'activity',
      { device: light, limit: 1 },
      {
        entries: [{ at: expect.stringMatching(LOCAL), cause: { name: 'Agent: Claude via Claude Code' } }],
        nextTo: expect.stringMatching(LOCAL),
      },
    ],
    ['activity', { from: '2020-01-01T00:00:00+01:00', to: '2020-01-02' }, { entries: [], nextTo: null }],
    ['sensors', { class: 'meter' }, { sensors: [{ class: 'meter' }], total: 1 }],
    ['sensors', { limit: 1 }, { sensors: [{ readings: expect.anything() }] }],
    [
      'sensors',
      { device: home.id('living-climate'), reading: 'temperature', points: 5 },
      { kind: 'temperature', series: expect.anything() },
    ],
    ['energy', {}, { scope: 'house', energy: expect.any(Number) }],
    ['energy', { scope: `device:${light}`, period: 'day', series: true }, { series: expect.anything() }],
    ['save_rule', { kind: 'schedule', body: schedule }, { rule: { name: schedule.name, revision: 1 } }],
    [
      'rules',
      { kind: 'schedule' },
      { rules: expect.arrayContaining([expect.objectContaining({ name: schedule.name })]) },
    ],
    ['rules', { kind: 'automation', limit: 1 }, { rules: expect.anything(), nextCursor: expect.toSatisfy(() => true) }],
    ['rules', { kind: 'scene', id: home.id('scene:dinner') }, { rule: { steps: expect.anything() } }],
    ['rules', { kind: 'forms' }, { forms: FORMS, ...FORM_FACTS }],
    ['rules', { kind: 'unit_schedules', id: home.id('kitchen-panel') }, { source: 'cache' }],
    ['rename', { kind: 'device', id: light, name: `Hall ${era}` }, { device: { name: `Hall ${era}` } }],
    ['rename', { kind: 'room', id: home.id('room:hall'), name: `Room ${era}` }, { room: { name: `Room ${era}` } }],
  ]
}
