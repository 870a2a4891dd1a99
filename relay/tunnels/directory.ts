import type { ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2'

/** A way to a gateway: streams of its tunnel, here or on another node. */
export interface GatewayLine {
  /** Begins a request, whose headers name authority, method and path; `busy`: too many are under way. */
  open(headers: OutgoingHttpHeaders, endStream: boolean): ClientHttp2Stream | 'gone' | 'busy'
}

/** One that was found, with the node that holds the tunnel. */
export interface FoundLine extends GatewayLine {
  readonly node: string
}

/** Who holds which gateway. */
export interface Directory {
  /**
   * The line to a gateway whose home is linked, at another node than the one excepted; null where nobody holds one.
   * @throws RelayUnavailable where that cannot be known now.
   */
  find(gateway: string, except?: string | null): FoundLine | null | Promise<FoundLine | null>
}

/** What a node's directory is told about the tunnels that it holds. */
export interface HeldLine extends FoundLine {
  readonly serial: string
  readonly slot: number
  readonly epoch: number
  /** The gateway's, which it has proved. */
  readonly publicKey: string
  /** Whether it still takes requests. */
  readonly isOpen: boolean
  /** Tells its gateway that a tunnel of this epoch has taken its place; resolves when it was told, or cannot be. */
  replacedBy(epoch: number): Promise<void>
  /** Ends it: another one has taken its place. */
  destroy(): void
}

/** A tunnel of which another node tells; `publicKey` is null if that node does not tell it. */
export type UpLine = Pick<HeldLine, 'slot' | 'epoch'> & {
  readonly publicKey: string | null
  readonly node?: string
}

/**
 * Negative if a tunnel here is older than one at another node, positive if it is younger, 0 if they are the same. Two
 * gateways with copies of one data folder can give the same number: the names of their nodes decide then, at both.
 */
export function orderOf(here: HeldLine, { epoch, node = here.node }: UpLine): number {
  return here.epoch - epoch || Number(here.node > node) - Number(here.node < node)
}

/** The tunnels of this process: the whole directory of a relay of one. */
export class LocalDirectory implements Directory {
  readonly #held = new Map<string, HeldLine[]>()
  #added: (line: HeldLine) => void = () => {}
  #removed: (gateway: string) => void = () => {}

  find(gateway: string, except: string | null = null): FoundLine | null {
    const line = this.of(gateway).findLast(({ isOpen }) => isOpen) ?? null
    return line === null || line.node === except ? null : line
  }

  /** Calls back with each line that is added. */
  onAdd(added: (line: HeldLine) => void): void {
    this.#added = added
  }

  /** Calls back with each gateway that no line leads to any more. */
  onRemove(removed: (gateway: string) => void): void {
    this.#removed = removed
  }

  /** Every line to this gateway. */
  of(gateway: string): readonly HeldLine[] {
    return this.#held.get(gateway) ?? []
  }

  /**
   * Adds a line; an older one of the same slot and key goes, and false is answered where this is the older one. Of
   * another key none is older: the store says which key holds, not what a gateway says of itself.
   */
  add(line: HeldLine): boolean {
    const others = this.of(line.serial)
    const rivals = others.filter(({ slot, publicKey }) => slot === line.slot && publicKey === line.publicKey)
    if (rivals.some(({ epoch }) => epoch > line.epoch)) return false
    this.#held.set(line.serial, [...others.filter((each) => !rivals.includes(each)), line])
    this.#added(line)
    return true
  }

  remove(line: HeldLine): void {
    const held = this.of(line.serial)
    const left = held.filter((each) => each !== line)
    if (left.length === held.length) return
    if (left.length > 0) return void this.#held.set(line.serial, left)
    this.#held.delete(line.serial)
    this.#removed(line.serial)
  }
}
