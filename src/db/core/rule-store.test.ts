import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ANNA, CountingRandom, automation, on, schedule } from '#support/homes/rules-home.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import {
  CLAIMS_PER_SLOT_MAX,
  CLAIMS_PER_OWNER_MAX,
  type Claim,
  type NewClaim,
  NEW_OCCURRENCE_MS,
  type RunRecord,
} from '../../home/ports/rule-store.ts'
import { RuleRepository } from '../../home/rules/rule-repository.ts'
import { CoreDb } from './core-db.ts'
import { SqliteRules } from './rule-store.ts'

let folder: string
let open: CoreDb[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rules-'))
  open = []
})
afterEach(() => {
  for (const core of open) core.close()
  rmSync(folder, { recursive: true })
})

function connect(): CoreDb {
  const core = new CoreDb(join(folder, 'core.db'))
  open.push(core)
  return core
}

function repository(core: CoreDb): RuleRepository<'automation'> {
  return new RuleRepository('automation', {
    store: new SqliteRules(core),
    work: core,
    clock: new ManualClock(),
    random: new CountingRandom(),
    settle: () => {},
    changed: () => {},
    named: () => undefined,
    homeRevision: () => 0,
  })
}

const claimOf = (its: Partial<Claim>): Claim => ({
  owner: 'schedule:s',
  slot: '07:00',
  date: '2027-06-01',
  at: 1,
  missed: false,
  steadyAt: 1,
  ...its,
})

const newClaimOf = (its: Partial<NewClaim>): NewClaim => ({ ...claimOf(its), dueAt: 0, ...its })

const run: RunRecord = {
  id: 'r1',
  of: { kind: 'schedule', id: 's' },
  steps: [on('a'), { delay: 120 }],
  cause: { source: 'schedule', name: 'S', ref: 's', by: ANNA },
  priority: 'automation',
  principals: [{ integration: 'i', link: 'l' }],
  startedAt: 5,
  step: 0,
  place: null,
  trigger: null,
  resumeAt: null,
  failures: [],
}

describe('rules in core.db', () => {
  it('return unchanged, in order of creation', () => {
    const origin = { integration: 'i', link: 'l' }
    const rules = repository(connect())
    const made = ['B', 'A', 'C'].map((name) =>
      rules.create(automation({ name, if: [{ days: [1] }], mode: 'queued' }), origin, ANNA),
    )
    expect(repository(connect()).list()).toEqual(made.map((answer) => (answer.ok ? answer.value : null)))
    const core = connect()
    const schedules = new RuleRepository('schedule', {
      store: new SqliteRules(core),
      work: core,
      clock: new ManualClock(),
      random: new CountingRandom(),
      settle: () => {},
      changed: () => {},
      named: () => undefined,
      homeRevision: () => 0,
    })
    const timer = schedules.create(schedule({ at: { sun: 'sunset', offset: -10 } }), null, ANNA)
    expect(new SqliteRules(connect()).all('schedule')).toEqual(timer.ok ? [timer.value] : [])
  })

  it('12 racing edits of one revision over 12 connections: one succeeds, 11 are refused with the current revision, nothing else changes', async () => {
    const first = repository(connect())
    const made = first.create(automation({ name: 'Before' }), null, ANNA)
    const id = made.ok ? made.value.id : ''
    first.create(automation({ name: 'Bystander' }), null, ANNA)
    const bystander = first.list()[1]
    const editors = Array.from({ length: 12 }, () => repository(connect()))
    const answers = await Promise.all(
      editors.map(async (editor, index) => {
        await Promise.resolve()
        return editor.update(id, { name: `Edit ${index}` }, 1, ANNA, null)
      }),
    )
    const won = answers.flatMap((answer) => (answer.ok ? [answer.value] : []))
    expect(won).toHaveLength(1)
    expect(answers.filter((answer) => !answer.ok).map((answer) => answer.error)).toEqual(
      Array.from({ length: 11 }, () => ({ kind: 'revision_mismatch', revision: 2 })),
    )
    const stored = repository(connect()).list()
    expect(stored).toEqual([won[0], bystander])
    expect(stored[0]).toMatchObject({ revision: 2, when: automation({}).when, then: automation({}).then })
    const rows = connect().db.prepare('SELECT draft FROM activity_outbox').all() as { draft: string }[]
    expect(rows.filter((row) => row.draft.includes('"edited"') && row.draft.includes('"what":"edited"'))).toHaveLength(
      1,
    )
  })

  it('an edit of a deleted or unknown rule finds nothing', () => {
    const core = connect()
    const rules = repository(core)
    expect(rules.update('none', { name: 'x' }, 1, ANNA, null)).toEqual({ ok: false, error: { kind: 'not_found' } })
    const made = rules.create(automation({}), null, ANNA)
    const id = made.ok ? made.value.id : ''
    new SqliteRules(connect()).remove('automation', id)
    expect(rules.update(id, { name: 'x' }, 1, ANNA, null)).toEqual({ ok: false, error: { kind: 'not_found' } })
  })

  it('an edit changes only the fields of a draft', () => {
    const rules = repository(connect())
    const made = rules.create(automation({}), { integration: 'i', link: 'l' }, ANNA)
    const id = made.ok ? made.value.id : ''
    const body = { name: 'New', id: 'evil', revision: 9, origin: null, paused: true, ifRevision: 1 }
    const edited = rules.update(id, body, 1, ANNA, null)
    expect(edited).toMatchObject({
      ok: true,
      value: { id, name: 'New', revision: 2, origin: { integration: 'i', link: 'l' }, paused: false },
    })
    expect(Object.keys(edited.ok ? edited.value : {})).not.toContain('ifRevision')
  })

  it('a rule that comes back continues from its own last revision, whatever others had', () => {
    const core = connect()
    const store = new SqliteRules(core)
    const put = (id: string, revision: number): void => {
      const identity = { id, revision, origin: null, author: null, changedAt: 0, paused: false }
      store.insert('automation', { ...automation({}), ...identity })
    }
    core.change(() => {
      put('a', 3)
      put('b', 900)
      store.remove('automation', 'a')
    })
    expect(['a', 'b', 'c'].map((id) => store.revisions.lastOf('automation', id))).toEqual([3, 0, 0])
    expect(store.revisions.lastOf('schedule', 'a')).toBe(0)
  })

  it('an import replaces all rules and keeps ids, revisions and origins', () => {
    const core = connect()
    const rules = repository(core)
    rules.create(automation({ name: 'Old' }), null, ANNA)
    const origin = { integration: 'i', link: 'l' }
    const imported = { ...automation({ name: 'Imported' }), id: 'imp', revision: 7, origin }
    core.change(rules.replacement([imported], ANNA).store)
    expect(repository(connect()).list()).toMatchObject([
      { id: 'imp', name: 'Imported', revision: 7, origin: { integration: 'i', link: 'l' } },
    ])
  })
})

describe('runs in core.db', () => {
  it('are stored step by step until they end', () => {
    const store = new SqliteRules(connect())
    store.begin(run)
    expect(new SqliteRules(connect()).runs()).toEqual([run])
    const failures = [{ step: 0, device: 'a', reason: 'no_answer' }] as const
    const place = { path: [1, 'then', 0], rounds: [2], performed: 7, lastedMs: 9 }
    store.progress('r1', { step: 1, place, resumeAt: 99, failures })
    expect(store.runs()).toEqual([{ ...run, step: 1, place, resumeAt: 99, failures }])
    store.end('r1')
    expect(store.runs()).toEqual([])
  })

  it('begin with their claim in one transaction', () => {
    const store = new SqliteRules(connect())
    const claim = newClaimOf({ date: '2027-05-03', at: 1 })
    expect(store.claim(claim, run)).toBe(true)
    expect(store.claim(claim, { ...run, id: 'r2' })).toBe(false)
    expect(store.runs()).toEqual([run])
    // The run's id exists already, so the claim fails with it.
    expect(() => store.claim({ ...claim, date: '2027-05-04' }, run)).toThrow('UNIQUE constraint failed')
    expect(store.claims()).toEqual([claimOf({ date: '2027-05-03', at: 1 })])
  })

  it('claim a date again when it really arrives: after a missed one, or half a day later', () => {
    const store = new SqliteRules(connect())
    const hour = 3_600_000
    store.claim(newClaimOf({ missed: true, steadyAt: 0 }), null)
    expect(store.claim(newClaimOf({ missed: true, steadyAt: hour }), null)).toBe(false)
    expect(store.claim(newClaimOf({ steadyAt: hour }), null)).toBe(true)
    expect(store.claim(newClaimOf({ steadyAt: NEW_OCCURRENCE_MS + hour - 1 }), null)).toBe(false)
    expect(store.claim(newClaimOf({ steadyAt: NEW_OCCURRENCE_MS + hour }), null)).toBe(true)
    expect(store.claims()).toEqual([claimOf({ steadyAt: NEW_OCCURRENCE_MS + hour })])
    // The claim is premature: by the present clock its time came a second later.
    store.claim(newClaimOf({ slot: '09:00', missed: true, steadyAt: hour }), null)
    expect(store.claim(newClaimOf({ slot: '09:00', missed: true, steadyAt: 2 * hour, dueAt: hour }), null)).toBe(false)
    const later = { slot: '09:00', missed: true, steadyAt: 2 * hour, dueAt: hour + 1_000 }
    expect(store.claim(newClaimOf(later), null)).toBe(true)
    expect(store.claim(newClaimOf({ ...later, steadyAt: 3 * hour }), null)).toBe(false)
    // The time of the claim is unknown.
    store.claim(newClaimOf({ slot: '08:00', steadyAt: null }), null)
    expect(store.claim(newClaimOf({ slot: '08:00', steadyAt: 100 * NEW_OCCURRENCE_MS }), null)).toBe(false)
  })

  it('keep the newest claims of each time, in order of creation', () => {
    const store = new SqliteRules(connect())
    store.claim(newClaimOf({ date: '2030-01-01', at: 9_999_999 }), null)
    for (let day = 10; day < 10 + CLAIMS_PER_SLOT_MAX; day += 1)
      store.claim(newClaimOf({ date: `2027-05-${day}`, at: day }), null)
    expect(store.claims().map((claim) => claim.date)).toEqual(
      Array.from({ length: CLAIMS_PER_SLOT_MAX }, (_, index) => `2027-05-${10 + index}`),
    )
    for (let minute = 0; minute < CLAIMS_PER_OWNER_MAX + 50; minute += 1)
      store.claim(newClaimOf({ slot: `slot-${minute}`, at: minute }), null)
    expect(store.claims()).toHaveLength(CLAIMS_PER_OWNER_MAX)
  })

  it('keep waiting triggers', () => {
    const store = new SqliteRules(connect())
    const hold = { owner: 'automation:a', slot: 's', since: 5, fired: false, cause: null }
    store.saveHold(hold)
    const fired = { ...hold, fired: true, cause: { source: 'person', name: 'Anna' } as const }
    store.saveHold(fired)
    expect(store.holds()).toEqual([fired])
    store.dropHold('automation:a', 's')
    expect(store.holds()).toEqual([])
  })
})
