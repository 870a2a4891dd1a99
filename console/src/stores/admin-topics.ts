import { signal } from '@preact/signals'
import type { AdminActivityEntry, AdminEvent, Status } from '../lib/admin-contract.ts'
import { gatewayTime, setGatewayClock } from './gateway-clock.ts'

/** An integration, credential, person or session changed; `integration` is whose, where it is of one. */
interface AccessChange {
  readonly kind: 'changed'
  readonly integration: string
  readonly deleted: boolean
}

/** What administrators are told on the stream beside the home's own topics (docs/console.md#stream). */
export interface Pushed {
  readonly access: AdminEvent | AccessChange
  readonly activity: { readonly entries: readonly AdminActivityEntry[] }
  readonly status: Status
}
type PushedTopic = keyof Pushed

const listeners: { readonly [T in PushedTopic]: Set<(state: Pushed[T]) => void> } = {
  access: new Set(),
  activity: new Set(),
  status: new Set(),
}

/** The newest word of `GET /admin/v1/status`; null before the first. */
export const status = signal<Status | null>(null)
/** When that was said, epoch ms by the gateway's clock: so old is everything that stands there without a connection. */
export const statusAt = signal<number | null>(null)

/** Takes the gateway's word on how it is doing. */
export function tookStatus(said: Status, at = gatewayTime()): void {
  status.value = said
  statusAt.value = at
}

/** Calls a listener at every event of a topic; what it answers stops that. */
export function onPushed<T extends PushedTopic>(topic: T, listener: (state: Pushed[T]) => void): () => void {
  listeners[topic].add(listener)
  return () => void listeners[topic].delete(listener)
}

interface Heard {
  readonly event: string
  /** When the gateway sent it, epoch ms. */
  readonly at?: number
  readonly state?: unknown
}

/** Takes an event of the stream that is none of the home's own. */
export function took({ event, at, state }: Heard): void {
  if (at !== undefined) setGatewayClock(at)
  if (event === 'status') tookStatus(state as Status, at)
  if (event === 'access' || event === 'activity' || event === 'status')
    for (const listener of listeners[event]) (listener as (state: unknown) => void)(state)
}

/** Grows with each change of an integration, credential, person, passkey or session. */
export const accessChanges = signal(0)

onPushed('access', ({ kind }) => {
  if (kind === 'changed') accessChanges.value += 1
})
