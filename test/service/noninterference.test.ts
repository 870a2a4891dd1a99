import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { idPlaces, type Surroundings } from '#support/gateway/id-places.ts'
import { happenBySomethingHidden, happenHidden, happenSeen } from '#support/homes/noninterference/happenings.ts'
import { NoninterferenceHome } from '#support/homes/noninterference/home.ts'
import { seenKeys, viewOf } from '#support/homes/noninterference/seen.ts'
import { WATCHED } from '#support/homes/noninterference/world.ts'
import type { TestRequest } from '#support/gateway/verifies.ts'
import { proves } from '#support/gateway/verifies.ts'
import { times } from '#support/long.ts'

const SEQUENCES = times(20, 1_000)
const STEPS = 30

/** Things that some see and some do not, things that only one of the homes has, and some that are nowhere. */
const LOCALS = [
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
  'room:parlour',
  'room:attic',
  'room:vault',
  'room:shed',
  'floor:top',
  'floor:deep',
] as const
const TOPICS = [
  '*',
  'state',
  'sensor',
  'scene',
  'exposure',
  'scenes',
  'automations',
  'schedules',
  'integration',
] as const
const READS = [
  '/v1/house',
  '/v1/state',
  '/v1/integration',
  '/v1/intents',
  '/v1/scenes',
  '/v1/automations',
  '/v1/schedules',
  '/v1/runs',
  '/v1/sensors',
  '/v1/energy',
  '/v1/activity',
  '/v1/gateway/tls',
  '/v1/nothing',
] as const
const PLACES = idPlaces()

/** By what the watched one picks from lists: kinds and sources that hidden things have too. */
const PICKED: readonly Readonly<Record<string, string>>[] = [
  {},
  {},
  { kind: 'state' },
  { kind: 'run' },
  { source: 'gateway' },
  { source: 'automation' },
  { source: 'unit', kind: 'detection' },
]
const CLASSES = ['light_switch', 'switch_gang', 'sensor', 'lock', 'gang_module'] as const

type Action =
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
const action: fc.Arbitrary<Action> = fc.oneof(
  { withCrossShrink: true },
  { weight: 1, arbitrary: fc.constant<Action>({ kind: 'nothing' }) },
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
  { weight: 8, arbitrary: fc.constant<Action>({ kind: 'hidden' }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.constantFrom(1, 700, 1_500, 6_000, 61_000, 61_000, 420_000),
    }),
  },
)

/** One home of a pair, with what its last answers said: pages go on from there. */
class Player {
  readonly tested: NoninterferenceHome
  #nextTo: number | null = null
  #nextCursor: string | null = null
  #seq: number | null = null
  #run: string | null = null
  #asked = 0

  constructor(way: number, seed: number) {
    this.tested = new NoninterferenceHome(way, seed)
  }

  async play(step: Action): Promise<void> {
    switch (step.kind) {
      case 'nothing':
        return undefined
      case 'read':
        return this.#ask({ method: 'GET', path: READS[step.path] ?? '' }, step.stream, step)
      case 'page':
        return this.#page(step)
      case 'ask':
        return this.#ask(await this.#request(step), step.stream, { conditional: step.local % 4 < 2 })
      case 'look': {
        const devices = [...viewOf(this.tested).devices()]
        return this.#ask(
          {
            method: 'GET',
            path: `/v1/devices/${encodeURIComponent(devices[step.which % devices.length]?.id ?? '')}${step.rest}`,
          },
          false,
          { conditional: step.which % 4 < 2 },
        )
      }
      case 'control':
        return this.#ask(
          {
            method: 'POST',
            path: `/v1/devices/${encodeURIComponent(this.#idOf(step.local))}/control`,
            body: OPERATIONS[step.value % OPERATIONS.length],
            ...(step.value % 4 === 0 ? { key: `key-${step.value % 3}` } : {}),
          },
          step.stream,
        )
      case 'batch':
        return this.#ask(
          {
            method: 'POST',
            path: '/v1/control',
            body: this.#manyOf(step),
            ...(step.value % 2 === 0 ? { key: `many-${step.value % 5}` } : {}),
          },
          step.stream,
        )
      case 'try':
        return this.#try(step)
      case 'edit':
        return this.#edit(step.scene, step.value)
      case 'subscribe':
        return this.#subscribe(step.topics, step.since)
      case 'seen':
        return happenSeen(this.tested, step.which, step.value)
      case 'by-hidden':
        return happenBySomethingHidden(this.tested, step.which, step.value)
      case 'link':
        return this.tested.bus.setLink(step.down ? 'radio' : null)
      case 'hidden':
        return happenHidden(this.tested)
      case 'pass':
        return this.tested.pass(step.ms)
    }
  }

  async #ask(
    request: TestRequest,
    stream: boolean,
    how: { conditional?: boolean; gzip?: boolean } = {},
  ): Promise<void> {
    if (!stream) return void (await this.tested.ask(request, how))
    this.#asked += 1
    this.tested.say({
      id: `r${this.#asked}`,
      method: request.method,
      path: request.path,
      query: request.query ?? null,
      body: request.body ?? null,
      idempotencyKey: request.key ?? null,
    })
    return undefined
  }

  async #page({ what, local, limit }: Extract<Action, { kind: 'page' }>): Promise<void> {
    const id = this.#idOf(local)
    if (what === 'energy')
      return void (await this.tested.ask({
        method: 'GET',
        path: '/v1/energy',
        query: { scope: local % 2 === 0 ? 'house' : `device:${id}`, period: 'day' },
      }))
    if (what === 'house' || what === 'state' || what === 'sensors')
      return void (await this.tested.ask(
        {
          method: 'GET',
          path: `/v1/${what}`,
          query: {
            ...(local % 2 === 0 ? { class: CLASSES[limit % CLASSES.length] ?? '' } : {}),
            ...(local % 3 === 0 ? {} : { room: this.tested.id(local % 3 === 1 ? 'room:parlour' : 'room:vault') }),
          },
        },
        { conditional: limit % 2 === 0 },
      ))
    if (what === 'readings')
      return void (await this.tested.ask({
        method: 'GET',
        path: `/v1/devices/${encodeURIComponent(id)}/readings`,
        query: { kind: limit % 2 === 0 ? 'temperature' : 'motion', points: String(limit) },
      }))
    if (what === 'detections') {
      const cursor: Record<string, string> = this.#nextCursor === null ? {} : { cursor: this.#nextCursor }
      const { body } = await this.tested.ask({
        method: 'GET',
        path: `/v1/sensors/${encodeURIComponent(id)}/detections`,
        query: { limit: String(limit), ...cursor },
      })
      this.#nextCursor = (JSON.parse(String(body)) as { nextCursor?: string | null }).nextCursor ?? null
      return undefined
    }
    const query = {
      limit: String(limit),
      ...PICKED[local % PICKED.length],
      ...(local % 3 === 0 ? { device: id } : {}),
      ...(this.#nextTo === null ? {} : { to: String(this.#nextTo) }),
    }
    const { body } = await this.tested.ask({ method: 'GET', path: '/v1/activity', query })
    this.#nextTo = (JSON.parse(String(body)) as { nextTo?: number | null }).nextTo ?? null
    return undefined
  }

  /** A request of the contract with an id in it, right or wrong. */
  async #request({ place: index, local, wrong }: Extract<Action, { kind: 'ask' }>): Promise<TestRequest> {
    const place = PLACES[index]!
    const [automation, schedule] = [await this.#ruleOf('automation', local), await this.#ruleOf('schedule', local)]
    const around: Surroundings = {
      device: this.tested.id(seenKeys(this.tested)[0] ?? 'none'),
      scene: this.tested.id('scene:evening'),
      automation,
      schedule,
    }
    const isRule = place.kinds.includes('automation') || place.kinds.includes('schedule')
    if (place.kinds.includes('run')) return place.request(await this.#runOf(local), around)
    const id = isRule ? (place.kinds.includes('automation') ? automation : schedule) : this.#idOf(local)
    const encoded = place.withWrongBody ? encodeURIComponent(id) : id
    return (wrong ? (place.withWrongBody ?? place.request) : place.request)(encoded, around)
  }

  /** The id of a rule that is seen, as the list has it, or of one that is not. */
  async #ruleOf(kind: 'automation' | 'schedule', local: number): Promise<string> {
    const { body } = await this.tested.ask({ method: 'GET', path: `/v1/${kind}s` })
    const rules = (JSON.parse(String(body)) as Record<string, { id: string }[] | undefined>)[`${kind}s`] ?? []
    if (local % 2 === 0 && rules[0]) return rules[0].id
    const hidden = this.tested.home.rules[`${kind}s`]
      .list()
      .map(({ id }) => this.tested.id(`${kind}:${id}`))
      .find((id) => !rules.some((rule) => rule.id === id))
    return hidden ?? this.tested.id(`${kind}:invented`)
  }

  /** A dry run of something that is stored, seen or not, or of a draft about seen things and perhaps another. */
  async #try({ what, stored, local, value, stream }: Extract<Action, { kind: 'try' }>): Promise<void> {
    if (stored) {
      const scenes = ['scene:evening', 'scene:morning', 'scene:plot'] as const
      const id = what === 'scene' ? this.tested.id(scenes[value % 3]!) : await this.#ruleOf(what, local)
      return this.#ask({ method: 'POST', path: `/v1/${what}s/${encodeURIComponent(id)}/try` }, stream)
    }
    const seen = seenKeys(this.tested).map((key) => this.tested.id(key))
    const device = seen[value % Math.max(1, seen.length)] ?? ''
    const steps = [
      { device, ...OPERATIONS[value % 2] },
      { delay: 1 + (value % 9) },
      ...(value % 3 === 0 ? [{ device: this.#idOf(local), op: 'open' }] : []),
      ...(value % 5 === 0 && what !== 'scene' ? [{ scene: this.tested.id('scene:evening') }] : []),
    ]
    const test = { device: value % 4 === 0 ? this.#idOf(local) : device, state: 'on', is: value % 2 === 0 }
    const rest = {
      scene: { steps },
      automation: { when: [{ time: '12:30' }], if: [test], then: steps },
      schedule: { at: { sun: 'sunset' }, then: steps },
    }[what]
    return this.#ask({ method: 'POST', path: `/v1/${what}s/try`, body: { name: 'Mine', ...rest } }, stream)
  }

  /** The id of the run that was seen last, or of one that is not seen. */
  async #runOf(local: number): Promise<string> {
    const { body } = await this.tested.ask({ method: 'GET', path: '/v1/runs' })
    const { runs } = JSON.parse(String(body)) as { runs: { runId: string }[] }
    this.#run = runs[0]?.runId ?? this.#run
    // Also one that has ended since.
    if (local % 3 > 0 && this.#run !== null) return this.#run
    const hidden = this.tested.home.rules.runs
      .underWay()
      .map(({ id }) => id)
      .find((id) => !runs.some(({ runId }) => runId === id))
    return hidden ?? 'invented'
  }

  /** Reads a scene and edits what is seen of its steps. */
  async #edit(scene: string, value: number): Promise<void> {
    const path = `/v1/scenes/${encodeURIComponent(this.tested.id(`scene:${scene}`))}`
    const { body } = await this.tested.ask({ method: 'GET', path })
    const { scene: read } = JSON.parse(String(body)) as { scene?: { revision: number; steps: object[] } }
    if (!read) return
    const steps =
      value % 3 === 0
        ? read.steps.slice(1)
        : value % 3 === 1
          ? [...read.steps, { delay: 1 + value / 10 }]
          : read.steps.toReversed()
    await this.tested.ask({
      method: 'PATCH',
      path,
      // As a whole, with all that was read, or by its steps alone.
      body: {
        ...(value % 4 === 1 ? read : {}),
        steps,
        ifRevision: value % 10 === 0 ? read.revision + 1 : read.revision,
      },
    })
  }

  /** Control of some devices, or of a room or floor. */
  #manyOf({ locals, place, value }: Extract<Action, { kind: 'batch' }>): object {
    const operation = (shift: number): object => OPERATIONS[(value + shift) % OPERATIONS.length] ?? {}
    const where = /^(room|floor):/.exec(LOCALS[place] ?? '')?.[1]
    return where === undefined
      ? { controls: locals.map((local, index) => ({ device: this.#idOf(local), ...operation(index) })) }
      : { [where]: this.#idOf(place), ...operation(0) }
  }

  #subscribe(topics: readonly number[], since: boolean): void {
    this.#asked += 1
    const subscribe = topics.map((topic) => TOPICS[topic - LOCALS.length] ?? this.#topic(LOCALS[topic] ?? ''))
    this.tested.say({ id: `r${this.#asked}`, subscribe, ...(since && this.#seq !== null ? { since: this.#seq } : {}) })
  }

  #topic(local: string): string {
    const kind = /^(room|floor):/.exec(local)?.[1] ?? 'device'
    return `${kind}:${this.tested.id(local)}`
  }

  #idOf(local: number): string {
    return this.tested.id(LOCALS[local % LOCALS.length] ?? '')
  }

  /** Everything that was told since the last step. */
  async told(): Promise<string[]> {
    await this.tested.settle()
    const told = this.tested.told()
    this.#seq =
      told.map((text) => Number(/"seq":(\d+)/.exec(text)?.[1] ?? NaN)).findLast((seq) => !Number.isNaN(seq)) ??
      this.#seq
    return told
  }
}

const OPERATIONS = [
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

/** Plays the same steps in two homes and answers where what they told first differs, or null. */
async function difference(
  way: number,
  seeds: readonly [number, number],
  steps: readonly Action[],
): Promise<object | null> {
  const [a, b] = [new Player(way, seeds[0]), new Player(way, seeds[1])]
  try {
    await Promise.all([a.tested.start(), b.tested.start()])
    for (const [index, step] of [
      { kind: 'read', path: 0, conditional: false, gzip: true, stream: false } as const,
      ...steps,
    ].entries()) {
      await a.play(step)
      await b.play(step)
      const [toldA, toldB] = [await a.told(), await b.told()]
      const at = toldA.findIndex((text, place) => text !== toldB[place])
      const differs = at >= 0 || toldA.length !== toldB.length
      if (differs)
        return {
          index,
          step,
          a: toldA[Math.max(at, 0)] ?? null,
          b: toldB[Math.max(at, 0)] ?? null,
          counts: [toldA.length, toldB.length],
        }
    }
    const defects = [a, b].flatMap(({ tested }) => tested.log.lines.filter(({ level }) => level === 'error'))
    return defects.length === 0
      ? null
      : { defects: defects.map(({ sentence, fields }) => `${sentence} ${String((fields as { err?: unknown }).err)}`) }
  } finally {
    a.tested.stop()
    b.tested.stop()
  }
}

describe('two homes that differ only in what is hidden', () => {
  // Chance alone would seldom read what was refused.
  const refused: readonly Action[] = [
    ...[0, 4, 8, 12].flatMap((value): Action[] => [
      { kind: 'by-hidden', which: value, value },
      { kind: 'pass', ms: 1_500 },
    ]),
    { kind: 'page', what: 'activity', local: 0, limit: 20 },
    { kind: 'look', which: 2, rest: '/explain' },
  ]
  proves('1.4.noninterference', 'tell alike of an opening that was refused, whoever is behind it', async () => {
    for (const way of WATCHED.keys())
      for (const seed of [1, 2]) expect(await difference(way, [seed, seed + 7], refused)).toBeNull()
  })

  for (const way of WATCHED.keys()) {
    proves(
      '1.4.noninterference',
      `tell the watched integration the same bytes, as ${way + 1} of ${WATCHED.length} sees them`,
      async () => {
        await fc.assert(
          fc.asyncProperty(
            fc.tuple(fc.nat(), fc.nat()),
            fc.array(action, { minLength: STEPS, maxLength: STEPS }),
            async (seeds, steps) => {
              expect(await difference(way, seeds, steps)).toBeNull()
            },
          ),
          { numRuns: SEQUENCES / WATCHED.length },
        )
      },
      { timeout: 60_000 * SEQUENCES },
    )
  }

  test('differ a lot in what is hidden, and the watched one hears a lot', async () => {
    const [a, b] = [new NoninterferenceHome(0, 1), new NoninterferenceHome(0, 2)]
    await Promise.all([a.start(), b.start()])
    expect(JSON.stringify(a.home.house.content())).not.toBe(JSON.stringify(b.home.house.content()))
    expect(a.home.rules.automations.list().map(({ name }) => name)).not.toEqual(
      b.home.rules.automations.list().map(({ name }) => name),
    )
    a.say({ subscribe: ['*'] })
    happenSeen(a, 0, 0)
    await a.settle()
    expect(a.told().some((text) => text.includes('"event":"state"'))).toBe(true)
    a.stop()
    b.stop()
  })
})
