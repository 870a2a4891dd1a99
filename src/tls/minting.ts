import type { Clock } from '@hm-gateway/lib/clock.ts'
import type { Random } from '@hm-gateway/lib/random.ts'
import { type Authority, BACKDATE_MS } from './authority.ts'
import { BRIDGE_LIFE_MS, isBridge, type Leaf, mintLeaf, type RenewalReason, renewalReason } from './leaf.ts'
import { leafNames } from './leaf-names.ts'
import type { TimeFloor } from './time-floor.ts'

/** Inputs of a new certificate. */
export interface MintingParts {
  readonly serial: string
  readonly addresses: () => readonly string[]
  readonly clock: Clock
  readonly floor: Pick<TimeFloor, 'now' | 'aheadMs'>
  readonly random: Random
}

/**
 * A certificate for the present names and addresses, dated by the time floor.
 *
 * @param bridges true if it should, if possible, also be valid by a clock that is not trusted yet
 */
export function mintNow(authority: Authority, parts: MintingParts, bridges: boolean): Leaf {
  const { serial, addresses, floor, random } = parts
  const until = bridges ? bridgeEnd(parts) : null
  return mintLeaf(authority, leafNames(serial, addresses()), floor.now(), random, until ?? undefined)
}

/** Reason for replacing the current certificate, or null. A bridge is due once the right clock is known. */
export function reasonNow(leaf: Leaf, parts: MintingParts): RenewalReason | null {
  const { serial, addresses, floor } = parts
  const reason = renewalReason(leaf, leafNames(serial, addresses()), floor.now())
  return reason ?? (isBridge(leaf) && bridgeEnd(parts) === null ? 'due' : null)
}

/**
 * Required end of a certificate dated by the time floor that is also valid by a clock not trusted yet. Null if the
 * clock is trusted, or so far ahead that no client would accept such a certificate.
 */
export function bridgeEnd({ floor, clock }: Pick<MintingParts, 'floor' | 'clock'>): number | null {
  const end = clock.now() + BACKDATE_MS
  return floor.aheadMs > 0 && end - (floor.now() - BACKDATE_MS) <= BRIDGE_LIFE_MS ? end : null
}
