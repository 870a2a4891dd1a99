import type { WebSocket } from 'ws'
import type { RequestCredentials } from '../auth/authenticator.ts'
import type { Via } from '../auth/credentials/credentials.ts'

/** Client that opens a socket on the live stream; `peer` is its IP address. */
export interface StreamClient {
  readonly token: RequestCredentials
  readonly peer: string
  readonly via: Via
}

/** The live stream, as transports use it. */
export interface LiveStream {
  /** @throws Refusal, or rejects with one, if this client may not open a socket */
  admit(token: RequestCredentials, peer: string, via: Via): Promise<void> | null
  /** Publishes events on the socket of an admitted client. */
  accept(socket: WebSocket, client: StreamClient): void
}
