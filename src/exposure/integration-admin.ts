import { keysOf } from '../lib/keys-of.ts'
import type { Cause } from '../home/model/events.ts'
import { type DeviceKey, deviceKey } from '../home/model/device.ts'
import type { ChangePart, UnitOfWork } from '../home/ports/activity-log.ts'
import type { Clock } from '../lib/clock.ts'
import { fail, ok, type Result } from '../lib/result.ts'
import type { Emitter } from '../lib/emitter.ts'
import type { Random } from '../lib/random.ts'
import type { AccessChange } from './access-change.ts'
import {
  type Exposure,
  type HeldIntegration,
  type Integration,
  type IntegrationReader,
  type IntegrationWriter,
  offersStructure,
  type Pick,
  pickKey,
} from './integration.ts'
import { hoursProblem, hoursWords, opensMoreHours, sortedHours, type WeeklyWindow } from './hours.ts'
import type { RecordTimes } from './record-times.ts'
import {
  DEFAULT_KNOBS,
  type IntegrationKind,
  type KnobName,
  type Knobs,
  type OpeningWay,
  PEOPLE_SHOWN,
  type PeopleShown,
} from './knobs.ts'
import type { House } from '../home/house/house.ts'
import { formatExposure } from './pick-text.ts'
import { visibleIn } from './visible.ts'

/** Requested changes of an integration; missing fields stay as they are. */
export interface IntegrationChange {
  readonly name?: string | undefined
  readonly exposure?: Exposure | undefined
  readonly knobs?: Partial<Knobs> | undefined
  readonly enabled?: boolean | undefined
  readonly people?: PeopleShown | undefined
  readonly reports?: readonly string[] | undefined
  /** Epoch ms; null: no end. */
  readonly until?: number | null | undefined
  readonly hours?: readonly WeeklyWindow[] | undefined
  readonly opening?: OpeningWay | undefined
}

/** A new integration; missing fields have their defaults. */
export interface NewIntegration extends Omit<IntegrationChange, 'name' | 'exposure' | 'enabled'> {
  readonly name: string
  readonly exposure: Exposure
  readonly kind?: IntegrationKind
}

export interface IntegrationAdminParts {
  readonly store: IntegrationReader & IntegrationWriter
  readonly times: RecordTimes
  readonly work: UnitOfWork
  readonly clock: Clock
  readonly random: Random
  readonly changes: Emitter<AccessChange>
}

/**
 * Changes of integrations by administrators. Each is one transaction with its activity row; an `AccessChange` follows.
 */
export class IntegrationAdmin {
  readonly #parts: IntegrationAdminParts

  constructor(parts: IntegrationAdminParts) {
    this.#parts = parts
  }

  list(): readonly Integration[] {
    return this.#parts.store.list()
  }

  get(id: string): Integration | undefined {
    return this.#parts.store.get(id)
  }

  /** The error is a sentence about a knob that this exposure does not offer, or its time; nothing is stored then. */
  create(made: NewIntegration, cause: Cause): Result<Integration, string> {
    const creation = this.creation(made, cause)
    if (!creation.ok) return creation
    this.#perform(creation.value.part)
    return ok(creation.value.made)
  }

  /** Like `create`, as a part of another change. */
  creation(
    { name, exposure, knobs = {}, kind = 'programs', opening = 'yes', ...more }: NewIntegration,
    cause: Cause,
  ): Result<{ readonly made: Integration; readonly part: ChangePart }, string> {
    const { people = 'none', reports = [], until = null, hours = [] } = more
    const refused = refusedKnob(knobs, exposure) ?? this.#refusedTime({ until, hours })
    if (refused !== null) return fail(refused)
    const made: Integration = {
      id: this.#parts.random.uuid(),
      name,
      enabled: true,
      exposure,
      knobs: { ...DEFAULT_KNOBS, ...(kind !== 'programs' && { mdns: 'off' }), ...knobs },
      ...{ people, reports, until, hours: sortedHours(hours), kind, opening },
      createdAt: this.#parts.clock.now(),
    }
    const part = this.#part(made, [`integration ${name} created`], cause, () => this.#parts.store.insert(made))
    return ok({ made, part })
  }

  /**
   * Like `create`; returns the integration after the change. `structural` goes off if the new exposure does not offer
   * it. `also` is stored in the same transaction.
   */
  change(
    integration: Integration,
    change: IntegrationChange,
    cause: Cause,
    also: readonly ChangePart[] = [],
  ): Result<Integration, string> {
    const changed = this.planned(change, integration)
    if (!changed.ok) return changed
    const now = changed.value
    const store = (): void => this.#parts.store.update(now)
    const what = changeWords(integration, now, change, this.#parts.times)
    this.#perform(this.#part(now, what, cause, store), also)
    return changed
  }

  /** The integration after a change, with the error of `change`. It stores nothing. */
  planned(change: IntegrationChange, integration: Integration): Result<Integration, string> {
    const { until, hours } = change
    const isSameEnd = until === (integration.until ?? null)
    const refused = this.#refusedTime({ hours, ...(!isSameEnd && { until }) })
    return refused === null ? changedBy(change, integration) : fail(refused)
  }

  /** The reason why a new end or new hours are refused, or null. */
  #refusedTime({ until = null, hours = [] }: IntegrationChange): string | null {
    const now = this.#parts.times.now() ?? this.#parts.clock.now()
    if (until !== null && until <= now) return 'until: has to be later than now; null means no end.'
    return hoursProblem(hours)
  }

  /** Like `change`, but only in memory, if the disk refuses it; it holds until the next stored change. */
  hold(id: string, less: HeldIntegration): void {
    this.#parts.store.hold(id, less)
    this.#parts.changes.emit({ integration: id, deleted: less.deleted === true })
  }

  /** True if a change of it waits for the disk. */
  isHeld(id: string): boolean {
    return this.#parts.store.isHeld(id)
  }

  /**
   * Stores the held change.
   * @param also further changes of the transaction, for the future integration.
   * @throws StorageUnavailable; the change stays held.
   */
  storeHeld(id: string, cause: Cause, also: (now: Integration) => readonly ChangePart[]): void {
    const less = this.#parts.store.letGo(id)
    const integration = this.get(id)
    if (less === null || integration === undefined) return
    try {
      const now = this.planned(less, integration)
      if (now.ok) this.change(integration, less, cause, also(now.value))
    } catch (error) {
      this.#parts.store.hold(id, less)
      throw error
    }
  }

  /** Deletes it with its credentials; `also` is stored in the same transaction. */
  remove(integration: Integration, cause: Cause, also: readonly ChangePart[] = []): void {
    this.#perform(this.removal(integration, cause), also)
  }

  /** Like `remove`, as a part of another change. */
  removal(integration: Integration, cause: Cause): ChangePart {
    const what = [`integration ${integration.name} deleted`]
    return this.#part(integration, what, cause, () => this.#parts.store.remove(integration.id), true)
  }

  /** Adds a pick to a Selected integration within a running change, for a scene that it created. */
  addPick(integration: Integration, pick: Pick): void {
    const { exposure } = integration
    if (exposure.expose === 'All' || exposure.picks.some((stored) => pickKey(stored) === pickKey(pick))) return
    this.#parts.store.update({ ...integration, exposure: { expose: 'Selected', picks: [...exposure.picks, pick] } })
  }

  /** Picks of removed gangs, by integration, and the part of a change that removes them. */
  removedGangs(isRemoved: (device: DeviceKey) => boolean): {
    readonly removed: readonly { readonly integration: Integration; readonly device: DeviceKey }[]
    readonly part: ChangePart
  } {
    const keyOf = (pick: Pick): DeviceKey | null =>
      pick.kind === 'gang' ? deviceKey({ unit: pick.id, gang: pick.gang }) : null
    const goes = (pick: Pick): boolean => {
      const key = keyOf(pick)
      return key !== null && isRemoved(key)
    }
    const removed = this.list().flatMap((integration) =>
      integration.exposure.expose === 'All'
        ? []
        : integration.exposure.picks.filter(goes).map((pick) => ({ integration, device: keyOf(pick) ?? pick.id })),
    )
    const changed = [...new Set(removed.map(({ integration }) => integration))]
    return {
      removed,
      part: {
        store: () => {
          for (const integration of changed) {
            const picks =
              integration.exposure.expose === 'All' ? [] : integration.exposure.picks.filter((pick) => !goes(pick))
            this.#parts.store.update({ ...integration, exposure: { expose: 'Selected', picks } })
          }
        },
        apply: () => {
          for (const { id } of changed) this.#parts.changes.emit({ integration: id, deleted: false })
        },
      },
    }
  }

  /** A change of an integration with its activity rows; an `AccessChange` follows it. */
  #part({ id }: Integration, what: readonly string[], cause: Cause, store: () => void, deleted = false): ChangePart {
    const at = this.#parts.clock.now()
    return {
      store: (record) => {
        store()
        for (const change of what)
          record({ at, kind: 'access', subject: { kind: 'integration', id }, what: change, cause })
      },
      apply: () => {
        this.#parts.store.letGo(id)
        this.#parts.changes.emit({ integration: id, deleted })
      },
    }
  }

  /** Performs a change with its further parts, which are applied before anybody hears of the change. */
  #perform(part: ChangePart, also: readonly ChangePart[] = []): void {
    this.#parts.work.change((record) => {
      for (const stored of [part, ...also]) stored.store(record)
    })
    for (const stored of [...also, part]) stored.apply()
  }
}

/** The integration after a change, whose time has been checked. */
function changedBy(change: IntegrationChange, integration: Integration): Result<Integration, string> {
  const { name = integration.name, exposure = integration.exposure, enabled = integration.enabled } = change
  const { people = integration.people, reports = integration.reports, opening = integration.opening } = change
  const { until = integration.until, hours = integration.hours } = change
  const refused = refusedKnob(change.knobs ?? {}, exposure)
  if (refused !== null) return fail(refused)
  const knobsAfter: Knobs = offersStructure(exposure) ? integration.knobs : { ...integration.knobs, structural: 'off' }
  const rights = {
    enabled,
    knobs: { ...knobsAfter, ...change.knobs },
    ...(people && { people }),
    ...(reports && { reports }),
    ...(until !== undefined && { until }),
    ...(hours && { hours: sortedHours(hours) }),
    ...(opening && { opening }),
  }
  return ok({ ...integration, name, exposure, ...rights })
}

function peopleWords(people: PeopleShown): string {
  if (people === 'none') return 'shows no people'
  return people === 'anyone' ? 'shows whether anyone is home' : 'shows every person'
}

function openingWords(opening: OpeningWay): string {
  return opening === 'ask' ? 'opens locks and gates only after a confirmation' : 'opens locks and gates by itself'
}

/** Activity phrases of a change: its requested parts and its consequences. */
function changeWords(
  before: Integration,
  now: Integration,
  change: IntegrationChange,
  times: RecordTimes,
): readonly string[] {
  const { exposure, knobs, enabled } = change
  const words: string[] = before.name === now.name ? [] : [`renamed to ${now.name}`]
  if (exposure)
    words.push(exposure.expose === 'All' ? 'exposes everything' : `exposes ${exposure.picks.length} picked things`)
  const changed = keysOf(now.knobs).filter((name) => before.knobs[name] !== now.knobs[name])
  if (changed.length > 0) words.push(changed.map((name) => `${name} set to ${now.knobs[name]}`).join(', '))
  else if (knobs) words.push('knobs set as they were')
  if (change.people !== undefined) words.push(peopleWords(change.people))
  if (change.reports !== undefined) words.push(`reports the presence of ${change.reports.length} persons`)
  if (change.until !== undefined) words.push(change.until === null ? 'has no end' : `ends ${times.words(change.until)}`)
  if (change.hours !== undefined) words.push(`hours set to ${hoursWords(change.hours)}`)
  if (change.opening !== undefined) words.push(openingWords(change.opening))
  if (enabled !== undefined) words.push(enabled ? 'enabled' : 'disabled')
  return words
}

/** Spec 2.1: the knob structural needs an exposed structure to rename. */
function refusedKnob(knobs: Partial<Knobs>, exposure: Exposure): string | null {
  return knobs.structural !== 'on' || offersStructure(exposure)
    ? null
    : 'structural: needs an integration that exposes everything, a floor or a room.'
}

const RANK = { off: 0, read: 1, on: 2, read_write: 2 } as const

/** True if one of these knobs permits more than `now`; `mdns` permits nothing. */
export function raisesKnobs(knobs: Partial<Knobs>, now: Partial<Knobs> = {}): boolean {
  const names = Object.keys(knobs) as KnobName[]
  return names.some((name) => name !== 'mdns' && RANK[knobs[name] ?? 'off'] > RANK[now[name] ?? 'read'])
}

/** True if credentials of an integration could see or do more after a change of it. */
export function isWider(before: Integration, after: Integration): boolean {
  const exposed = new Set(formatExposure(before.exposure))
  const showsMore = !exposed.has('all') && formatExposure(after.exposure).some((pick) => !exposed.has(pick))
  return (
    showsMore ||
    (after.enabled && !before.enabled) ||
    raisesKnobs(after.knobs, before.knobs) ||
    (before.opening === 'ask' && after.opening !== 'ask') ||
    showsMorePeople(before, after) ||
    isServedLonger(before, after)
  )
}

function isServedLonger(before: Integration, after: Integration): boolean {
  const endOf = ({ until = null }: Integration): number => until ?? Infinity
  return endOf(after) > endOf(before) || opensMoreHours(after.hours ?? [], before.hours ?? [])
}

function showsMorePeople(before: Integration, after: Integration): boolean {
  const rank = ({ people = 'none' }: Integration): number => PEOPLE_SHOWN.indexOf(people)
  return rank(after) > rank(before) || (after.reports ?? []).some((id) => !before.reports?.includes(id))
}

/** True if an exposure shows more devices of the house after a change of the house. */
export function showsMore(exposure: Exposure, before: House, after: House): boolean {
  const [old, now] = [visibleIn(before, exposure), visibleIn(after, exposure)]
  const isNew = (key: DeviceKey): boolean =>
    !old.devices.has(key) || (old.onlyGangs.has(key) && !now.onlyGangs.has(key))
  return [...now.devices].some(isNew)
}
