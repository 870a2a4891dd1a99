import { type ActivityEntry, type Subject, type SubjectKey, subjectKey } from '../model/events.ts'
import { type DeviceKey, parseDeviceKey } from '../model/device.ts'
import type { ActivityPage } from '../ports/history-store.ts'
import { exposeCause, subjectWords } from '../words/causes.ts'
import { capital, entryWords } from '../words/entries.ts'
import type { TimeWords } from '../words/values.ts'
import { linkWords } from '../words/units.ts'
import { type About, type ExplainItem, type ExplainSources, type ExplainView, liveItem } from './explanation.ts'
import { type RecordedChange, isActive, lastChanges, leavesActive } from './last-changes.ts'

/** Most entries that are read, and most that are shown beside the answer. */
const ENTRIES_READ = 200
const ENTRIES_SHOWN = 30
/** Most pages of older entries that are searched for the changes behind the present state. */
const OLDER_PAGES = 4

export interface AnswerQuery {
  readonly about: About
  readonly from: number
  readonly to: number
  /** Epoch ms since which the id names the present unit: older entries belong to another one. */
  readonly since: number
  /** True if the range reaches the present, so that the question is about the present state. */
  readonly live: boolean
  /** The rules and scenes that move it and are visible. */
  readonly movers: readonly SubjectKey[]
  /** The latest of these automations that a limit stopped, if any. */
  readonly limitedRun: ExplainItem | null
}

export interface AnswersParts {
  readonly sources: ExplainSources
  readonly view: ExplainView
  readonly query: AnswerQuery
  readonly when: TimeWords
}

/**
 * The activity that explains a device, the answer first:
 * 1. the newest change behind its present values, unless a command failed since;
 * 2. for a device that is off, closed or locked, first the reason why nothing happened: a unit that does not answer, a
 * failed command or a skipped rule since that change, the latest first;
 * 3. the change that switched, moved or locked the device;
 * 4. all others, newest first.
 */
export class Answers {
  readonly #parts: AnswersParts
  readonly #isVisible = (device: DeviceKey): boolean => this.#parts.view.device(device) !== null

  constructor(parts: AnswersParts) {
    this.#parts = parts
  }

  /** The entries read so far, newest first, for further items. */
  readonly entries: ActivityEntry[] = []
  /** End of the range that was not read yet. */
  #olderTo = 0
  #unrecorded: ExplainItem | undefined

  /** True if the unit does not answer right now. */
  get unreachable(): boolean {
    const { about } = this.#parts.query
    return (
      about.kind === 'device' && this.#parts.query.live && !this.#parts.sources.reachable(parseDeviceKey(about.id).unit)
    )
  }

  items(): readonly ExplainItem[] {
    const { about, from, to, live } = this.#parts.query
    const ownPage = this.#read(this.#subjects(), from, to)
    this.entries.push(...ownPage.entries)
    this.#olderTo = ownPage.nextTo ?? from
    const moverEntries =
      this.#parts.query.movers.length === 0
        ? []
        : this.#read(this.#parts.query.movers, from, to).entries.filter((entry) => entry.kind !== 'edited')
    const { newest, switched } = lastChanges(this.#newestFirst(), about, { ...this.#parts, live })
    const changes = [newest, switched].map((change) => this.#recorded(change))
    const since = newest?.entry.at ?? -Infinity
    const failed = this.entries.find((entry) => isFailedCommand(entry) && entry.at > since)
    const prevented = latest(
      moverEntries.find((entry) => entry.kind !== 'run' && entry.at > since),
      this.#parts.query.limitedRun,
      since,
    )
    const trouble = live ? this.#trouble() : null
    const ranked = this.#isActive(switched)
      ? [failed, ...changes, trouble, prevented]
      : [...this.#obstacles(failed, trouble, prevented), ...changes]
    const first = [...new Set(ranked.filter((item) => item !== undefined && item !== null))]
    const firstItems = new Set<unknown>(first)
    const rest = [...this.entries, ...moverEntries]
      .filter((entry) => !firstItems.has(entry))
      .toSorted((a, b) => b.at - a.at)
      .slice(0, ENTRIES_SHOWN)
    const items = [...first, ...rest].map((item) => ('kind' in item && 'subject' in item ? this.#item(item) : item))
    return items.length > 0 ? items : [this.#noChange()]
  }

  /**
   * Order for a device that is off, closed or locked. A present obstacle comes first, or second after a command that
   * failed because of it. Without an obstacle, the latest failed command or skipped run comes first.
   */
  #obstacles(
    failed: ActivityEntry | undefined,
    trouble: ExplainItem | null,
    prevented: ActivityEntry | ExplainItem | undefined,
  ): readonly (ActivityEntry | ExplainItem | undefined)[] {
    if (trouble === null) return (prevented?.at ?? 0) > (failed?.at ?? 0) ? [prevented, failed] : [failed, prevented]
    const failedByTrouble =
      this.#parts.sources.linkDown() === null
        ? (failed?.at ?? -Infinity) >= (trouble.at ?? -Infinity)
        : failed?.data?.['failure'] === 'unavailable'
    return failedByTrouble ? [failed, trouble, prevented] : [trouble, prevented, failed]
  }

  /** The device itself, the exposed gangs of a module, and the unit of a gang. */
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

  /** A page of entries, newest first, and the `to` of the next one. */
  #read(only: readonly SubjectKey[], from: number, to: number): ActivityPage {
    const { activity } = this.#parts.sources
    const page = activity.page({ subjects: { only, moves: this.#isVisible }, from, to, limit: ENTRIES_READ })
    return { ...page, entries: this.#visible(page.entries) }
  }

  /** The device's entries, newest first: the range, then older entries on demand. */
  *#newestFirst(): Iterable<ActivityEntry> {
    yield* this.entries
    if (this.#parts.query.about.kind !== 'device') return
    let to: number | null = this.#olderTo
    for (let page = 0; page < OLDER_PAGES && to !== null; page++) {
      const older: ActivityPage = this.#read(this.#subjects(), this.#parts.query.since, to)
      yield* older.entries
      to = older.nextTo
    }
  }

  /** If only some gangs of a unit are visible, the unit itself shows only whether it answers. */
  #visible(entries: readonly ActivityEntry[]): readonly ActivityEntry[] {
    return entries.filter(
      ({ kind, subject }) => kind === 'unit' || subject.kind !== 'device' || !this.#parts.view.onlyGangs(subject.id),
    )
  }

  /** True if it is on, open, unlocked or moving, so that the question is why. Any gang of a module counts. */
  #isActive(switched: RecordedChange | null): boolean {
    const { sources, view, query } = this.#parts
    if (query.about.kind !== 'device') return false
    if (!query.live) return switched !== null && leavesActive(switched.entry)
    return [query.about.id, ...view.gangsOf(query.about.id)].some((key) => isActive(sources.state(key)?.state))
  }

  /** The entry of a change, or an item about an unrecorded change if the present state differs. */
  #recorded(change: RecordedChange | null): ActivityEntry | ExplainItem | null {
    if (change === null) return null
    return change.holds ? change.entry : (this.#unrecorded ??= this.#unrecordedItem(change.entry.subject))
  }

  /** Reason why the unit cannot answer right now. */
  #trouble(): ExplainItem | null {
    const { about } = this.#parts.query
    if (about.kind !== 'device') return null
    const down = this.#parts.sources.linkDown()
    if (down !== null)
      return liveItem('activity', null, `No unit can be reached, including ${this.#name()}: ${linkWords(down)}.`, about)
    if (!this.unreachable) return null
    const lost = this.entries.find((entry) => entry.kind === 'unit')
    const since = lost === undefined ? '' : ` since ${this.#parts.when.say(lost.at).replace(/^at /, '')}`
    const what = `${this.#name()} has not answered${since}. Its values are the last ones that it confirmed.`
    return liveItem('activity', lost?.at ?? null, what, about)
  }

  #item(entry: ActivityEntry): ExplainItem {
    const cause = exposeCause(entry.cause, this.#parts.view)
    const kind =
      entry.subject.kind === 'automation' || entry.subject.kind === 'schedule' ? entry.subject.kind : 'activity'
    const what = entryWords(entry, cause, this.#parts.view, this.#parts.when)
    return liveItem(kind, entry.at, what, entry.subject, cause)
  }

  /** The state differs from the last recorded change, so a later change was not recorded. */
  #unrecordedItem(about: Subject): ExplainItem {
    const name = capital(subjectWords(about, this.#parts.view))
    const what = `${name} is no longer as its last recorded change left it: it changed while the gateway could not see it.`
    return liveItem('activity', null, what, about)
  }

  #noChange(): ExplainItem {
    return liveItem('activity', null, `There is no recorded change of ${this.#name()}.`, this.#parts.query.about)
  }

  #name(): string {
    const name = subjectWords(this.#parts.query.about, this.#parts.view)
    return this.#parts.query.about.kind === 'device' ? name : capital(name)
  }
}

/** A failed write of a setting explains neither on nor off. */
function isFailedCommand({ kind, data }: ActivityEntry): boolean {
  return (kind === 'failed' || kind === 'refused') && data?.['intent'] === undefined
}

/** The latest prevented run after `since`. */
function latest(
  entry: ActivityEntry | undefined,
  limitedRun: ExplainItem | null,
  since: number,
): ActivityEntry | ExplainItem | undefined {
  const at = limitedRun?.at ?? -Infinity
  return limitedRun !== null && at > since && at > (entry?.at ?? -Infinity) ? limitedRun : entry
}
