import { describe, expect } from 'vitest'
import { commandsOf } from '#support/gateway/await-home.ts'
import { type TestHome, type TestIntegration, verifiesIn } from '#support/gateway/harness.ts'
import { power, RuleCalls, statusAndCode } from '#support/gateway/rule-calls.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { passTime, SECOND } from '#support/homes/intent-house.ts'

const clock = new PassingClock()
const verifies = verifiesIn(() => ({ clock }))

const GATE = 91
const MAY = { allow_unlock: 'on', automations: 'on', schedules: 'on' }

let created = 0

async function newPerson(home: TestHome): Promise<string> {
  const name = `Resident ${++created} via ${home.transport}`
  const { person } = await home.running.admin.call<{ person: { id: string } }>('POST', '/persons', { name })
  return person.id
}

async function report(home: TestHome, id: string, is: string, { token }: TestIntegration): Promise<void> {
  const put = { method: 'PUT', path: `/v1/persons/${id}/presence`, body: { is }, token } as const
  const answer = await clock.hasten(home.call(put))
  expect(answer.status, answer.text).toBe(200)
  await passTime(home, clock, SECOND)
}

describe('rules about presence', () => {
  verifies('automations.presence', 'a rule starts with a presence and asks for one', async (home) => {
    const anna = await newPerson(home)
    const who = await home.integrate({ people: 'each', reports: [anna], settings: MAY })
    await report(home, anna, 'away', who)
    const automations = new RuleCalls(home, 'automation', who)
    const made = await automations.create({
      name: 'Coming home',
      when: [{ person: anna, is: 'home' }],
      if: [{ person: anna, is: 'home' }],
      then: [power(home, 'studio-light', true, who)],
    })
    expect(made).toMatchObject({ when: [{ person: anna, is: 'home' }], if: [{ person: anna, is: 'home' }] })
    const path = `/v1/automations/${encodeURIComponent(made.id)}/try`
    const dry = await home.call({ method: 'POST', path, token: who.token })
    expect(dry.body).toMatchObject({
      because: expect.stringMatching(/^This condition is not met right now: Resident .* is home\.$/) as string,
    })
    await report(home, anna, 'home', who)
    const { entries } = (await home.get('/v1/activity?limit=10', who.token)) as { entries: { cause: object }[] }
    expect(entries.map(({ cause }) => cause)).toContainEqual(
      expect.objectContaining({
        source: 'automation',
        name: 'Coming home',
        by: { source: 'presence', name: 'presence', ref: anna, by: expect.objectContaining({ link: who.link }) },
      }),
    )
    for (const bad of [{ person: anna, is: 'unknown' }, { person: anna }, { person: anna, is: 'home', within: 5 }]) {
      const draft = { name: 'Bad', when: [{ time: '04:00' }], if: [bad], then: [{ delay: 1 }] }
      expect(await automations.send('POST', undefined, draft)).toMatchObject({ status: 422 })
    }
  })

  verifies('automations.presence', 'a rule that names a hidden person is hidden', async (home) => {
    const anna = await newPerson(home)
    const [hiding, seeing] = [
      await home.integrate({ settings: MAY }),
      await home.integrate({ people: 'each', settings: MAY }),
    ]
    const rules = new RuleCalls(home, 'schedule', seeing)
    const made = await rules.create({
      name: 'If Anna',
      at: { time: '23:00' },
      if: [{ person: anna, is: 'home' }],
      then: [{ delay: 1 }],
    })
    const hidden = rules.as(hiding)
    expect(statusAndCode(await hidden.send('GET', hidden.mine(made.id)))).toEqual([404, 'not_found'])
    const draft = (person: string): object => ({
      name: 'Mine',
      at: { time: '23:00' },
      if: [{ person, is: 'home' }],
      then: [{ delay: 1 }],
    })
    const texts = await Promise.all(
      [anna, 'nobodyhere', 'anyone'].map(async (id) => (await hidden.send('POST', undefined, draft(id))).text),
    )
    expect(new Set(texts).size).toBe(1)
    const anyone = rules.as(await home.integrate({ people: 'anyone', settings: MAY }))
    expect(statusAndCode(await anyone.send('GET', anyone.mine(made.id)))).toEqual([404, 'not_found'])
    expect(await anyone.send('POST', undefined, draft('anyone'))).toMatchObject({ status: 201 })
  })

  verifies('automations.presence-opens-nothing', 'a presence opens a gate only for a caller who may', async (home) => {
    const anna = await newPerson(home)
    const opener = await home.integrate({ people: 'each', settings: MAY })
    const opening = new RuleCalls(home, 'automation', opener)
    const gate = { device: home.id('driveway-gate', opener), op: 'open' }
    await opening.create({ name: 'Anna comes', when: [{ person: anna, is: 'home' }], then: [gate] })
    const careful = await home.integrate({ expose: ['nothing'], reports: [anna] })
    const allowed = await home.integrate({ reports: [anna], settings: MAY })
    for (const [who, opens] of [
      [careful, 0],
      [allowed, 1],
    ] as const) {
      await report(home, anna, 'away', who)
      const before = commandsOf(home, GATE)
      await report(home, anna, 'home', who)
      expect(commandsOf(home, GATE) - before).toBe(opens)
    }
  })
})
