import { describe, expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { EVERYTHING_ALLOWED, type TestHome, type TestIntegration, verifies } from '#support/gateway/harness.ts'
import { type IdKind, type IdPlace, idPlaces, type Surroundings } from '#support/gateway/id-places.ts'
import { times } from '#support/long.ts'

const EXPOSE = ['room:study', 'floor:top-floor', 'gang:bedside-panel:0', 'scene:dinner']
const EVERYTHING_OFF = {
  advanced_config: 'off',
  structural: 'off',
  automations: 'off',
  schedules: 'off',
  allow_unlock: 'off',
  agent_access: 'off',
}
const NOT_FOUND = '{"error":{"code":"not_found","message":"There is no such thing here. Ids come from GET /v1/house."}}'

const NO_RULE = /\/v1\/(automation|schedule|run)s\/\{id\}(?:\/(?:try|stop))?$/

/** Rules and runs are not in the house, so their paths say where their ids come from. */
function notFoundAt({ name }: IdPlace): string {
  const [, kind] = NO_RULE.exec(name) ?? []
  return kind === undefined ? NOT_FOUND : NOT_FOUND.replace('thing', kind).replace('/v1/house', `/v1/${kind}s`)
}

/** Things of the demo house that these exposures show, and that they hide, by local ids. */
type RuleId = 'automation' | 'schedule' | 'run'

const SHOWN: Readonly<Record<Exclude<IdKind, RuleId>, readonly string[]>> = {
  device: ['study-light'],
  scene: ['scene:dinner'],
  room: ['room:studio'],
  floor: ['floor:top-floor'],
}
const HIDDEN: Readonly<Record<Exclude<IdKind, RuleId>, readonly string[]>> = {
  device: [
    'hall-light',
    'front-door',
    'kitchen-panel',
    'kitchen-panel:1',
    'bedside-panel:1',
    'living-climate',
    'house-meter',
  ],
  scene: ['scene:good-night'],
  room: ['room:hall', 'room:garden'],
  floor: ['floor:ground-floor'],
}
const INVENTED: Readonly<Record<IdKind, readonly string[]>> = {
  device: ['invented', 'study-light:0', 'bedside-panel:7'],
  scene: ['scene:invented'],
  room: ['room:invented'],
  floor: ['floor:invented'],
  automation: ['automation:invented'],
  schedule: ['schedule:invented'],
  run: ['run:invented'],
}

/** One integration with what exists for it, and what does not. */
interface Asking {
  readonly integration: TestIntegration
  readonly around: Surroundings
  /** Local ids of rules and ids of runs: one that it sees, one that it does not. */
  readonly rules: Readonly<Record<RuleId, { readonly shown: string; readonly hidden: string }>>
}

async function made(home: TestHome, path: string, body: object, token: string): Promise<string> {
  const answer = await home.call({ method: 'POST', path, body, token })
  expect(answer.status, answer.text).toBe(201)
  const [thing] = Object.values(answer.body as object).filter((each) => typeof each === 'object') as { id: string }[]
  return thing?.id.split(':').slice(2).join(':') ?? ''
}

/** Rules that the narrow integrations see, and some over what is hidden from them. */
async function rulesOf(home: TestHome): Promise<Asking['rules']> {
  const body = (local: string): object => ({
    name: 'Rule',
    then: [{ device: home.id(local), op: 'set_power', args: { on: true } }],
  })
  const automation = (local: string) =>
    made(home, '/v1/automations', { ...body(local), when: [{ time: '04:00' }] }, home.main.token)
  const schedule = (local: string) =>
    made(home, '/v1/schedules', { ...body(local), at: { time: '04:00' } }, home.main.token)
  return {
    automation: { shown: await automation('study-light'), hidden: await automation('hall-light') },
    schedule: { shown: await schedule('study-light'), hidden: await schedule('hall-light') },
    run: { shown: await runOf(home, 'scene:dinner'), hidden: await runOf(home, 'scene:good-night') },
  }
}

/** A run has one id for everybody. */
async function runOf(home: TestHome, scene: string): Promise<string> {
  const answer = await home.call({ method: 'POST', path: `/v1/scenes/${encodeURIComponent(home.id(scene))}/run` })
  return (answer.body as { run: { runId: string } }).run.runId
}

const isRuleId = (kind: IdKind): kind is RuleId => kind === 'automation' || kind === 'schedule' || kind === 'run'

async function asking(home: TestHome, settings: Record<string, string>, rules: Asking['rules']): Promise<Asking> {
  const integration = await home.integrate({ expose: EXPOSE, settings })
  const id = (local: string): string => home.id(local, integration)
  return {
    integration,
    rules,
    around: {
      device: id('study-light'),
      scene: id('scene:dinner'),
      automation: id(rules.automation.shown),
      schedule: id(rules.schedule.shown),
    },
  }
}

function shownLocals(kind: IdKind, rules: Asking['rules']): readonly string[] {
  return isRuleId(kind) ? [rules[kind].shown] : SHOWN[kind]
}

/** Ids that are none of this integration's, by what they are; all of them have to look the same to it. */
function strangers(
  home: TestHome,
  { kinds }: IdPlace,
  { integration, rules }: Asking,
): Readonly<Record<string, readonly string[]>> {
  const id = (local: string): string => home.id(local, integration)
  const own = kinds.flatMap((kind) => (kind === 'run' ? ['run'] : shownLocals(kind, rules)))
  const wrongKinds = (Object.keys(INVENTED) as IdKind[]).filter((kind) => !kinds.includes(kind))
  const hidden = kinds.flatMap((kind) =>
    kind === 'run' ? [rules.run.hidden] : (isRuleId(kind) ? [rules[kind].hidden] : HIDDEN[kind]).map(id),
  )
  return {
    invented: kinds.flatMap((kind) => INVENTED[kind]).map(id),
    hidden,
    'of another integration': own.map((local) => home.id(local)),
    'of another gateway': own.map((local) => id(local).replace(/^[^:]+/, 'aaaaaaaaaaaa')),
    malformed: [
      'nonsense',
      'a:b',
      ':',
      ':::',
      '__proto__',
      'constructor',
      id(''),
      id('study-light:0:0'),
      id('study-light:'),
      `${id(own[0] ?? '')} `,
      id(own[0] ?? '').toUpperCase(),
      id(`${own[0]}\u0000`),
      id('Küche'),
      '%2e%2e',
      '{id}',
      own[0] ?? '',
      `${integration.id}:${own[0]}`,
    ],
    'of another kind of thing': wrongKinds.flatMap((kind) => shownLocals(kind, rules)).map(id),
  }
}

/** The answer but for its date. */
function bytesOf({ status, text, headers = {} }: RawAnswer): string {
  const { date: _, ...rest } = headers
  return JSON.stringify([status, text, Object.entries(rest).toSorted(([a], [b]) => (a < b ? -1 : 1))])
}

const inPath = (place: IdPlace): boolean => place.withWrongBody !== undefined
const isRule = (place: IdPlace): boolean => /\/v1\/(?:automations|schedules)/.test(place.name)
/** Deleting a rule is refused whatever it names. */
const isDeletion = (place: IdPlace): boolean => isRule(place) && place.name.startsWith('DELETE')

/** How many ids of each sort every place is asked for: others at each, so that every id has its turn. */
const IDS_OF_A_SORT = times(1, Infinity)
const LEAST_ASKED = times(500, 2_000)

function chosen(ids: readonly string[], turn: number): readonly string[] {
  if (ids.length <= IDS_OF_A_SORT) return ids
  const from = (turn * IDS_OF_A_SORT) % ids.length
  return [...ids, ...ids].slice(from, from + IDS_OF_A_SORT)
}

/** @param seesRules false where rules are switched off: all of them are refused before any id is looked at. */
async function differing(home: TestHome, who: Asking, seesRules: boolean): Promise<{ asked: number; wrong: string[] }> {
  const wrong: string[] = []
  let asked = 0
  for (const [turn, place] of idPlaces().entries()) {
    let baseline: string | undefined
    for (const [why, ids] of Object.entries(strangers(home, place, who))) {
      for (const id of chosen(ids, turn)) {
        for (const request of [place.request, ...(place.withWrongBody ? [place.withWrongBody] : [])]) {
          const answer = await home.call({
            ...request(inPath(place) ? encodeURIComponent(id) : id, who.around),
            token: who.integration.token,
          })
          asked += 1
          const bytes = bytesOf(answer)
          baseline ??= bytes
          if (bytes !== baseline)
            wrong.push(`${place.name}, ${why} ${id}: ${bytes.slice(0, 300)} instead of ${baseline.slice(0, 300)}`)
          const status = isDeletion(place) || (isRule(place) && !seesRules) ? 403 : 404
          if (answer.status !== status || (status === 404 && answer.text !== notFoundAt(place)))
            wrong.push(`${place.name}, ${why} ${id}: ${answer.status} ${answer.text.slice(0, 200)}`)
        }
      }
    }
  }
  return { asked, wrong }
}

describe('an id that is hidden, invented, another’s, malformed or of another kind', () => {
  for (const [knobs, settings] of [
    ['on', EVERYTHING_ALLOWED],
    ['off', EVERYTHING_OFF],
  ] as const) {
    verifies(
      ['1.4.hidden', '2.2.foreign', '7.not-found', 'refusals.order', 'refusals.ids'],
      `gets the same bytes and headers wherever an id is taken, with all knobs ${knobs}`,
      async (home) => {
        const { asked, wrong } = await differing(
          home,
          await asking(home, settings, await rulesOf(home)),
          settings.automations === 'on',
        )
        expect(wrong).toEqual([])
        expect(asked).toBeGreaterThan(LEAST_ASKED)
      },
    )
  }

  verifies(['1.4.hidden'], 'is told apart from one that is there: each place takes what is shown', async (home) => {
    const rules = await rulesOf(home)
    const who = await asking(home, EVERYTHING_ALLOWED, rules)
    for (const place of idPlaces()) {
      for (const kind of place.kinds) {
        const [local = ''] = shownLocals(kind, rules)
        const id = kind === 'run' ? local : home.id(local, who.integration)
        const answer = await home.call({
          ...place.request(inPath(place) ? encodeURIComponent(id) : id, who.around),
          token: who.integration.token,
        })
        // A light has no sensor to detect with, and no setting of some names; but it is there.
        expect(answer.text, `${place.name} ${kind}`).not.toBe(notFoundAt(place))
      }
    }
  })

  verifies(['1.4.hidden'], 'that cannot even be read is not there either', async (home) => {
    const { integration } = await asking(home, EVERYTHING_ALLOWED, await rulesOf(home))
    for (const raw of [
      '%',
      '%zz',
      '%c3%28',
      '%ff',
      'x'.repeat(257),
      encodeURIComponent('ü'.repeat(300)),
      '%41'.repeat(300),
      'x'.repeat(2_000),
    ]) {
      for (const place of idPlaces().filter((each) => inPath(each) && !isDeletion(each))) {
        const answer = await home.call({ ...place.request(raw, {} as Surroundings), token: integration.token })
        expect({ status: answer.status, text: answer.text }, `${place.name} ${raw.slice(0, 20)}`).toEqual({
          status: 404,
          text: notFoundAt(place),
        })
      }
    }
  })

  verifies(['6.2.hidden', 'stream.hidden-topic'], 'is no topic of the stream', async (home) => {
    const who = await asking(home, EVERYTHING_ALLOWED, await rulesOf(home))
    const socket = await home.socket(who.integration.token)
    for (const [prefix, kinds] of [
      ['device', ['device', 'scene']],
      ['room', ['room']],
      ['floor', ['floor']],
    ] as const) {
      const place: IdPlace = { name: prefix, kinds, request: () => ({ method: '', path: '' }) }
      for (const [why, ids] of Object.entries(strangers(home, place, who))) {
        for (const id of ids.filter((each) => each !== '')) {
          expect(
            await socket.ask('t', { id: 't', subscribe: ['state', `${prefix}:${id}`] }),
            `${prefix} ${why} ${id}`,
          ).toBe(`{"id":"t","status":404,"body":${NOT_FOUND}}`)
        }
      }
      for (const kind of kinds)
        expect(
          await socket.ask('t', {
            id: 't',
            subscribe: [`${prefix}:${home.id(SHOWN[kind][0] ?? '', who.integration)}`],
          }),
        ).toContain('"status":200')
    }
    socket.close()
  })
})
