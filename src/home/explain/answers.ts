import { type ActivityEntry, type Subject, type SubjectKey, subjectKey } from '../model/events.ts'
import { type DeviceKey, parseDeviceKey } from '../model/device.ts'
import type { ActivityPage } from '../ports/history-store.ts'
import { exposeCause, subjectWords } from '../words/causes.ts'
import { capital, entryWords } from '../words/entries.ts'
import type { TimeWords } from '../words/values.ts'
import { linkWords } from '../words/units.ts'
import { type About, type ExplainItem, type ExplainSources, type ExplainView, liveItem } from './explanation.ts'
import { type Change, isActive, lastChanges, leavesActive } from './last-changes.ts'

/** Entries that are looked at, and how many of them are shown beside the answer. */
const ENTRIES_READ = 200
const ENTRIES_SHOWN = 30
/** Pages of older entries that are searched for the changes that made the device what it is. */
const OLDER_PAGES = 4

export interface AnswerQuery {
  readonly about: About
  readonly from: number
  readonly to: number
  /** Since when the device is the unit that it is now, epoch ms: older entries explain nothing of it. */
  readonly since: number
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
 * The activity that explains a device, the answer first. The newest change behind its present values comes first,
 * unless a command failed since. A device that is off, closed or locked raises the question why nothing happened: a
 * unit that does not answer, a failed attempt or a skipped rule since that change comes before it, the latest first.
 * The change that switched, moved or locked the device comes after the newest one, and all others follow, newest first.
 */
export class Answers {
  readonly #parts: AnswersParts
  readonly #shows = (device: DeviceKey): boolean => this.#parts.view.device(device) !== null

  constructor(parts: AnswersParts) {
    this.#parts = parts
  }

  /** The entries read, newest first, for what else can be said of them. */
  readonly entries: ActivityEntry[] = []
  /** Where the entries that were not read yet end. */
  #olderTo = 0
  #unseen: ExplainItem | undefined

  /** Whether the unit does not answer right now. */
  get unreachable(): boolean {
    const { about } = this.#parts.query
    return (
      about.kind === 'device' && this.#parts.query.live && !this.#parts.sources.reachable(parseDeviceKey(about.id).unit)
    )
  }

  items(): readonly ExplainItem[] {
    const { about, from, to, live } = this.#parts.query
    const own = this.#read(this.#subjects(), from, to)
    this.entries.push(...own.entries)
    this.#olderTo = own.nextTo ?? from
    const ofMovers =
      this.#parts.query.movers.length === 0
        ? []
        : this.#read(this.#parts.query.movers, from, to).entries.filter((entry) => entry.kind !== 'edited')
    const { newest, switched } = lastChanges(this.#back(), about, { ...this.#parts, live })
    const changes = [newest, switched].map((change) => this.#seen(change))
    const since = newest?.entry.at ?? -Infinity
    const tried = this.entries.find((entry) => isFailedCommand(entry) && entry.at > since)
    const prevented = latest(
      ofMovers.find((entry) => entry.kind !== 'run' && entry.at > since),
      this.#parts.query.heldBack,
      since,
    )
    const trouble = live ? this.#trouble() : null
    const ranked = this.#isActive(switched)
      ? [tried, ...changes, trouble, prevented]
      : [...this.#obstacles(tried, trouble, prevented), ...changes]
    const first = [...new Set(ranked.filter((one) => one !== undefined && one !== null))]
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

  /** A page of entries newest first, and the `to` of the next one. */
  #read(only: readonly SubjectKey[], from: number, to: number): ActivityPage {
    const { activity } = this.#parts.sources
    const page = activity.page({ subjects: { only, moves: this.#shows }, from, to, limit: ENTRIES_READ })
    return { ...page, entries: this.#shown(page.entries) }
  }

  /** The device's entries newest first: those of the range, then older ones as far as they are asked for. */
  *#back(): Iterable<ActivityEntry> {
    yield* this.entries
    if (this.#parts.query.about.kind !== 'device') return
    let to: number | null = this.#olderTo
    for (let page = 0; page < OLDER_PAGES && to !== null; page++) {
      const older: ActivityPage = this.#read(this.#subjects(), this.#parts.query.since, to)
      yield* older.entries
      to = older.nextTo
    }
  }

  /** Of a unit that is shown only for its gangs, no entry is shown but whether it answers. */
  #shown(entries: readonly ActivityEntry[]): readonly ActivityEntry[] {
    return entries.filter(
      ({ kind, subject }) => kind === 'unit' || subject.kind !== 'device' || !this.#parts.view.onlyGangs(subject.id),
    )
  }

  /** On, open, unlocked or moving: the question is why it is so. Of a module, any of its gangs. */
  #isActive(switched: Change | null): boolean {
    const { sources, view, query } = this.#parts
    if (query.about.kind !== 'device') return false
    if (!query.live) return switched !== null && leavesActive(switched.entry)
    return [query.about.id, ...view.gangsOf(query.about.id)].some((key) => isActive(sources.state(key)?.state))
  }

  /** The entry of a change; where the device is otherwise now, that its change was not recorded. */
  #seen(change: Change | null): ActivityEntry | ExplainItem | null {
    if (change === null) return null
    return change.holds ? change.entry : (this.#unseen ??= this.#unseenItem(change.entry.subject))
  }

  /** What keeps the unit from answering right now. */
  #trouble(): ExplainItem | null {
    const { about } = this.#parts.query
    if (about.kind !== 'device') return null
    const down = this.#parts.sources.linkDown()
    if (down !== null)
      return liveItem('activity', null, `No unit can be reached, ${this.#name()} neither: ${linkWords(down)}.`, about)
    if (!this.unreachable) return null
    const lost = this.entries.find((entry) => entry.kind === 'unit')
    const since = lost === undefined ? '' : ` since ${this.#parts.when.say(lost.at).replace(/^at /, '')}`
    const what = `${this.#name()} has not answered${since}: what is shown of it is the last it confirmed.`
    return liveItem('activity', lost?.at ?? null, what, about)
  }

  #item(entry: ActivityEntry): ExplainItem {
    const cause = exposeCause(entry.cause, this.#parts.view)
    const kind =
      entry.subject.kind === 'automation' || entry.subject.kind === 'schedule' ? entry.subject.kind : 'activity'
    const what = entryWords(entry, cause, this.#parts.view, this.#parts.when)
    return liveItem(kind, entry.at, what, entry.subject, cause)
  }

  /** The state differs from what the last recorded change left, so a later change was not recorded. */
  #unseenItem(about: Subject): ExplainItem {
    const name = capital(subjectWords(about, this.#parts.view))
    const what = `${name} was not seen to change since its last recorded change, yet it is otherwise now: it changed while nobody could see it.`
    return liveItem('activity', null, what, about)
  }

  #nothing(): ExplainItem {
    return liveItem('activity', null, `Nothing is recorded that changed ${this.#name()}.`, this.#parts.query.about)
  }

  #name(): string {
    const name = subjectWords(this.#parts.query.about, this.#parts.view)
    return this.#parts.query.about.kind === 'device' ? name : capital(name)
  }
}

/** A setting that could not be written explains neither on nor off. */
function isFailedCommand({ kind, data }: ActivityEntry): boolean {
  return (kind === 'failed' || kind === 'refused') && data?.['intent'] === undefined
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
