import { z } from 'zod'
import { MESSAGE_KINDS } from '../../home/model/messages.ts'
import { URGENCIES } from '../../home/model/recipients.ts'
import { endpoint } from './endpoint.ts'
import { pageLimit } from './records.ts'
import { epochMs, growing, named, text, textOrNull } from './fields.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'

/** Default number of messages in a response. */
export const MESSAGES_PAGE = 50

/** Fields of a message in every interface. */
export const messageFields = {
  id: text('The id of the message.'),
  at: epochMs('Time of the message.'),
  kind: growing(MESSAGE_KINDS, 'Kind of the message; more: the number of messages that were left out of the stream.'),
  urgency: growing(URGENCIES, 'An alarm is repeated until somebody acknowledges it.'),
  title: text('One sentence.'),
  device: textOrNull('The id of its device, or null.'),
  go: textOrNull('Path of the page of the console that helps, or null.'),
  acknowledged: epochMs('Time of the acknowledgement, or null.').nullable(),
  ended: epochMs('End of its condition, such as smoke; null while it lasts, and for an event.').nullable(),
}

export const Message = named('Message', 'A message of the home for people.', () => messageFields)

export const messageQuery = strictObject(() => ({
  before: z.string().min(1).max(40).optional().describe('The id of the last message of the previous page.'),
  limit: pageLimit.optional(),
}))

/** Messages about exposed devices (docs/messages.md). */
export const messages = {
  'messages.list': endpoint('GET', '/v1/messages', {
    summary: 'Messages about exposed devices, newest first',
    spec: 'docs/messages.md',
    query: messageQuery,
    answer: looseObject(() => ({
      messages: z.array(Message),
      next: textOrNull('The `before` of the next page; null after the last.'),
    })),
  }),
  'messages.acknowledge': endpoint('POST', '/v1/messages/{id}/acknowledge', {
    configures: true,
    summary: 'Acknowledge a message, which ends the repetitions of an alarm; an acknowledged one stays as it is',
    spec: 'docs/messages.md',
    subject: 'message',
    answer: looseObject(() => ({ message: Message })),
  }),
} as const
