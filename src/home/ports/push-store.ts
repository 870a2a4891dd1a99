import type { PushSubscription } from '../model/push.ts'

/** Push subscriptions and the key that signs to push services. Writes run inside `UnitOfWork.change`. */
export interface PushStore {
  get(id: string): PushSubscription | undefined
  list(): readonly PushSubscription[]
  insert(subscription: PushSubscription): void
  /** Removes it with its deliveries. */
  remove(id: string): void
  /** Private key of the signatures, 32 bytes; null before the first use. */
  privateKey(): Buffer | null
  setPrivateKey(key: Buffer): void
}
