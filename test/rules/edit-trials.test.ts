// @module-tag repeated
import { describe, expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { type TestHome, type TestIntegration, verifiesOver } from '#support/gateway/harness.ts'
import { power, RuleCalls, type RuleObject } from '#support/gateway/rule-calls.ts'
import { casesOf } from '#support/long.ts'

const verifies = verifiesOver('stream')

type Kind = 'automation' | 'schedule'

const WHEN = { automation: { when: [{ time: '07:00' }] }, schedule: { at: { time: '07:00' } } }
const LATER = { automation: { when: [{ time: '08:00' }] }, schedule: { at: { time: '08:00' } } }

const patch = (home: TestHome, path: string, body: object, who: TestIntegration = home.main): Promise<RawAnswer> =>
  home.call({ method: 'PATCH', path, body, token: who.token })

const pathOf = (kind: Kind, { id }: RuleObject): string => `/v1/${kind}s/${encodeURIComponent(id)}`

/** The trial, and the response to saving the same edit. */
async function triedAndSaved(
  home: TestHome,
  kind: Kind,
  rule: RuleObject,
  edit: object,
  who?: TestIntegration,
): Promise<readonly [RawAnswer, RawAnswer]> {
  const path = pathOf(kind, rule)
  const before = await home.get(`/v1/${kind}s`)
  const tried = await patch(home, `${path}/try`, edit, who)
  expect(await home.get(`/v1/${kind}s`)).toEqual(before)
  return [tried, await patch(home, path, edit, who)]
}

describe('a trial of an edit', () => {
  for (const kind of casesOf(['automation', 'schedule'] as const, 2)) {
    verifies('automations.dry-run-edit', `of one ${kind} judges the rule after the edit`, async (home) => {
      const study = power(home, 'study-light', true)
      const rule = await new RuleCalls(home, kind).create({ name: 'Tried', ...WHEN[kind], then: [study] })
      const hall = power(home, 'hall-light', false)
      const edit = { ifRevision: rule.revision, ...LATER[kind], then: [{ delay: 5 }, hall] }
      const [tried, saved] = await triedAndSaved(home, kind, rule, edit)
      expect(tried).toMatchObject({
        status: 200,
        body: { refused: null, steps: [{ step: { delay: 5 } }, { step: hall, after: 5, refused: null }] },
      })
      const { nextRuns } = tried.body as { nextRuns: readonly number[] }
      for (const at of nextRuns)
        expect(new Date(at).toLocaleTimeString('de', { timeZone: 'Europe/Berlin' })).toBe('08:00:00')
      expect(saved).toMatchObject({ status: 200 })
    })

    verifies('automations.dry-run-edit', `of one ${kind} is refused like saving it`, async (home) => {
      const study = power(home, 'study-light', true)
      const rule = await new RuleCalls(home, kind).create({ name: 'Tried', ...WHEN[kind], then: [study] })
      const stale = { ifRevision: rule.revision + 7, name: 'Stale' }
      const hidden = { ifRevision: rule.revision, then: [{ ...study, device: home.id('nothing') }] }
      const wrong = { ifRevision: rule.revision, then: [{ ...study, op: 'open', args: {} }] }
      const readOnlyChange = { ifRevision: rule.revision, id: 'another' }
      for (const edit of [stale, hidden, wrong, readOnlyChange, { name: 'Without' }]) {
        const [tried, saved] = await triedAndSaved(home, kind, rule, edit)
        expect([tried.status, tried.body]).toEqual([saved.status, saved.body])
        expect(tried.status).toBeGreaterThanOrEqual(404)
      }
    })

    verifies('automations.dry-run-edit', `of one ${kind} names the missing permission`, async (home) => {
      const gate = { device: home.id('driveway-gate'), op: 'open', args: {} }
      const rule = await new RuleCalls(home, kind).create({ name: 'Opener', ...WHEN[kind], then: [gate] })
      const who = await home.integrate({ settings: { automations: 'on', schedules: 'on' } })
      const own: RuleObject = { ...rule, id: rule.id.replace(home.main.id, who.id) }
      const [renamed, saved] = await triedAndSaved(home, kind, own, { ifRevision: rule.revision, name: 'Gate' }, who)
      expect(renamed).toMatchObject({ status: 200, body: { refused: null } })
      expect(saved.status).toBe(200)
      const edit = { ifRevision: rule.revision + 1, ...LATER[kind] }
      const [tried, refused] = await triedAndSaved(home, kind, own, edit, who)
      expect(tried).toMatchObject({ status: 200, body: { refused: { code: 'unlock_not_allowed' } } })
      expect(refused).toMatchObject({ status: 403, body: { error: { code: 'unlock_not_allowed' } } })
    })
  }
})
