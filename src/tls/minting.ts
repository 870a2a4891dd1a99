import type { Clock } from '@hm-gateway/lib/clock.ts'
import type { Random } from '@hm-gateway/lib/random.ts'
import { type Authority, BACKDATE_MS } from './authority.ts'
import { BRIDGE_LIFE_MS, isBridge, type Leaf, mintLeaf, type RenewalReason, renewalReason } from './leaf.ts'
import { leafNames } from './names.ts'
import type { TimeFloor } from './time-floor.ts'

/** What a new certificate is made by. */
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
 * @param bridges whether it is to be valid as well by a clock that is not believed yet, where that can be.
 */
export function mintNow(authority: Authority, parts: MintingParts, bridges: boolean): Leaf {
  const { serial, addresses, floor, random } = parts
  const until = bridges ? bridgeEnd(parts) : null
  return mintLeaf(authority, leafNames(serial, addresses()), floor.now(), random, until ?? undefined)
}

/** Why the certificate in use has to be replaced, or null; a bridge is due once it is known which clock is right. */
export function reasonNow(leaf: Leaf, parts: MintingParts): RenewalReason | null {
  const { serial, addresses, floor } = parts
  const reason = renewalReason(leaf, leafNames(serial, addresses()), floor.now())
  return reason ?? (isBridge(leaf) && bridgeEnd(parts) === null ? 'due' : null)
}

/**
 * Until when a certificate must hold that is dated by the time floor and is to be valid by a clock that is not believed
 * yet, too; null where the clock is believed, or so far ahead that no client would take such a certificate.
 */
export function bridgeEnd({ floor, clock }: Pick<MintingParts, 'floor' | 'clock'>): number | null {
  const end = clock.now() + BACKDATE_MS
  return floor.aheadMs > 0 && end - (floor.now() - BACKDATE_MS) <= BRIDGE_LIFE_MS ? end : null
}
