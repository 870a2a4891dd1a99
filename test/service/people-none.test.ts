// @module-tag repeated
import * as fc from 'fast-check'
import { describe, expect } from 'vitest'
import { type TestHome, type TestIntegration, verifiesAlone } from '#support/gateway/harness.ts'
import { power, RuleCalls } from '#support/gateway/rule-calls.ts'
import { times } from '#support/long.ts'
import type { TestRequest } from '#support/gateway/verifies.ts'

const verifies = verifiesAlone(() => ({}), { over: 'http' })

const NAMES = ['Zebulon', 'Philomena', 'Quartermain']
const EVERYTHING = { advanced_config: 'read_write', structural: 'on', automations: 'on', schedules: 'on' }
const ANSWERS = times(100, 10_000)
const BY_HAND = { source: 'person', name: 'Zebulon' } as const
const STATES = ['home', 'away', 'unknown'] as const

const acted = (at: number) =>
  ({ at, kind: 'state', subject: { kind: 'device', id: 'hall-light' }, what: 'turned on', cause: BY_HAND }) as const

/** Requests of an integration that sees everything except people. */
function requestsOf(home: TestHome, who: TestIntegration, persons: readonly string[]): readonly TestRequest[] {
  const light = encodeURIComponent(home.id('hall-light', who))
  const paths = ['house', 'state', 'integration', 'mode', 'persons', 'scenes', 'groups', 'automations', 'schedules']
  const person = (id: string): TestRequest => ({
    method: 'PUT',
    path: `/v1/persons/${id}/presence`,
    body: { is: 'home' },
  })
  const rule = (id: string): TestRequest => ({
    method: 'POST',
    path: '/v1/automations',
    body: { name: 'Mine', when: [{ person: id, is: 'home' }], then: [{ delay: 1 }] },
  })
  return [
    ...[...paths, 'activity', 'activity?limit=200', 'messages', `devices/${light}`, `devices/${light}/explain`].map(
      (path): TestRequest => ({ method: 'GET', path: `/v1/${path}` }),
    ),
    ...persons.flatMap((id) => [person(id), rule(id)]),
    rule('anyone'),
  ]
}

describe('an integration that sees everything but people', () => {
  verifies('devices.presence-none', 'gets no name of a person, whatever it asks', async (home) => {
    const { admin } = home.running
    const persons: string[] = []
    for (const name of NAMES)
      persons.push((await admin.call<{ person: { id: string } }>('POST', '/persons', { name })).person.id)
    const phone = await home.integrate({ people: 'each', reports: persons, settings: EVERYTHING })
    const rules = new RuleCalls(home, 'automation', phone)
    for (const [index, person] of [...persons, 'anyone'].entries())
      await rules.create({
        name: `Arrival ${index}`,
        when: [{ person, is: 'home' }],
        then: [power(home, 'hall-light', index % 2 === 0, phone)],
      })
    const hiding = await home.integrate({ settings: EVERYTHING })
    const socket = await home.socket(hiding.token)
    await socket.subscribe(['*', 'message', 'mode'])
    const requests = requestsOf(home, hiding, persons)
    let named = 0
    const count = (text: string): void => {
      named += NAMES.filter((name) => text.includes(name)).length
    }
    const choices = fc.sample(fc.record({ at: fc.nat(), person: fc.nat(), by: fc.boolean() }), ANSWERS)
    for (const { at, person, by } of choices) {
      const [id, is] = [persons[person % persons.length], STATES[at % STATES.length]]
      const path = `/v1/persons/${id}/presence`
      if (at % 3 === 0) home.running.gateway.stores.history.activity.record(acted(home.running.clock.now()))
      if (at % 7 === 0 && by) home.running.gateway.home.presences.report(id ?? '', is ?? 'home', BY_HAND)
      else if (at % 7 === 0) await home.call({ method: 'PUT', path, body: { is }, token: phone.token })
      const request = requests[at % requests.length]
      if (request) count((await home.call({ ...request, token: hiding.token })).text)
    }
    for (const event of socket.events) count(JSON.stringify(event))
    socket.close()
    console.info(`Names of people in ${ANSWERS} answers and ${socket.events.length} events without people: ${named}.`)
    expect(named).toBe(0)
    expect((await home.call({ method: 'GET', path: '/v1/persons', token: phone.token })).text).toContain(NAMES[0])
  })
})
