import type { ExposedHouse } from '../../exposure/exposed-house.ts'
import { isMessageVisible } from '../../exposure/visible-messages.ts'
import type { MessageBoard } from '../../home/messages/messages.ts'
import type { HomeMessage } from '../../home/model/messages.ts'
import { MESSAGES_PAGE, type messages } from '../contract/messages.ts'
import type { HandlersOf } from '../handler.ts'

export interface MessageParts {
  readonly messages: Pick<MessageBoard, 'page' | 'get' | 'acknowledge'>
}

/** Messages that an integration sees, and their acknowledgement. */
export function messageHandlers(parts: MessageParts): HandlersOf<typeof messages> {
  return {
    'messages.list': ({ query: { before, limit = MESSAGES_PAGE }, view, refuse }) => {
      const fits = (message: HomeMessage): boolean => isMessageVisible(message, view)
      const first = before === undefined ? undefined : parts.messages.get(before)
      if (before !== undefined && (first === undefined || !fits(first)))
        refuse('validation', { message: 'before: is no id of a message.' })
      const found = parts.messages.page({ before: before ?? null, limit: limit + 1, fits }) ?? []
      const page = found.slice(0, limit)
      return {
        messages: page.map((message) => messageJson(message, view)),
        next: found.length > limit ? (page.at(-1)?.id ?? null) : null,
      }
    },
    'messages.acknowledge': ({ subject, view, cause, refuse }) => {
      const message = parts.messages.acknowledge(subject, cause.name)
      // The pipeline has found the message; another request may have deleted it meanwhile.
      return message ? { message: messageJson(message, view) } : refuse('not_found', { field: 'id' })
    },
  }
}

/** A message with the integration's own ids. */
function messageJson(message: HomeMessage, { ids }: Pick<ExposedHouse, 'ids'>) {
  return { ...openMessage(message), device: message.device === null ? null : ids.device(message.device) }
}

/** Fields of a message for every reader; `device` is its device key. */
export function openMessage({ id, at, kind, urgency, title, device, go, acknowledgedAt, endedAt }: HomeMessage) {
  return { id, at, kind, urgency, title, device, go, acknowledged: acknowledgedAt, ended: endedAt }
}
