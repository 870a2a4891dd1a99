import * as fc from 'fast-check'
import { idPlaces } from '#support/gateway/id-places.ts'

/** Local ids: visible to some, hidden from some, in only one of the homes, or nowhere. */
export const LOCALS = [
  'dim',
  'eye',
  'bolt',
  'blind',
  'heater',
  'remote',
  'lamp',
  'panel',
  'panel:0',
  'panel:1',
  'panel:2',
  'panel:3',
  'cover',
  'cover:0',
  'cover:1',
  'beacon',
  'spy',
  'safe',
  'pump',
  'gauge',
  'extra-0',
  'invented',
  'scene:evening',
  'scene:morning',
  'scene:plot',
  'scene:extra-plot-0',
  'group:set',
  'group:ring',
  'room:parlour',
  'room:attic',
  'room:vault',
  'room:shed',
  'floor:top',
  'floor:deep',
] as const
export const TOPICS = [
  '*',
  'state',
  'sensor',
  'scene',
  'exposure',
  'scenes',
  'automations',
  'schedules',
  'integration',
  'touch',
] as const
export const READS = [
  '/v1/house',
  '/v1/state',
  '/v1/integration',
  '/v1/intents',
  '/v1/scenes',
  '/v1/groups',
  '/v1/automations',
  '/v1/schedules',
  '/v1/runs',
  '/v1/sensors',
  '/v1/energy',
  '/v1/activity',
  '/v1/gateway/tls',
  '/v1/nothing',
] as const
export const PLACES = idPlaces()

/** Filters of the watched integration: kinds and sources that hidden things have too. */
export const PICKED: readonly Readonly<Record<string, string>>[] = [
  {},
  {},
  { kind: 'state' },
  { kind: 'run' },
  { source: 'gateway' },
  { source: 'automation' },
  { source: 'unit', kind: 'detection' },
]
export const CLASSES = ['light_switch', 'switch_gang', 'sensor', 'lock', 'gang_module'] as const

export type TestedAction =
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'read'
      readonly path: number
      readonly conditional: boolean
      readonly gzip: boolean
      readonly stream: boolean
    }
  | {
      readonly kind: 'page'
      readonly what: 'activity' | 'detections' | 'energy' | 'readings' | 'house' | 'state' | 'sensors'
      readonly local: number
      readonly limit: number
    }
  | {
      readonly kind: 'ask'
      readonly place: number
      readonly local: number
      readonly wrong: boolean
      readonly stream: boolean
    }
  | { readonly kind: 'look'; readonly which: number; readonly rest: string }
  | { readonly kind: 'control'; readonly local: number; readonly value: number; readonly stream: boolean }
  | {
      readonly kind: 'batch'
      readonly locals: readonly number[]
      readonly place: number
      readonly value: number
      readonly stream: boolean
    }
  | {
      readonly kind: 'try'
      readonly what: 'scene' | 'automation' | 'schedule'
      readonly stored: boolean
      readonly local: number
      readonly value: number
      readonly stream: boolean
    }
  | { readonly kind: 'edit'; readonly scene: string; readonly value: number }
  | { readonly kind: 'subscribe'; readonly topics: readonly number[]; readonly since: boolean }
  | { readonly kind: 'seen' | 'by-hidden'; readonly which: number; readonly value: number }
  | { readonly kind: 'link'; readonly down: boolean }
  | { readonly kind: 'hidden' }
  | { readonly kind: 'pass'; readonly ms: number }

const small = fc.nat({ max: 99 })
const pages = fc.constantFrom(
  'activity' as const,
  'activity' as const,
  'detections' as const,
  'readings' as const,
  'energy' as const,
  'house' as const,
  'state' as const,
  'sensors' as const,
)
/** One step of a sequence that is played in both homes. */
export const action: fc.Arbitrary<TestedAction> = fc.oneof(
  { withCrossShrink: true },
  { weight: 1, arbitrary: fc.constant<TestedAction>({ kind: 'nothing' }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      path: fc.nat({ max: READS.length - 1 }),
      conditional: fc.boolean(),
      gzip: fc.boolean(),
      stream: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('page' as const),
      what: pages,
      local: fc.nat({ max: LOCALS.length - 1 }),
      limit: fc.integer({ min: 1, max: 6 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      place: fc.nat({ max: PLACES.length - 1 }),
      local: fc.nat({ max: LOCALS.length + 3 }),
      wrong: fc.boolean(),
      stream: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('look' as const),
      which: small,
      rest: fc.constantFrom('', '/explain', '/intents', '/schedules'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('control' as const),
      local: fc.nat({ max: LOCALS.length - 1 }),
      value: small,
      stream: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('batch' as const),
      locals: fc.array(fc.nat({ max: LOCALS.length - 1 }), { minLength: 1, maxLength: 4 }),
      place: fc.nat({ max: LOCALS.length - 1 }),
      value: small,
      stream: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('try' as const),
      what: fc.constantFrom('scene' as const, 'automation' as const, 'schedule' as const),
      stored: fc.boolean(),
      local: fc.nat({ max: LOCALS.length - 1 }),
      value: small,
      stream: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('edit' as const),
      scene: fc.constantFrom('evening', 'morning'),
      value: small,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('subscribe' as const),
      topics: fc.array(fc.nat({ max: LOCALS.length + TOPICS.length - 1 }), { maxLength: 3 }),
      since: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constantFrom('seen' as const, 'by-hidden' as const), which: small, value: small }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('link' as const), down: fc.boolean() }) },
  { weight: 8, arbitrary: fc.constant<TestedAction>({ kind: 'hidden' }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.constantFrom(1, 700, 1_500, 6_000, 61_000, 61_000, 420_000),
    }),
  },
)

export const OPERATIONS = [
  { op: 'set_power', args: { on: true } },
  { op: 'set_power', args: { on: false } },
  { op: 'set_brightness', args: { bri: 33 } },
  { op: 'open' },
  { op: 'close' },
  { op: 'run' },
  { op: 'set_power', args: { on: 7 } },
  { op: 'set_temp', args: { temp: 19 } },
  { op: 'key', args: { key: 'mute' } },
  { op: 'set_mode', args: { mode: 'auto' } },
  { op: 'fly' },
  { op: 'open', code: '000000' },
  { op: 'close', code: 12 },
]
