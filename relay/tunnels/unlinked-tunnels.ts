import type { FairPlaces } from '../limits/fair-places.ts'
import type { ProvedTunnel } from './proved-tunnel.ts'

/** Tunnels of homes that no account is linked to, at this node. */
export const UNLINKED_MAX = 1_000
/** How long such a tunnel lasts. */
export const UNLINKED_MS = 10 * 60_000

/**
 * Sends one of the tunnels that are not linked away if this one is one too many: of the address with the most, or the
 * tunnel itself. Answers whether it may stay.
 */
export function keepsUnlinked(all: FairPlaces<ProvedTunnel>, tunnel: ProvedTunnel, max = UNLINKED_MAX): boolean {
  if (all.size <= max) return true
  all.delete(tunnel)
  const rival = all.rivalOf(tunnel.peer) ?? tunnel
  all.delete(rival)
  if (rival !== tunnel) all.add(tunnel, tunnel.peer)
  void rival.sendAway()
  return rival !== tunnel
}
