import { computed, effect, signal } from '@preact/signals'
import type { AdminMessage } from '../lib/admin-contract.ts'
import { onAdminTopic } from './admin-topics.ts'
import { admin, signedIn } from './session.ts'

/** Unacknowledged messages, oldest first. */
export const waitingMessages = signal<readonly AdminMessage[]>([])

effect(() => {
  if (signedIn.value === false) waitingMessages.value = []
})

onAdminTopic('messages', ({ messages, isWhole }) => {
  const others = isWhole ? [] : waitingMessages.value.filter(({ id }) => messages.every((message) => message.id !== id))
  const waiting = messages.filter(({ acknowledged }) => acknowledged === null)
  waitingMessages.value = [...others, ...waiting].toSorted((one, other) => one.at - other.at)
})

/** Kinds with a banner of their own. */
const ELSEWHERE: readonly string[] = ['agent']

/** Messages for the banner, newest first: alarms until somebody acknowledges them, others while their reason lasts. */
export const bannerMessages = computed(() =>
  waitingMessages.value
    .filter(
      ({ kind, urgency, ended, heldUntil }) =>
        !ELSEWHERE.includes(kind) && heldUntil === null && (urgency === 'alarm' || ended === null),
    )
    .toReversed(),
)

/** Acknowledges a message for everybody. @throws HmError */
export async function acknowledge({ id }: Pick<AdminMessage, 'id'>): Promise<AdminMessage> {
  const { message } = await admin.call('post', '/admin/v1/messages/{id}/acknowledge', { path: { id } })
  waitingMessages.value = waitingMessages.value.filter((waiting) => waiting.id !== id)
  return message
}

/** A page of all messages, newest first, before this one. @throws HmError */
export function readMessages(
  before: string | null,
): Promise<{ messages: readonly AdminMessage[]; next: string | null }> {
  return admin.call('get', '/admin/v1/messages', { query: before === null ? {} : { before } })
}
