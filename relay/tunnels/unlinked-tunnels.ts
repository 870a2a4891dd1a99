import { FairPlaces } from '../limits/fair-places.ts'
import type { ProvedTunnel } from './proved-tunnel.ts'

/** Tunnels of homes that no account is linked to, at this node. */
export const UNLINKED_MAX = 1_000
/** How long such a tunnel lasts. */
export const UNLINKED_MS = 10 * 60_000

/** The tunnels that are not linked. Their addresses share the places. */
export class UnlinkedTunnels {
  readonly #max: number
  readonly #places = new FairPlaces<ProvedTunnel>()

  constructor(max = UNLINKED_MAX) {
    this.#max = max
  }

  add(tunnel: ProvedTunnel): void {
    this.#places.add(tunnel, tunnel.peer)
  }

  delete(tunnel: ProvedTunnel): void {
    this.#places.delete(tunnel)
  }

  /**
   * Sends one away if a tunnel is one too many: of the address with the most, or the tunnel itself. Answers whether it
   * may stay.
   */
  keeps(tunnel: ProvedTunnel): boolean {
    if (this.#places.size <= this.#max) return true
    this.#places.delete(tunnel)
    const rival = this.#places.rivalOf(tunnel.peer) ?? tunnel
    this.#places.delete(rival)
    if (rival !== tunnel) this.add(tunnel)
    void rival.sendAway()
    return rival !== tunnel
  }
}
