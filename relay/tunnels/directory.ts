import type { ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2'

/** Opens streams through the tunnel of a gateway, at this node or at another. */
export interface StreamOpener {
  /**
   * Begins a request, whose headers name authority, method and path.
   * `gone`: the tunnel has closed. `busy`: a limit of concurrent streams is reached.
   */
  open(headers: OutgoingHttpHeaders, endStream: boolean): ClientHttp2Stream | 'gone' | 'busy'
}

/** A tunnel with the name of its node. */
export interface LocatedTunnel extends StreamOpener {
  readonly node: string
}

/** Finds the node that has a gateway's tunnel. */
export interface Directory {
  /**
   * Returns an open tunnel of a linked gateway, or null if there is none.
   * @param exceptNode a node whose tunnel has just failed.
   * @throws RelayUnavailable if other nodes cannot be asked now.
   */
  find(gateway: string, exceptNode?: string | null): LocatedTunnel | null | Promise<LocatedTunnel | null>
}

/** A tunnel of this node. */
export interface LocalTunnel extends LocatedTunnel {
  readonly serial: string
  /** A gateway numbers its simultaneous tunnels 0 and 1. */
  readonly slot: number
  /** Grows with each connection attempt of the gateway. */
  readonly epoch: number
  /** Key that the gateway has signed with. */
  readonly publicKey: string
  /** True as long as the tunnel takes requests. */
  readonly isOpen: boolean
  /**
   * Tells the gateway that a tunnel of this epoch replaces this one; resolves also if the gateway does not respond.
   */
  notifyReplaced(epoch: number): Promise<void>
  destroy(): void
}

/** A tunnel that another node has announced; nodes of earlier versions announce no public key. */
export type RemoteTunnel = Pick<LocalTunnel, 'slot' | 'epoch'> & {
  readonly publicKey: string | null
  readonly node?: string
}

/**
 * Compares the ages of two tunnels: negative if the local one is older, positive if it is newer, 0 if they are the
 * same. Gateways with copies of one data folder may use the same epoch. Both nodes then compare their names.
 */
export function compareAge(local: LocalTunnel, { epoch, node = local.node }: RemoteTunnel): number {
  return local.epoch - epoch || Number(local.node > node) - Number(local.node < node)
}

/** The tunnels of this process, which are all tunnels of a relay with one node. */
export class LocalDirectory implements Directory {
  readonly #tunnels = new Map<string, LocalTunnel[]>()
  #added: (tunnel: LocalTunnel) => void = () => {}
  #removed: (gateway: string) => void = () => {}

  find(gateway: string, exceptNode: string | null = null): LocatedTunnel | null {
    const tunnel = this.tunnelsOf(gateway).findLast(({ isOpen }) => isOpen) ?? null
    return tunnel === null || tunnel.node === exceptNode ? null : tunnel
  }

  onAdd(added: (tunnel: LocalTunnel) => void): void {
    this.#added = added
  }

  /** Calls back with the serial of a gateway that has lost its last tunnel here. */
  onRemove(removed: (gateway: string) => void): void {
    this.#removed = removed
  }

  tunnelsOf(gateway: string): readonly LocalTunnel[] {
    return this.#tunnels.get(gateway) ?? []
  }

  /**
   * Adds a tunnel and drops older ones with the same slot and key. Returns false if there is a newer one. Epochs of
   * different keys are not compared, because the store decides which key is valid.
   */
  add(tunnel: LocalTunnel): boolean {
    const known = this.tunnelsOf(tunnel.serial)
    const rivals = known.filter(({ slot, publicKey }) => slot === tunnel.slot && publicKey === tunnel.publicKey)
    if (rivals.some(({ epoch }) => epoch > tunnel.epoch)) return false
    this.#tunnels.set(tunnel.serial, [...known.filter((other) => !rivals.includes(other)), tunnel])
    this.#added(tunnel)
    return true
  }

  remove(tunnel: LocalTunnel): void {
    const known = this.tunnelsOf(tunnel.serial)
    const remaining = known.filter((other) => other !== tunnel)
    if (remaining.length === known.length) return
    if (remaining.length > 0) return void this.#tunnels.set(tunnel.serial, remaining)
    this.#tunnels.delete(tunnel.serial)
    this.#removed(tunnel.serial)
  }
}
