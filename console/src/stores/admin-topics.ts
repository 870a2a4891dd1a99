import { signal } from '@preact/signals'
import type { ModeGetAnswer, PersonsListAnswer } from '@hm-gateway/client/src/browser.ts'
import type { AdminActivityEntry, AdminEvent, AdminMessage, Status } from '../lib/admin-contract.ts'
import { gatewayTime, setGatewayClock } from './gateway-clock.ts'

/** A change of an integration, credential, person or session; `integration` is its owner, if it has one. */
interface AccessChange {
  readonly kind: 'changed'
  readonly integration: string
  readonly deleted: boolean
}

/** The mode of the home, and the modes that it can have. */
export type ModeView = Omit<ModeGetAnswer, 'house'>

/** The presence of the home's people. */
export type PeopleView = Omit<PersonsListAnswer, 'house'>

/** Topics of the stream beside the home's devices, with their events (docs/console.md#stream). */
export interface AdminTopics {
  readonly access: AdminEvent | AccessChange
  readonly activity: { readonly entries: readonly AdminActivityEntry[] }
  /** `isWhole`: all unacknowledged messages, after a connection. */
  readonly messages: { readonly messages: readonly AdminMessage[]; readonly isWhole: boolean }
  readonly status: Status
  readonly mode: ModeView
  readonly presence: PeopleView
}
type AdminTopic = keyof AdminTopics

const listeners: { readonly [T in AdminTopic]: Set<(state: AdminTopics[T]) => void> } = {
  access: new Set(),
  activity: new Set(),
  messages: new Set(),
  status: new Set(),
  mode: new Set(),
  presence: new Set(),
}

/** The newest answer of `GET /admin/v1/status`; null before the first. */
export const status = signal<Status | null>(null)
/** Age of the status, epoch ms of the gateway's clock. */
export const statusAt = signal<number | null>(null)

export function setStatus(newest: Status, at = gatewayTime()): void {
  status.value = newest
  statusAt.value = at
}

/** Subscribes to a topic. Returns the function that unsubscribes. */
export function onAdminTopic<T extends AdminTopic>(topic: T, listener: (state: AdminTopics[T]) => void): () => void {
  listeners[topic].add(listener)
  return () => void listeners[topic].delete(listener)
}

interface StreamEvent {
  readonly event: string
  /** Send time, epoch ms of the gateway's clock. */
  readonly at?: number
  readonly state?: unknown
}

/** Handles a stream event that the client's `Home` does not know. */
export function handleAdminEvent({ event, at, state }: StreamEvent): void {
  if (at !== undefined) setGatewayClock(at)
  if (event === 'status') setStatus(state as Status, at)
  if (event in listeners)
    for (const listener of listeners[event as AdminTopic]) (listener as (state: unknown) => void)(state)
}

/** Grows with each change of an integration, credential, person, passkey or session; lists of them reload then. */
export const accessChanges = signal(0)

onAdminTopic('access', ({ kind }) => {
  if (kind === 'changed') accessChanges.value += 1
})
