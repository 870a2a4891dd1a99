import { signal } from '@preact/signals'
import type { Integration, IntegrationsChangeBody, Settings } from '../../lib/admin-contract.ts'
import type { Picks } from './picking.ts'

const ALL = 'all'

/** What somebody has changed of an integration here and not saved yet. */
export interface Draft {
  /** As it was read when the change began. */
  readonly base: Integration
  readonly isAll: boolean
  /** Kept while everything is shown, for who goes back to picking. */
  readonly picks: Picks
  readonly settings: Settings
}

/** What an edit changes of a draft. */
export type Edit = Partial<Omit<Draft, 'base'>>

/** A change, and the revision that it is one of. */
type Change = Pick<IntegrationsChangeBody, 'expose' | 'settings'>

// Whoever goes to another page and comes back finds what was not saved.
const drafts = signal<ReadonlyMap<string, Draft>>(new Map())

/** The draft of an integration; where there is none, it as it stands. */
export const draftOf = (stored: Integration): Draft => drafts.value.get(stored.id) ?? untouched(stored)

export const hasDraft = (id: string): boolean => drafts.value.has(id)

/** Changes the draft; one that is as what it began with is none. */
export function edit(stored: Integration, change: Edit): void {
  const edited = { ...draftOf(stored), ...change }
  put(stored.id, changeOf(edited) === null ? null : edited)
}

export const discard = (id: string): void => put(id, null)

export function discardAll(): void {
  drafts.value = new Map()
}

/** Puts the draft on what is stored now: both changes hold, and where both changed the same, the draft's. */
export function rebase(stored: Integration): void {
  const draft = drafts.value.get(stored.id)
  if (draft === undefined) return
  const rebased = rebasedOn(stored, draft)
  put(stored.id, changeOf(rebased) === null ? null : rebased)
}

/** Puts a draft of a revision on what that became; of one of another, the person says first what becomes of it. */
export function rebaseFrom(revision: string, stored: Integration): void {
  if (drafts.value.get(stored.id)?.base.revision === revision) rebase(stored)
}

/** What a draft changes, as the gateway takes it; null where it changes nothing. */
export function changeOf({ base, isAll, picks, settings }: Draft): Change | null {
  const before = untouched(base)
  const isExposed = before.isAll === isAll && (isAll || hasSame(before.picks, picks))
  const knobs = changedSettings(base.settings, settings)
  if (isExposed && Object.keys(knobs).length === 0) return null
  return {
    ...(isExposed ? {} : { expose: isAll ? [ALL] : [...picks] }),
    ...(Object.keys(knobs).length === 0 ? {} : { settings: knobs }),
  }
}

/** What has to be sent to take a change back, with the knobs that went off by themselves. */
export function backFrom({ base }: Draft, { expose, settings }: Change, knobsOff: readonly string[] = []): Change {
  const knobs = [...Object.keys(settings ?? {}), ...knobsOff] as (keyof Settings)[]
  return {
    ...(expose === undefined ? {} : { expose: base.expose }),
    ...(knobs.length === 0 ? {} : { settings: Object.fromEntries(knobs.map((knob) => [knob, base.settings[knob]])) }),
  }
}

/** An integration as a draft that changes nothing. */
export function untouched(base: Integration): Draft {
  const isAll = base.expose.includes(ALL)
  return { base, isAll, picks: new Set(isAll ? [] : base.expose), settings: base.settings }
}

/** Picks that a change adds and takes away. */
export function pickChanges(before: Picks, after: Picks): { readonly added: string[]; readonly removed: string[] } {
  return {
    added: [...after].filter((pick) => !before.has(pick)),
    removed: [...before].filter((pick) => !after.has(pick)),
  }
}

export function rebasedOn(stored: Integration, draft: Draft): Draft {
  const [before, theirs] = [untouched(draft.base), untouched(stored)]
  const settings = { ...stored.settings, ...changedSettings(draft.base.settings, draft.settings) }
  if (before.isAll || theirs.isAll || draft.isAll) {
    const own = draft.isAll !== before.isAll || !hasSame(draft.picks, before.picks) ? draft : theirs
    return { base: stored, isAll: own.isAll, picks: own.picks, settings }
  }
  const { added, removed } = pickChanges(before.picks, draft.picks)
  const picks = new Set([...[...theirs.picks].filter((pick) => !removed.includes(pick)), ...added])
  return { base: stored, isAll: false, picks, settings }
}

function changedSettings(before: Settings, after: Settings): Partial<Settings> {
  return Object.fromEntries(Object.entries(after).filter(([knob, value]) => before[knob as keyof Settings] !== value))
}

const hasSame = (one: Picks, other: Picks): boolean =>
  one.size === other.size && [...one].every((pick) => other.has(pick))

function put(id: string, draft: Draft | null): void {
  const others = [...drafts.value].filter(([other]) => other !== id)
  drafts.value = new Map(draft === null ? others : [...others, [id, draft]])
}
