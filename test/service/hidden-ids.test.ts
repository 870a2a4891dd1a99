// @module-tag repeated
import { describe, expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { EVERYTHING_ALLOWED, type TestHome, verifies } from '#support/gateway/harness.ts'
import { type IdPlace, idPlaces, type Surroundings } from '#support/gateway/id-places.ts'
import {
  type AskingIntegration,
  askingIntegration,
  EVERYTHING_OFF,
  NOT_FOUND,
  notFoundAt,
  rulesOf,
  VISIBLE,
  visibleLocals,
  foreignIds,
  isShared,
} from '#support/gateway/foreign-ids.ts'
import { times } from '#support/long.ts'

/** `npm test` uses one transport for cases that are equal over both. */
const HTTP_NOW = { over: 'http' } as const
const STREAM_NOW = { over: 'stream' } as const

/** The response without its date. */
function bytesOf({ status, text, headers = {} }: RawAnswer): string {
  const { date: _, ...rest } = headers
  return JSON.stringify([status, text, Object.entries(rest).toSorted(([a], [b]) => (a < b ? -1 : 1))])
}

const inPath = (place: IdPlace): boolean => place.withWrongBody !== undefined
const isRule = (place: IdPlace): boolean => /\/v1\/(?:automations|schedules)/.test(place.name)
/** Deleting a rule is refused for every id. */
const isDeletion = (place: IdPlace): boolean => isRule(place) && place.name.startsWith('DELETE')

/** Number of ids of each sort at one endpoint. Each endpoint gets other ids, so that every id is used. */
const IDS_OF_A_SORT = times(1, Infinity)
/** Number of sorts in addition to the first, the baseline. Each endpoint gets other sorts too. */
const OTHER_SORTS = times(2, Infinity)
/** Number of malformed ids at one endpoint. */
const UNREADABLE = times(1, Infinity)
const REQUESTS_MIN = times(250, 2_000)

/** Part of a list with a maximum length; each turn starts at another position. */
function chosen<T>(all: readonly T[], most: number, turn: number): readonly T[] {
  if (all.length <= most) return all
  const from = (turn * most) % all.length
  return [...all, ...all].slice(from, from + most)
}

/** @param seesRules false if the knobs of rules are off: all rules are refused before the check of the id. */
async function differing(
  home: TestHome,
  who: AskingIntegration,
  seesRules: boolean,
): Promise<{ requestCount: number; wrong: string[] }> {
  const wrong: string[] = []
  let requestCount = 0
  for (const [turn, place] of idPlaces().entries()) {
    let baseline: string | undefined
    const [first, ...others] = Object.entries(foreignIds(home, place, who))
    for (const [why, ids] of [first!, ...chosen(others, OTHER_SORTS, turn)]) {
      for (const id of chosen(ids, IDS_OF_A_SORT, turn)) {
        for (const request of [place.request, ...(place.withWrongBody ? [place.withWrongBody] : [])]) {
          const answer = await home.call({
            ...request(inPath(place) ? encodeURIComponent(id) : id, who.around),
            token: who.integration.token,
          })
          requestCount += 1
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
  return { requestCount, wrong }
}

describe('an id that is hidden, invented, foreign, malformed or of another kind', () => {
  for (const [knobs, settings, over] of [
    ['on', EVERYTHING_ALLOWED, 'http'],
    ['off', EVERYTHING_OFF, 'stream'],
  ] as const) {
    verifies(
      ['1.4.hidden', '2.2.foreign', '7.not-found', 'refusals.order', 'refusals.ids'],
      `gets the same bytes and headers at every endpoint that takes an id, with all knobs ${knobs}`,
      { over },
      async (home) => {
        const { requestCount, wrong } = await differing(
          home,
          await askingIntegration(home, settings, await rulesOf(home)),
          settings.automations === 'on',
        )
        expect(wrong).toEqual([])
        expect(requestCount).toBeGreaterThan(REQUESTS_MIN)
      },
    )
  }

  verifies(['1.4.hidden'], 'differs from a visible id, which every endpoint accepts', HTTP_NOW, async (home) => {
    const rules = await rulesOf(home)
    const who = await askingIntegration(home, EVERYTHING_ALLOWED, rules)
    for (const place of idPlaces()) {
      for (const kind of place.kinds) {
        const [local = ''] = visibleLocals(kind, rules)
        const id = isShared(kind) ? local : home.id(local, who.integration)
        const answer = await home.call({
          ...place.request(inPath(place) ? encodeURIComponent(id) : id, who.around),
          token: who.integration.token,
        })
        // A light lacks sensors and some settings, but it exists.
        expect(answer.text, `${place.name} ${kind}`).not.toBe(notFoundAt(place))
      }
    }
  })

  verifies(['1.4.hidden'], 'that cannot even be read is not there either', STREAM_NOW, async (home) => {
    const { integration } = await askingIntegration(home, EVERYTHING_ALLOWED, await rulesOf(home))
    const unreadable = [
      '%',
      '%zz',
      '%c3%28',
      '%ff',
      'x'.repeat(257),
      encodeURIComponent('ü'.repeat(300)),
      '%41'.repeat(300),
      'x'.repeat(2_000),
    ]
    const places = idPlaces().filter((place) => inPath(place) && !isDeletion(place))
    for (const [turn, place] of places.entries()) {
      for (const raw of chosen(unreadable, UNREADABLE, turn)) {
        const answer = await home.call({ ...place.request(raw, {} as Surroundings), token: integration.token })
        expect({ status: answer.status, text: answer.text }, `${place.name} ${raw.slice(0, 20)}`).toEqual({
          status: 404,
          text: notFoundAt(place),
        })
      }
    }
  })

  verifies(['6.2.hidden', 'stream.hidden-topic'], 'is no topic of the stream', async (home) => {
    const who = await askingIntegration(home, EVERYTHING_ALLOWED, await rulesOf(home))
    const socket = await home.socket(who.integration.token)
    for (const [prefix, kinds] of [
      ['device', ['device', 'scene']],
      ['room', ['room']],
      ['floor', ['floor']],
    ] as const) {
      const place: IdPlace = { name: prefix, kinds, request: () => ({ method: '', path: '' }) }
      for (const [why, ids] of Object.entries(foreignIds(home, place, who))) {
        for (const id of ids.filter((id) => id !== '')) {
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
            subscribe: [`${prefix}:${home.id(VISIBLE[kind][0] ?? '', who.integration)}`],
          }),
        ).toContain('"status":200')
    }
    socket.close()
  })
})
