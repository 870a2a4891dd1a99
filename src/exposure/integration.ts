import type { Knobs } from './knobs.ts'

/**
 * What a Selected integration shows (docs/decisions/exposure.md). `gang` picks one gang of a module. Ids are local ids.
 */
export type Pick =
  | { readonly kind: 'floor' | 'room' | 'unit' | 'scene'; readonly id: string }
  | { readonly kind: 'gang'; readonly id: string; readonly gang: number }

/** Everything the API supports, or only what is picked (Spec 2.1). */
export type Exposure = { readonly expose: 'All' } | { readonly expose: 'Selected'; readonly picks: readonly Pick[] }

/** One API integration of the home: what is visible (exposure) and what may be done (knobs). */
export interface Integration {
  /** UUID, lower case. */
  readonly id: string
  readonly name: string
  readonly enabled: boolean
  readonly exposure: Exposure
  readonly knobs: Knobs
  /** Epoch ms. */
  readonly createdAt: number
}

/** Two picks are the same pick when these keys are equal. */
export function pickKey(pick: Pick): string {
  return pick.kind === 'gang' ? `gang:${pick.id}:${pick.gang}` : `${pick.kind}:${pick.id}`
}

/** Spec 2.1: renaming is offered when the integration exposes everything, or a floor, or a room. */
export function offersStructure(exposure: Exposure): boolean {
  return exposure.expose === 'All' || exposure.picks.some((pick) => pick.kind === 'floor' || pick.kind === 'room')
}

/** Integrations as stored. Every read is as fresh as the last commit, also one made by another process. */
export interface IntegrationReader {
  get(id: string): Integration | undefined
  list(): readonly Integration[]
  /** Another number once anything was committed: until then every integration is as it was read. */
  readonly version: number
}

/** Writes run inside `UnitOfWork.change`. */
export interface IntegrationWriter {
  insert(integration: Integration): void
  update(integration: Integration): void
  /** Deletes the integration with its picks and credentials. */
  remove(id: string): void
  /** In memory it counts as this too until it is let go; outside of a change. */
  hold(id: string, less: HeldIntegration): void
  /** Whether it counts as something else than what is stored. */
  isHeld(id: string): boolean
  /** It counts as it is stored; answers what it was held as. */
  letGo(id: string): HeldIntegration | null
}

/** What an integration may do no more although it is stored otherwise. */
export interface HeldIntegration {
  /** It counts as deleted. */
  readonly gone?: true
  readonly enabled?: false
  readonly knobs?: Partial<Knobs>
}
