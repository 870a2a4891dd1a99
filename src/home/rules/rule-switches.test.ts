import { describe, expect, it } from 'vitest'
import { ANNA, automation, off, on, type RulesHome, startedRules } from '#support/homes/rules-home.ts'
import { proves } from '#support/gateway/verifies.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'
import type { Trigger } from '../model/rules.ts'
import { SWITCH_CHECK_MS } from './rule-switches.ts'

const HERS = { integration: 'i1', link: 'hers' }
const EYE: Trigger = { device: 'eye', detection: 'motion' }
const DOOR: Trigger = { device: 'door', detection: 'motion' }

const triggered = async (home: RulesHome, unit = 'eye'): Promise<void> => {
  home.detect(unit)
  await home.pass(0)
}
const ruleOf = (home: RulesHome, id: string) => home.rules.automations.get(id)!

describe('a step that switches a rule', () => {
  proves('automations.switch-step', 'edits it: a new revision, the same author, an entry with the cause', async () => {
    const home = startedRules()
    const made = home.rules.automations.create(automation({ when: [DOOR], then: [on('lamp')] }), HERS, ANNA)
    if (!made.ok) throw new Error(made.error.kind)
    const { id } = made.value
    home.automation({ name: 'Vacation', when: [EYE], then: [{ rule: `automation:${id}`, enabled: false }] })
    await triggered(home)
    expect(ruleOf(home, id)).toMatchObject({ enabled: false, revision: 2, author: HERS })
    expect(home.changes()).toContain('turned off')
    await triggered(home, 'door')
    expect(home.devices).toEqual([])
    await triggered(home)
    expect(ruleOf(home, id).revision).toBe(2)
  })

  it('switches schedules too, and fails for a deleted rule', async () => {
    const home = startedRules()
    const timer = home.schedule({ enabled: false, at: { time: '13:00' } })
    home.automation({
      when: [EYE],
      then: [
        { rule: `schedule:${timer}`, enabled: true },
        { rule: 'automation:gone', enabled: true },
      ],
    })
    await triggered(home)
    await home.pass(HOUR_MS)
    expect(home.devices).toEqual(['lamp'])
    expect(home.log.find(({ kind }) => kind === 'failed')?.data).toMatchObject({
      failures: [{ step: 1, reason: 'no_rule' }],
    })
  })

  it('lets the run of a rule that switches itself off go on, and no further one start', async () => {
    const home = startedRules()
    const id = home.automation({ when: [EYE] })
    const then = [{ rule: `automation:${id}`, enabled: false }, on('a'), { delay: 60 }, on('b')]
    home.rules.automations.update(id, { then }, 1, ANNA, null)
    await triggered(home)
    await home.pass(30_000)
    const next = home.restarted()
    next.rules.start()
    await next.pass(MINUTE_MS)
    expect([...home.devices, ...next.devices]).toEqual(['b'])
    await triggered(next)
    expect(ruleOf(next, id)).toMatchObject({ enabled: false, revision: 3 })
    expect(next.entries('run')).toEqual([])
  })

  it('ends no pause: a loop stays cut', async () => {
    const home = startedRules()
    const id = home.automation({ when: [{ scene: 's' }], then: [{ scene: 's' }], mode: 'restart' })
    home.scene('s', [])
    const rule = `automation:${id}`
    home.automation({
      when: [EYE],
      then: [
        { rule, enabled: false },
        { rule, enabled: true },
      ],
    })
    home.rules.scenes.run('s', ANNA, 'person')
    await home.pass(1_000)
    expect(ruleOf(home, id).paused).toBe(true)
    await triggered(home)
    expect(ruleOf(home, id)).toMatchObject({ enabled: true, paused: true })
  })

  it('that starts its own trigger again counts towards a loop', async () => {
    const home = startedRules((it) => it.power('lamp', true))
    const id = home.automation({ when: [{ device: 'lamp', state: 'on', is: true, for: 1 }] })
    const rule = `automation:${id}`
    const then = [
      { rule, enabled: false },
      { rule, enabled: true },
    ]
    home.rules.automations.update(id, { then, mode: 'restart' }, 1, ANNA, null)
    await home.pass(5 * MINUTE_MS)
    expect(ruleOf(home, id).paused).toBe(true)
    expect(home.entries('run').length).toBeLessThan(20)
  })
})

describe('a step that switches on a rule that opens', () => {
  const opening = (): { readonly home: RulesHome; readonly id: string } => {
    const home = startedRules()
    const then = [{ device: 'door-1', op: 'open' as const }]
    const id = home.automation({ enabled: false, when: [DOOR], then })
    const switching = automation({ when: [EYE], then: [{ rule: `automation:${id}`, enabled: true }] })
    const made = home.rules.automations.create(switching, HERS, ANNA)
    if (!made.ok) throw new Error(made.error.kind)
    return { home, id }
  }

  proves('automations.switch-opens', 'needs the right of its author to open when it runs', async () => {
    const { home, id } = opening()
    home.refusals.set(HERS.link, 'unlock_off')
    await triggered(home)
    expect(ruleOf(home, id)).toMatchObject({ enabled: false, revision: 1 })
    expect(home.log.at(-1)).toMatchObject({ kind: 'failed', data: { failures: [{ reason: 'not_allowed' }] } })
    home.refusals.clear()
    await triggered(home)
    expect(ruleOf(home, id)).toMatchObject({ enabled: true, author: null })
  })

  it('opens through any number of rules, also in circles', () => {
    const { home } = opening()
    const first = home.rules.automations.list().at(-1)!
    const chained = home.automation({ then: [{ rule: `automation:${first.id}`, enabled: true }] })
    const never = home.automation({ then: [{ rule: `automation:${first.id}`, enabled: false }] })
    home.rules.automations.update(
      first.id,
      { then: [...first.then, { rule: `automation:${chained}`, enabled: true }] },
      1,
      ANNA,
      HERS,
    )
    expect(home.rules.switches.opens(ruleOf(home, chained))).toBe(true)
    expect(home.rules.switches.opens(ruleOf(home, never))).toBe(false)
    expect(home.rules.openers.affectedRules((author) => author.link === 'hers').map(({ id }) => id)).toEqual([first.id])
  })
})

describe('a temporary switch', () => {
  const END = 3 * HOUR_MS
  const switched = (enabled = false): { readonly home: RulesHome; readonly id: string } => {
    const home = startedRules()
    const id = home.automation({ when: [EYE], then: [off('lamp')] })
    const of = { kind: 'automation', id } as const
    home.rules.switches.endAt(of, enabled, home.clock.now() + END, ANNA)
    home.rules.automations.update(id, { enabled }, 1, ANNA, null)
    return { home, id }
  }

  proves('automations.switch-until', 'ends at its time, also over a restart', async () => {
    const { home, id } = switched()
    await home.pass(END - 1)
    expect(ruleOf(home, id).enabled).toBe(false)
    await home.pass(1)
    expect(ruleOf(home, id)).toMatchObject({ enabled: true, revision: 3 })
    const other = switched()
    const next = other.home.restarted(END + MINUTE_MS)
    expect(next.rules.switches.untilOf({ kind: 'automation', id: other.id })).not.toBeNull()
    next.rules.start()
    expect(ruleOf(next, other.id).enabled).toBe(true)
    expect(next.restarted().rules.switches.untilOf({ kind: 'automation', id: other.id })).toBeNull()
  })

  proves('automations.switch-until', 'waits while the clock is doubtful', async () => {
    const { home, id } = switched()
    home.isClockDoubted = true
    await home.pass(DAY_MS)
    expect(ruleOf(home, id).enabled).toBe(false)
    home.isClockDoubted = false
    await home.pass(SWITCH_CHECK_MS)
    expect(ruleOf(home, id).enabled).toBe(true)
  })

  it('ends with another switch by somebody, and with the rule', async () => {
    const { home, id } = switched()
    home.rules.automations.update(id, { enabled: true }, 2, ANNA, null)
    home.rules.automations.update(id, { enabled: false }, 3, ANNA, null)
    await home.pass(DAY_MS)
    expect(ruleOf(home, id)).toMatchObject({ enabled: false, revision: 4 })
    const other = switched()
    other.home.rules.automations.delete(other.id, ANNA)
    expect(other.home.rules.switches.untilOf({ kind: 'automation', id: other.id })).toBeNull()
  })
})
