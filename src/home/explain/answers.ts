import type { ActivityEntry, SubjectKey } from '../model/activity.ts'
import { subjectKey } from '../model/activity.ts'
import { type DeviceKey, parseDeviceKey } from '../model/device.ts'
import type { DeviceState } from '../model/state.ts'
import type { BusDown } from '../ports/unit-bus.ts'
import { exposeCause } from '../record/expose-cause.ts'
import { subjectWords } from '../words/causes.ts'
import { capital, entryWords } from '../words/entries.ts'
import type { TimeWords } from '../words/times.ts'
import { linkWords } from '../words/units.ts'
import type { About, ExplainItem, ExplainSources, ExplainView } from './explanation.ts'

/** Entries that are looked at, and how many of them are shown beside the answer. */
const ENTRIES_READ = 200
const ENTRIES_SHOWN = 30
/** Pages of older entries that are searched for the change that made the device what it is. */
const OLDER_PAGES = 4

export interface AnswerQuery {
  readonly about: About
  readonly from: number
  readonly to: number
  /** Whether the range reaches the present, so that what the device is now is what is asked about. */
  readonly live: boolean
  /** The rules and scenes that move it, as far as they may be seen. */
  readonly movers: readonly SubjectKey[]
  /** The last of them that was not run for a bound, where it was. */
  readonly heldBack: ExplainItem | null
}

export interface AnswersParts {
  readonly sources: ExplainSources
  readonly view: ExplainView
  readonly query: AnswerQuery
  readonly when: TimeWords
}

/**
 * The activity that explains a device, the answer first. What made it what it is comes first, unless something was
 * tried since and failed; of a device that is off, closed or locked the question is rather why nothing happened: then a
 * unit that does not answer, an attempt that failed or a rule that did not run since comes before the change, the
 * latest first. The rest follows, newest first.
 */
export class Answers {
  readonly #parts: AnswersParts
  readonly #shows = (device: DeviceKey): boolean => this.#parts.view.device(device) !== null

  constructor(parts: AnswersParts) {
    this.#parts = parts
  }

  /** The entries read, newest first, for what else can be said of them. */
  readonly entries: ActivityEntry[] = []

  /** Whether the unit does not answer right now. */
  get unreachable(): boolean {
    const { about } = this.#parts.query
    return (
      about.kind === 'device' && this.#parts.query.live && !this.#parts.sources.reachable(parseDeviceKey(about.id).unit)
    )
  }

  items(): readonly ExplainItem[] {
    const { about, from, to, live } = this.#parts.query
    this.entries.push(...this.#page(this.#subjects(), from, to))
    const ofMovers =
      this.#parts.query.movers.length === 0
        ? []
        : this.#page(this.#parts.query.movers, from, to).filter((entry) => entry.kind !== 'edited')
    const state = about.kind === 'device' && live ? this.#parts.sources.state(about.id)?.state : undefined
    const made = this.#change(state)
    const change = made === null || isMadeBy(state, made) ? made : this.#unseen()
    const since = made?.at ?? -Infinity
    const tried = this.entries.find(
      (entry) => (entry.kind === 'failed' || entry.kind === 'refused') && entry.at > since,
    )
    const prevented = latest(
      ofMovers.find((entry) => entry.kind !== 'run' && entry.at > since),
      this.#parts.query.heldBack,
      since,
    )
    const trouble = live ? this.#trouble() : null
    const active = live ? isActive(state) : leftActive(made)
    const ranked = active
      ? [tried, change, trouble, prevented]
      : [...this.#obstacles(tried, trouble, prevented), change]
    const first = ranked.filter((one) => one !== undefined && one !== null)
    const shown = new Set<unknown>(first)
    const rest = [...this.entries, ...ofMovers]
      .filter((entry) => !shown.has(entry))
      .toSorted((a, b) => b.at - a.at)
      .slice(0, ENTRIES_SHOWN)
    const items = [...first, ...rest].map((one) => ('kind' in one && 'subject' in one ? this.#item(one) : one))
    return items.length > 0 ? items : [this.#nothing()]
  }

  /**
   * The order for a device that is off, closed or locked: what prevents it now comes first, or second where an attempt
   * failed for that very reason; without such an obstacle the latest attempt or skipped run.
   */
  #obstacles(
    tried: ActivityEntry | undefined,
    trouble: ExplainItem | null,
    prevented: ActivityEntry | ExplainItem | undefined,
  ): readonly (ActivityEntry | ExplainItem | undefined)[] {
    if (trouble === null) return (prevented?.at ?? 0) > (tried?.at ?? 0) ? [prevented, tried] : [tried, prevented]
    const failedByIt =
      this.#parts.sources.linkDown() === null
        ? (tried?.at ?? -Infinity) >= (trouble.at ?? -Infinity)
        : tried?.data?.['failure'] === 'unavailable'
    return failedByIt ? [tried, trouble, prevented] : [trouble, prevented, tried]
  }

  /** The device itself, the exposed gangs of a module, and the unit a gang belongs to. */
  #subjects(): readonly SubjectKey[] {
    const { about } = this.#parts.query
    if (about.kind !== 'device') return [subjectKey(about)]
    const unit = parseDeviceKey(about.id).unit
    const keys = [
      about.id,
      ...this.#parts.view.gangsOf(about.id),
      ...(this.#parts.view.device(unit) === null ? [] : [unit]),
    ]
    return [...new Set(keys)].map((id) => subjectKey({ kind: 'device', id }))
  }

  #page(only: readonly SubjectKey[], from: number, to: number): readonly ActivityEntry[] {
    return this.#shown(
      this.#parts.sources.activity.page({ subjects: { only, moves: this.#shows }, from, to, limit: ENTRIES_READ })
        .entries,
    )
  }

  /** Of a unit that is shown only for its gangs, no entry is shown but whether it answers. */
  #shown(entries: readonly ActivityEntry[]): readonly ActivityEntry[] {
    return entries.filter(
      ({ kind, subject }) => kind === 'unit' || subject.kind !== 'device' || !this.#parts.view.onlyGangs(subject.id),
    )
  }

  /**
   * The last change that could have made the state what it is: of a light the last time it went on or off, also when
   * that was before the range.
   */
  #change(state: DeviceState | undefined): ActivityEntry | null {
    const made = (entry: ActivityEntry): boolean => entry.kind === 'state' && decides(state, entry)
    const found = this.entries.find(made)
    if (found !== undefined) return found
    let to: number | null = this.#parts.query.from
    for (let page = 0; page < OLDER_PAGES && to !== null && this.#parts.query.about.kind === 'device'; page++) {
      const older = this.#parts.sources.activity.page({
        subjects: { only: this.#subjects(), moves: this.#shows },
        from: 0,
        to,
        limit: ENTRIES_READ,
      })
      const entry = this.#shown(older.entries).find(made)
      if (entry !== undefined) return entry
      to = older.nextTo
    }
    return this.entries.find((entry) => entry.kind === 'state') ?? null
  }

  /** What keeps the unit from answering right now. */
  #trouble(): ExplainItem | null {
    const { about } = this.#parts.query
    if (about.kind !== 'device') return null
    const down = this.#parts.sources.linkDown()
    if (down !== null) return this.#linkTrouble(down)
    if (!this.unreachable) return null
    const lost = this.entries.find((entry) => entry.kind === 'unit')
    const since = lost === undefined ? '' : ` since ${this.#parts.when.say(lost.at).replace(/^at /, '')}`
    return {
      kind: 'activity',
      source: 'live',
      at: lost?.at ?? null,
      what: `${this.#name()} has not answered${since}: what is shown of it is the last it confirmed.`,
      cause: null,
      about,
    }
  }

  #linkTrouble(down: BusDown): ExplainItem {
    return {
      kind: 'activity',
      source: 'live',
      at: null,
      what: `No unit can be reached, ${this.#name()} neither: ${linkWords(down)}.`,
      cause: null,
      about: this.#parts.query.about,
    }
  }

  #item(entry: ActivityEntry): ExplainItem {
    const cause = exposeCause(entry.cause, this.#parts.view)
    const kind =
      entry.subject.kind === 'automation' || entry.subject.kind === 'schedule' ? entry.subject.kind : 'activity'
    return {
      kind,
      source: 'live',
      at: entry.at,
      what: entryWords(entry, cause, this.#parts.view, this.#parts.when),
      cause,
      about: entry.subject,
    }
  }

  /** The state differs from what the last recorded change left, so a later change was not recorded. */
  #unseen(): ExplainItem {
    const what = `${this.#name()} was not seen to change since its last recorded change, yet it is otherwise now: it changed while nobody could see it.`
    return { kind: 'activity', source: 'live', at: null, what, cause: null, about: this.#parts.query.about }
  }

  #nothing(): ExplainItem {
    return {
      kind: 'activity',
      source: 'live',
      at: null,
      what: `Nothing is recorded that changed ${this.#name()}.`,
      cause: null,
      about: this.#parts.query.about,
    }
  }

  #name(): string {
    const name = subjectWords(this.#parts.query.about, this.#parts.view)
    return this.#parts.query.about.kind === 'device' ? name : capital(name)
  }
}

/** What prevented it last, after `since`. */
function latest(
  entry: ActivityEntry | undefined,
  heldBack: ExplainItem | null,
  since: number,
): ActivityEntry | ExplainItem | undefined {
  const at = heldBack?.at ?? -Infinity
  return heldBack !== null && at > since && at > (entry?.at ?? -Infinity) ? heldBack : entry
}

/** On, open, unlocked or moving, so that the question is why it is so. */
function isActive(state: DeviceState | undefined): boolean {
  if (state === undefined) return false
  if ('on' in state) return state.on
  if ('locked' in state) return !state.locked
  return 'pos' in state && (state.pos > 0 || state.move !== 'stopped')
}

/** Whether the last change of a time long past left the device on, open or unlocked. */
function leftActive(made: ActivityEntry | null): boolean {
  const to = made?.data?.['to']
  if (typeof to !== 'object' || to === null) return false
  return (
    ('on' in to && to.on === true) ||
    ('locked' in to && to.locked === false) ||
    ('pos' in to && Number(to.pos) > 0) ||
    ('move' in to && to.move !== 'stopped')
  )
}

/** Whether an entry changed what the question is about: on or off, locked or not, open or closed. */
function decides(state: DeviceState | undefined, entry: ActivityEntry): boolean {
  const to = entry.data?.['to']
  if (typeof to !== 'object' || to === null) return true
  if (state === undefined) return ['on', 'locked', 'pos', 'move'].some((field) => field in to)
  if ('on' in state) return 'on' in to
  if ('locked' in state) return 'locked' in to
  return !('pos' in state) || 'pos' in to || 'move' in to
}

/** Whether what an entry left behind is what the state says now. */
function isMadeBy(state: DeviceState | undefined, entry: ActivityEntry): boolean {
  const to = entry.data?.['to']
  if (state === undefined || typeof to !== 'object' || to === null) return true
  if ('on' in state && 'on' in to) return to.on === state.on
  return !('locked' in state && 'locked' in to) || to.locked === state.locked
}
