import type { Passthrough } from '../wire/control.ts'
import type { LinkAsk } from './control.ts'
import type { PendingRequest, RelaySettings } from './settings-file.ts'
import type { Trouble } from './slot.ts'
import type { Tunnel, TunnelState } from './tunnel.ts'

/** `off`: no relay is connected; `connecting`: there is no tunnel at present. */
export type RelayState = 'off' | 'connecting' | Exclude<TunnelState, 'opening'>

interface TunnelStatus {
  readonly slot: number
  readonly node: string
  readonly silentMs: number
  readonly streams: number
}

/** What administrators see of the relay. */
export interface RelayStatus {
  readonly serial: string
  readonly state: RelayState
  readonly settings: RelaySettings | null
  /** Also of the next relay, where none is connected. */
  readonly passthrough: Passthrough
  /** `gave_way`: another gateway with the same key serves the home, and this one dials no more. */
  readonly trouble: Trouble | 'gave_way' | null
  /** True while this gateway leaves the home to another one with the same key. */
  readonly gaveWay: boolean
  /** When another gateway with the same key was at the relay last, epoch ms, within a day; otherwise null. */
  readonly rivalAt: number | null
  readonly tunnels: readonly TunnelStatus[]
  /** When all places of a tunnel were taken last, epoch ms, within the last hour; otherwise null. */
  readonly fullAt: number | null
  /** What an administrator asked of a relay that has not confirmed it yet. */
  readonly pending: PendingRequest | null
  /** What the owner types on the relay's page, while it holds. */
  readonly code: LinkAsk | null
}

/** The best state of all tunnels. */
export function stateOf(states: readonly TunnelState[]): RelayState {
  if (states.includes('linked')) return 'linked'
  return states.includes('unlinked') ? 'unlinked' : 'connecting'
}

export function tunnelStatus({ slot, tunnel }: { readonly slot: number; readonly tunnel: Tunnel }): TunnelStatus {
  const { relay, silentMs, streams } = tunnel
  return { slot, node: relay?.node ?? '', silentMs: Math.round(silentMs), streams }
}
