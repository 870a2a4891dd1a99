import type { WeeklyWindow } from './hours.ts'
import type { IntegrationKind, Knobs, OpeningWay, PeopleShown } from './knobs.ts'

/**
 * A pick of a Selected integration (docs/decisions/exposure.md). `gang` picks one gang of a module. Ids are local ids;
 * the mode of the home has an empty one.
 */
export type Pick =
  | { readonly kind: 'floor' | 'room' | 'unit' | 'scene' | 'group' | 'mode' | 'calendar'; readonly id: string }
  | { readonly kind: 'gang'; readonly id: string; readonly gang: number }

/** Exposure of an integration: everything, or only picked things (Spec 2.1). */
export type Exposure = { readonly expose: 'All' } | { readonly expose: 'Selected'; readonly picks: readonly Pick[] }

/** An API integration of the home: its exposure and its knobs. */
export interface Integration {
  /** UUID, lower case. */
  readonly id: string
  readonly name: string
  readonly enabled: boolean
  readonly exposure: Exposure
  readonly knobs: Knobs
  /** Missing: none, also for an integration that exposes everything. */
  readonly people?: PeopleShown
  /** Ids of the persons whose presence it may report. */
  readonly reports?: readonly string[]
  /** Its end in epoch ms; missing: none. */
  readonly until?: number | null
  /** The hours of the week in which it is served, by their beginning; missing or empty: always. */
  readonly hours?: readonly WeeklyWindow[]
  /** Missing: programs. */
  readonly kind?: IntegrationKind
  /** Missing: yes. Agents always ask. */
  readonly opening?: OpeningWay
  /** Epoch ms. */
  readonly createdAt: number
}

/** Key of a pick; equal picks have equal keys. */
export function pickKey(pick: Pick): string {
  if (pick.kind === 'mode') return 'mode'
  return pick.kind === 'gang' ? `gang:${pick.id}:${pick.gang}` : `${pick.kind}:${pick.id}`
}

/** Spec 2.1: renaming needs an integration that exposes everything, a floor or a room. */
export function offersStructure(exposure: Exposure): boolean {
  return exposure.expose === 'All' || exposure.picks.some((pick) => pick.kind === 'floor' || pick.kind === 'room')
}

/** True for the record of a member or wall tablet, which people use in the console. */
export const isOfPeople = ({ kind = 'programs' }: { readonly kind?: IntegrationKind }): boolean => kind !== 'programs'

/** Stored integrations. Every read is as fresh as the last commit, also of another process. */
export interface IntegrationReader {
  get(id: string): Integration | undefined
  list(): readonly Integration[]
  /** Differs after every commit; until then every integration is unchanged. */
  readonly version: number
}

/** Writes run inside `UnitOfWork.change`. */
export interface IntegrationWriter {
  insert(integration: Integration): void
  update(integration: Integration): void
  /** Deletes the integration with its picks and credentials. */
  remove(id: string): void
  /** Overrides the integration in memory until it is released; outside of a change. */
  hold(id: string, less: HeldIntegration): void
  /** True while it is overridden. */
  isHeld(id: string): boolean
  /** Ends the override and returns it. */
  letGo(id: string): HeldIntegration | null
}

/** Permissions that an integration has lost although the disk still has them. */
export interface HeldIntegration {
  /** True if it is deleted. */
  readonly deleted?: true
  readonly enabled?: false
  readonly knobs?: Partial<Knobs>
  readonly opening?: 'ask'
}
