import type { HomeMessage } from '../model/messages.ts'

/** A page of messages, newest first. */
export interface MessageQuery {
  /** Only messages before this one; null: from the newest. */
  readonly before: string | null
  readonly limit: number
  readonly fits: (message: HomeMessage) => boolean
}

/** Messages of the home. Writes do not wait for the disk. */
export interface MessageStore {
  /** Messages that still change: unacknowledged ones and lasting conditions, oldest first. */
  current(): readonly HomeMessage[]
  get(id: string): HomeMessage | undefined
  /** Newest first; null if `before` is unknown. */
  page(query: MessageQuery): readonly HomeMessage[] | null
  put(message: HomeMessage): void
  /** Deletes messages before `at`, and the oldest beyond `max`, except unacknowledged alarms that last. */
  prune(at: number, max: number): void
  /** Resolves when all writes so far would survive a power cut. @throws StorageUnavailable */
  onDisk(): Promise<void>
}
