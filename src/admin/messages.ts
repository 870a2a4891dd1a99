import { openMessage } from '../api/handlers/messages.ts'
import { MESSAGES_PAGE } from '../api/contract/messages.ts'
import type { MessageBoard } from '../home/messages/messages.ts'
import { KIND_RULES, type HomeMessage, type MessageDraft } from '../home/model/messages.ts'
import { TEST_TITLE } from '../home/words/messages.ts'
import type { AdminMessageView, messages as declared, MessagesTopic } from './contract/messages.ts'
import type { AdminHandlersOf } from './dispatch.ts'
import type { AdminTopicSource } from './events.ts'

const TEST_MESSAGE: MessageDraft = {
  ...KIND_RULES.test,
  ...{ kind: 'test', title: TEST_TITLE, device: null, go: '/console/messages', ref: 'test', lasts: false },
  subjects: { devices: [], scenes: [] },
}

export interface MessageAdminParts {
  readonly messages: Pick<MessageBoard, 'page' | 'post' | 'acknowledge' | 'current' | 'notices'>
}

export function messageAdminHandlers({ messages }: MessageAdminParts): AdminHandlersOf<typeof declared> {
  return {
    'messages.list': ({ query: { before, limit = MESSAGES_PAGE }, refuse }) => {
      const found =
        messages.page({ before: before ?? null, limit: limit + 1, fits: () => true }) ??
        refuse('validation', { message: 'before: is no id of a message.' })
      const page = found.slice(0, limit)
      return {
        messages: page.map(messageView),
        next: found.length > limit ? (page.at(-1)?.id ?? null) : null,
      }
    },
    'messages.test': () => ({ message: messageView(messages.post(TEST_MESSAGE)) }),
    'messages.acknowledge': ({ params: { id }, cause, refuse }) => {
      const message = messages.acknowledge(id, cause.name)
      if (message === undefined)
        return refuse('not_found', { message: `There is no message ${id}; \`bin/hm message list\` lists them.` })
      return { message: messageView(message) }
    },
  }
}

/** Topic of messages: the unacknowledged ones first, then each that is sent or changes. */
export function messageTopic({ messages }: MessageAdminParts): AdminTopicSource {
  return (send) => {
    const waiting = messages.current().filter(({ acknowledgedAt }) => acknowledgedAt === null)
    send({ messages: waiting.map(messageView), isWhole: true } satisfies MessagesTopic)
    return messages.notices.on(({ message }) =>
      send({ messages: [messageView(message)], isWhole: false } satisfies MessagesTopic),
    )
  }
}

function messageView(message: HomeMessage): AdminMessageView {
  const { to, acknowledgedBy, notices, nextAt } = message
  return { ...openMessage(message), to, acknowledgedBy, heldUntil: notices === 0 ? nextAt : null }
}
