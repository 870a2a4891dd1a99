import { RelayUnavailable } from '../model/unavailable.ts'

/** The bus is disconnected, or its subscribers do not reply. */
export class BusUnavailable extends RelayUnavailable {}

/** Timeout of a request. */
export const REQUEST_TIMEOUT_MS = 1_000
/** Bytes of one message as JSON; larger messages are dropped. */
export const MESSAGE_BYTES_MAX = 4_096

/** Handles a message from another node. Its JSON is unchecked. The returned object is the reply to a request. */
export type BusMessageHandler = (message: unknown, subject: string) => object | undefined

/**
 * Publish-subscribe and request-reply between nodes. A message reaches each current subscriber at most once, and never
 * its own sender. Subjects are words with dots between them; a subscription may end with `*` for any word.
 */
export interface Bus {
  /** While false, requests fail immediately and published messages are lost. */
  readonly isUp: boolean
  publish(subject: string, message: object): void
  /**
   * Returns the first accepted reply, or null if there is no subscriber or no accepted reply.
   * @throws BusUnavailable if the bus is disconnected or no subscriber replies.
   */
  request(subject: string, message: object, accept?: (reply: unknown) => boolean): Promise<unknown>
  /** Returns a function that ends the subscription. */
  subscribe(subject: string, handler: BusMessageHandler): () => void
  /** Calls back after each reconnection: messages published in between were lost. */
  onReconnect(callback: () => void): void
  /** Resolves when the subscriptions of this node are active at every node. */
  settled(): Promise<void>
}
