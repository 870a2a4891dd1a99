// @module-tag long
import { expect } from 'vitest'
import { HttpCaller, StreamCaller } from '#support/gateway/callers.ts'
import type { TestHome } from '#support/gateway/harness.ts'
import { type IdPlace, idPlaces } from '#support/gateway/id-places.ts'
import { agentOf } from '#support/gateway/opening-agent.ts'
import { type AskingIntegration, askingIntegration, rulesOf, foreignIds } from '#support/gateway/foreign-ids.ts'
import { proves, type TestRequest } from '#support/gateway/verifies.ts'
import { bytesOf } from '#support/relay/bytes-of.ts'
import { relayedHome } from '#support/relay/relayed-home.ts'
import type { TestRelay } from '#support/relay/test-relay.ts'

const ON_OR_OFF = ['on', 'off']
const KNOBS = ON_OR_OFF.flatMap((automations) =>
  ON_OR_OFF.flatMap((schedules) =>
    ON_OR_OFF.flatMap((structural) =>
      ['read_write', 'off'].map((advanced_config) => ({ automations, schedules, structural, advanced_config })),
    ),
  ),
)
const KINDS = ['key', 'agent', 'session'] as const
/** All places in which the service takes an id, with ids of other homes. */
const PLACES = 22

interface Asker {
  readonly who: AskingIntegration
  readonly token: string
}

async function askers(home: TestHome): Promise<readonly Asker[]> {
  const rules = await rulesOf(home)
  const made: Asker[] = []
  for (const knobs of KNOBS)
    for (const kind of KINDS) {
      const who = await askingIntegration(home, { ...knobs, agent_access: 'on' }, rules)
      const { token } = kind === 'key' ? who.integration : await agentOf(home, who.integration, kind === 'session')
      made.push({ who, token })
    }
  return made
}

/** Some places, with one foreign id of each kind. */
function requestsOf(home: TestHome, { who, token }: Asker, turn: number): readonly TestRequest[] {
  const all = idPlaces()
  const places = Array.from({ length: PLACES }, (_, index) => all[(turn * PLACES + index) % all.length]!)
  return places.flatMap((place) =>
    Object.values(foreignIds(home, place, who)).map((ids) => ({
      ...requestAt(place, ids[turn % ids.length] ?? '', who),
      token,
    })),
  )
}

function requestAt(place: IdPlace, id: string, { around }: AskingIntegration): TestRequest {
  return place.request(place.withWrongBody === undefined ? id : encodeURIComponent(id), around)
}

/** Differences between responses through the relay, over HTTPS and over its stream. */
async function differing(home: TestHome, relay: TestRelay, { token }: Asker, requests: readonly TestRequest[]) {
  await using here = new HttpCaller(home.access(token))
  await using there = new HttpCaller(relay.access(token))
  await using stream = new StreamCaller(relay.access(token))
  const wrong: object[] = []
  for (const request of requests) {
    const [expected, answer, overStream] = [
      await here.call(request),
      await there.call(request),
      await stream.call(request),
    ]
    const isSame = JSON.stringify(bytesOf(answer)) === JSON.stringify(bytesOf(expected))
    if (!isSame) wrong.push({ request, answer: bytesOf(answer), expected: bytesOf(expected) })
    if (overStream.status !== expected.status || overStream.text !== expected.text)
      wrong.push({ request, overStream, expected })
  }
  return wrong
}

proves(
  ['1.2.relay', '1.3.relayed'],
  'all 6,336 requests with a foreign id get the same bytes and headers as in the home network',
  async () => {
    const { relay, home } = await relayedHome()
    let requestCount = 0
    for (const [turn, asker] of (await askers(home)).entries()) {
      const requests = requestsOf(home, asker, turn)
      requestCount += requests.length
      expect(await differing(home, relay, asker, requests)).toEqual([])
    }
    expect(requestCount).toBe(6_336)
  },
)
