import { openMessage } from '../api/handlers/messages.ts'
import { MESSAGES_PAGE } from '../api/contract/messages.ts'
import type { MessageBoard } from '../home/messages/messages.ts'
import { KIND_RULES, type HomeMessage, type MessageDraft } from '../home/model/messages.ts'
import { TEST_TITLE } from '../home/words/messages.ts'
import type { AdminMessageView, messages as declared, MessagesTopic } from './contract/messages.ts'
import type { ExposedHouse } from '../exposure/exposed-house.ts'
import { shownActor } from '../api/exposed-causes.ts'
import { isMessageVisible } from '../exposure/visible-messages.ts'
import type { AdminCaller, AdminHandlersOf } from './dispatch.ts'
import type { AdminTopicSource } from './events.ts'

const TEST_MESSAGE: MessageDraft = {
  ...KIND_RULES.test,
  ...{ kind: 'test', title: TEST_TITLE, device: null, go: '/console/messages', ref: 'test', lasts: false },
  subjects: { devices: [], scenes: [] },
}

export interface MessageAdminParts {
  readonly messages: Pick<MessageBoard, 'page' | 'get' | 'post' | 'acknowledge' | 'current' | 'notices'>
}

export function messageAdminHandlers({ messages }: MessageAdminParts): AdminHandlersOf<typeof declared> {
  return {
    'messages.list': ({ query: { before, limit = MESSAGES_PAGE }, by, refuse }) => {
      const view = viewOf(by)
      const fits = (message: HomeMessage): boolean => isShown(message, view)
      const first = before === undefined ? undefined : messages.get(before)
      if (before !== undefined && (first === undefined || !fits(first)))
        refuse('validation', { message: 'before: is no id of a message.' })
      const found = messages.page({ before: before ?? null, limit: limit + 1, fits }) ?? []
      const page = found.slice(0, limit)
      return {
        messages: page.map((message) => messageView(message, view)),
        next: found.length > limit ? (page.at(-1)?.id ?? null) : null,
      }
    },
    'messages.test': () => ({ message: messageView(messages.post(TEST_MESSAGE), null) }),
    'messages.acknowledge': ({ params: { id }, by, cause, refuse }) => {
      const view = viewOf(by)
      const found = messages.get(id)
      const isFound = found !== undefined && isShown(found, view)
      const message = isFound ? messages.acknowledge(id, cause.name) : undefined
      if (message === undefined)
        return refuse('not_found', { message: `There is no message ${id}; \`bin/hm message list\` lists them.` })
      return { message: messageView(message, view) }
    },
  }
}

/** The view of a member; null for administrators, who see every message. */
type View = ExposedHouse | null

const viewOf = ({ member }: Pick<AdminCaller, 'member'>): View => member && member.home().view

const isShown = (message: HomeMessage, view: View): boolean => view === null || isMessageVisible(message, view)

/** Topic of messages that the reader sees: the unacknowledged ones first, then each that is sent or changes. */
export function messageTopic({ messages }: MessageAdminParts): AdminTopicSource {
  return (send, viewNow) => {
    const sendAmong = (all: readonly HomeMessage[], isWhole: boolean): void => {
      const view = viewNow()
      const messages = all.filter((message) => isShown(message, view)).map((message) => messageView(message, view))
      if (isWhole || messages.length > 0) send({ messages, isWhole } satisfies MessagesTopic)
    }
    sendAmong(
      messages.current().filter(({ acknowledgedAt }) => acknowledgedAt === null),
      true,
    )
    return messages.notices.on(({ message }) => sendAmong([message], false))
  }
}

/** A message with the ids of its reader. */
function messageView(message: HomeMessage, view: View): AdminMessageView {
  const { to, acknowledgedBy, notices, nextAt } = message
  const device = message.device === null || view === null ? message.device : view.ids.device(message.device)
  return {
    ...openMessage(message),
    ...{
      device,
      to,
      acknowledgedBy: acknowledgedBy && (view === null ? acknowledgedBy : shownActor(acknowledgedBy, view)),
    },
    heldUntil: notices === 0 ? nextAt : null,
  }
}
