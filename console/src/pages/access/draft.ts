import { signal } from '@preact/signals'
import type { Integration, IntegrationsChangeBody, Settings } from '../../lib/admin-contract.ts'
import type { Picks } from './picking.ts'

const ALL = 'all'
/** Exposure of an integration that only reports presence. */
const NOTHING = 'nothing'

/** Unsaved changes of an integration. */
export interface Draft {
  /** The stored version at the start of the changes. */
  readonly base: Integration
  readonly isAll: boolean
  /** Kept while `isAll` is true, for a return to picking. */
  readonly picks: Picks
  readonly settings: Settings
  readonly people: Integration['people']
  /** End of its access, epoch ms; null without one. */
  readonly until: Integration['until']
  /** Windows of the week with access; empty: always. */
  readonly hours: Integration['hours']
  /** Whether an administrator confirms each opening, if it may open at all. */
  readonly opening: Integration['opening']
  /** Ids of the persons whose presence it may report. */
  readonly reports: readonly string[]
}

/** Props of components that edit a draft. */
export interface DraftProps {
  /** The stored version. */
  readonly stored: Integration
  readonly draft: Draft
}

export type Edit = Partial<Omit<Draft, 'base'>>

/** Changed fields, as the gateway accepts them. */
type Change = Pick<IntegrationsChangeBody, 'expose' | 'settings' | 'people' | 'opening' | 'until' | 'hours' | 'reports'>

// Drafts survive a visit to another page.
const drafts = signal<ReadonlyMap<string, Draft>>(new Map())

/** The draft of an integration; without changes, its stored version. */
export const draftOf = (stored: Integration): Draft => drafts.value.get(stored.id) ?? storedDraft(stored)

export const hasDraft = (id: string): boolean => drafts.value.has(id)

/** Edits the draft. A draft without differences is removed. */
export function edit(stored: Integration, change: Edit): void {
  const edited = { ...draftOf(stored), ...change }
  put(stored.id, changeOf(edited) === null ? null : edited)
}

export const discard = (id: string): void => put(id, null)

export function discardAll(): void {
  drafts.value = new Map()
}

/** Rebases the draft on the stored version. If both changed the same field, the draft wins. */
export function rebase(stored: Integration): void {
  const draft = drafts.value.get(stored.id)
  if (draft === undefined) return
  const rebased = rebasedDraft(stored, draft)
  put(stored.id, changeOf(rebased) === null ? null : rebased)
}

/** Rebases a draft of the named revision. Drafts of other revisions wait for the person's decision. */
export function rebaseFrom(revision: string, stored: Integration): void {
  if (drafts.value.get(stored.id)?.base.revision === revision) rebase(stored)
}

/** Changed fields of a draft, as the gateway accepts them; null without changes. */
export function changeOf(draft: Draft): Change | null {
  const { base, isAll, picks, settings, people, opening, until, hours, reports } = draft
  const before = storedDraft(base)
  const hasSameExposure = before.isAll === isAll && (isAll || hasSame(before.picks, picks))
  const knobs = changedSettings(base.settings, settings)
  const change = {
    ...(hasSameExposure ? {} : { expose: isAll ? [ALL] : picks.size === 0 ? [NOTHING] : [...picks] }),
    ...(Object.keys(knobs).length === 0 ? {} : { settings: knobs }),
    ...(people === base.people ? {} : { people }),
    ...(until === base.until ? {} : { until }),
    ...(isEqualHours(hours, base.hours) ? {} : { hours }),
    ...(opening === base.opening ? {} : { opening }),
    ...(hasSame(new Set(base.reports), new Set(reports)) ? {} : { reports }),
  }
  return Object.keys(change).length === 0 ? null : change
}

/** The change that reverts another one, with the knobs that the gateway switched off itself. */
export function inverseOf({ base }: Draft, change: Change, knobsOff: readonly string[] = []): Change {
  const { expose, settings, people, opening, until, hours, reports } = change
  const knobs = [...Object.keys(settings ?? {}), ...knobsOff] as (keyof Settings)[]
  return {
    ...(expose === undefined ? {} : { expose: base.expose.length === 0 ? [NOTHING] : base.expose }),
    ...(people === undefined ? {} : { people: base.people }),
    ...(until === undefined ? {} : { until: base.until }),
    ...(hours === undefined ? {} : { hours: base.hours }),
    ...(opening === undefined ? {} : { opening: base.opening }),
    ...(reports === undefined ? {} : { reports: base.reports }),
    ...(knobs.length === 0 ? {} : { settings: Object.fromEntries(knobs.map((knob) => [knob, base.settings[knob]])) }),
  }
}

/** The stored version as a draft without changes. */
export function storedDraft(base: Integration): Draft {
  const isAll = base.expose.includes(ALL)
  const { settings, people, opening, until, hours, reports } = base
  return { base, isAll, picks: new Set(isAll ? [] : base.expose), settings, people, opening, until, hours, reports }
}

/** True if an integration would neither see nor report anything. */
export const isUseless = ({ isAll, picks, people, reports }: Draft): boolean =>
  !isAll && picks.size === 0 && people === 'none' && reports.length === 0

/** Added and removed picks of a change. */
export function pickChanges(before: Picks, after: Picks): { readonly added: string[]; readonly removed: string[] } {
  return {
    added: [...after].filter((pick) => !before.has(pick)),
    removed: [...before].filter((pick) => !after.has(pick)),
  }
}

export function rebasedDraft(stored: Integration, draft: Draft): Draft {
  const [before, theirs] = [storedDraft(draft.base), storedDraft(stored)]
  const settings = { ...stored.settings, ...changedSettings(draft.base.settings, draft.settings) }
  const people = draft.people === draft.base.people ? stored.people : draft.people
  const reports = hasSame(new Set(draft.reports), new Set(draft.base.reports)) ? stored.reports : draft.reports
  const opening = draft.opening === draft.base.opening ? stored.opening : draft.opening
  const until = draft.until === draft.base.until ? stored.until : draft.until
  const hours = isEqualHours(draft.hours, draft.base.hours) ? stored.hours : draft.hours
  const rest = { base: stored, settings, people, opening, until, hours, reports }
  if (before.isAll || theirs.isAll || draft.isAll) {
    const own = draft.isAll !== before.isAll || !hasSame(draft.picks, before.picks) ? draft : theirs
    return { ...rest, isAll: own.isAll, picks: own.picks }
  }
  const { added, removed } = pickChanges(before.picks, draft.picks)
  const picks = new Set([...[...theirs.picks].filter((pick) => !removed.includes(pick)), ...added])
  return { ...rest, isAll: false, picks }
}

function changedSettings(before: Settings, after: Settings): Partial<Settings> {
  return Object.fromEntries(Object.entries(after).filter(([knob, value]) => before[knob as keyof Settings] !== value))
}

/** Windows in the order of the gateway or of the editor. */
const isEqualHours = (one: Integration['hours'], other: Integration['hours']): boolean => {
  const texts = [one, other].map((hours) => new Set(hours.map(({ from, until }) => `${from} ${until}`)))
  return hasSame(texts[0] ?? new Set(), texts[1] ?? new Set())
}

const hasSame = (one: Picks, other: Picks): boolean =>
  one.size === other.size && [...one].every((pick) => other.has(pick))

function put(id: string, draft: Draft | null): void {
  const rest = [...drafts.value].filter(([other]) => other !== id)
  drafts.value = new Map(draft === null ? rest : [...rest, [id, draft]])
}
