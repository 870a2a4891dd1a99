import { describe, expect, test } from 'vitest'
import type { Integration } from '../../console/src/lib/admin-contract.ts'
import {
  inverseOf,
  changeOf,
  discard,
  type Draft,
  draftOf,
  edit,
  rebasedDraft,
  rebaseFrom,
  storedDraft,
} from '../../console/src/pages/access/draft.ts'

const STORED: Integration = {
  id: 'one',
  name: 'Wall tablet',
  enabled: true,
  expose: ['room:hall', 'room:kitchen'],
  settings: {
    advanced_config: 'read',
    structural: 'off',
    automations: 'off',
    schedules: 'off',
    agent_access: 'off',
    cloud_access: 'on',
    mdns: 'on',
    allow_unlock: 'off',
    may_tell: 'off',
  },
  people: 'none',
  until: null,
  hours: [],
  state: 'served',
  opensAt: null,
  reports: [],
  kind: 'programs',
  person: null,
  opening: 'yes',
  createdAt: 0,
  revision: 'first',
  credentials: [],
}
const begun = storedDraft(STORED)
const stored = (change: Partial<Integration>): Integration => ({ ...STORED, ...change, revision: 'second' })
const picked = (...picks: readonly string[]): Draft => ({ ...begun, picks: new Set(picks) })

describe('a draft of an integration', () => {
  test('is empty until a field changes, and sends only changed fields', () => {
    expect(changeOf(begun)).toBeNull()
    expect(changeOf(picked('room:kitchen', 'room:hall'))).toBeNull()
    expect(changeOf(picked('room:hall'))).toEqual({ expose: ['room:hall'] })
    expect(changeOf({ ...begun, isAll: true })).toEqual({ expose: ['all'] })
    const settings = { ...STORED.settings, mdns: 'off' } as const
    expect(changeOf({ ...begun, settings })).toEqual({ settings: { mdns: 'off' } })
  })

  test('is undone by its original values', () => {
    const draft = { ...picked('room:hall'), settings: { ...STORED.settings, mdns: 'off' } as const }
    expect(inverseOf(draft, changeOf(draft) ?? {})).toEqual({ expose: STORED.expose, settings: { mdns: 'on' } })
    expect(inverseOf(begun, {})).toEqual({})
    // The gateway switches a knob off if the exposure no longer allows it.
    const all = storedDraft({ ...STORED, expose: ['all'], settings: { ...STORED.settings, structural: 'on' } })
    expect(inverseOf(all, { expose: ['room:hall'] }, ['structural'])).toEqual({
      expose: ['all'],
      settings: { structural: 'on' },
    })
  })

  test('keeps another person’s changes, but wins for the same field', () => {
    const theirs = stored({
      expose: ['room:hall', 'room:kitchen', 'room:study'],
      settings: { ...STORED.settings, mdns: 'off', advanced_config: 'off' },
    })
    const settings = { ...STORED.settings, advanced_config: 'read_write' } as const
    const rebased = rebasedDraft(theirs, { ...picked('room:hall', 'scene:dinner'), settings })
    expect(rebased.base).toBe(theirs)
    expect([...rebased.picks].toSorted()).toEqual(['room:hall', 'room:study', 'scene:dinner'])
    expect(rebased.settings).toEqual({ ...STORED.settings, mdns: 'off', advanced_config: 'read_write' })
  })

  test('is rebased only from its own base revision', () => {
    edit(STORED, { isAll: true })
    const second = stored({ name: 'Tablet' })
    rebaseFrom(STORED.revision, second)
    expect(draftOf(STORED).base).toBe(second)
    const third = { ...stored({ enabled: false }), revision: 'third' }
    rebaseFrom('what somebody else has saved', third)
    expect(draftOf(STORED)).toMatchObject({ base: { revision: 'second' }, isAll: true })
    discard(STORED.id)
  })

  test('sees everything if either change says so, with priority for its own change', () => {
    const all = stored({ expose: ['all'] })
    expect(rebasedDraft(all, begun)).toMatchObject({ isAll: true })
    expect(rebasedDraft(all, picked('room:hall'))).toMatchObject({ isAll: false, picks: new Set(['room:hall']) })
    expect(rebasedDraft(stored({ expose: ['room:study'] }), { ...begun, isAll: true })).toMatchObject({ isAll: true })
  })
})
