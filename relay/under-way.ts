import type { Passthrough } from './edge/passthrough.ts'
import type { RelayNode } from './nodes/relay-node.ts'
import type { Tunnels } from './tunnels/tunnels.ts'

/** Open tunnels, streams and end-to-end connections of one relay process. */
export interface UnderWay {
  readonly tunnels: number
  /** Over the tunnels that are held here. */
  readonly streams: number
  /** To and from other nodes. */
  readonly nodeStreams: number
  readonly endToEnd: number
}

export interface UnderWayParts {
  readonly tunnels: Pick<Tunnels, 'counts'>
  readonly self: Pick<RelayNode, 'streams'>
  readonly passthrough: Pick<Passthrough, 'size'>
}

export function underWay({ tunnels, self, passthrough }: UnderWayParts): UnderWay {
  const { linked, unlinked, streams } = tunnels.counts()
  return { tunnels: linked + unlinked, streams, nodeStreams: self.streams, endToEnd: passthrough.size }
}
