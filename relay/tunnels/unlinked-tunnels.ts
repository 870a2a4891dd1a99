import type { FairShares } from '../limits/fair-shares.ts'
import type { GatewayTunnel } from './gateway-tunnel.ts'

/** Tunnels at this node whose home has no linked account. */
export const UNLINKED_MAX = 1_000
/** Lifetime of such a tunnel. */
export const UNLINKED_MS = 10 * 60_000

/**
 * Closes one unlinked tunnel if there are more than `max`: one of the address with the most, or the new tunnel itself.
 * @param all includes the new tunnel.
 * @returns whether the new tunnel may stay.
 */
export function admitUnlinked(all: FairShares<GatewayTunnel>, tunnel: GatewayTunnel, max = UNLINKED_MAX): boolean {
  if (all.size <= max) return true
  all.delete(tunnel)
  const victim = all.victimFor(tunnel.peer) ?? tunnel
  all.delete(victim)
  if (victim !== tunnel) all.add(tunnel, tunnel.peer)
  void victim.turnAway()
  return victim !== tunnel
}
