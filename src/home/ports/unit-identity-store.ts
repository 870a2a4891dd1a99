import type { UnitIdentity } from '../model/unit-identity.ts'

/** The physical unit behind an id of the house; `since` is epoch ms, 0 for the first one known. */
export interface StoredIdentity {
  readonly unit: string
  readonly identity: UnitIdentity
  readonly since: number
}

/** Remembers which physical unit each id names, also for ids that the house has no longer. */
export interface UnitIdentityStore {
  load(): readonly StoredIdentity[]
  save(stored: StoredIdentity): void
}
