import { z } from 'zod'
import { messageFields, messageQuery } from '../../api/contract/messages.ts'
import { AUDIENCES } from '../../home/model/recipients.ts'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'
import { epochMs, named, textOrNull } from '../../api/contract/fields.ts'
import { looseObject } from '../../lib/late-object.ts'

const Message = named('AdminMessage', 'A message of the home, for administrators.', () => ({
  ...messageFields,
  device: textOrNull('The local id of its device, `UNIT` or `UNIT:GANG`, or null.'),
  to: z.enum(AUDIENCES).describe('`everyone`: also programs that see its devices.'),
  acknowledgedBy: textOrNull('The person or program that acknowledged it, or null.'),
  heldUntil: epochMs('End of the quiet hours that hold it, or null.').nullable(),
}))
export type AdminMessageView = Plain<z.output<typeof Message>>

/** All messages, also those that no program sees (docs/messages.md). */
export const messages = {
  'messages.list': endpoint('GET', '/admin/v1/messages', {
    summary: 'All messages, newest first; a member sees those about their own devices',
    for: 'record',
    query: messageQuery,
    answer: looseObject(() => ({
      messages: z.array(Message),
      next: textOrNull('The `before` of the next page; null after the last.'),
    })),
  }),
  'messages.test': endpoint('POST', '/admin/v1/messages/test', {
    summary: 'Send a test message on every channel',
    answer: looseObject(() => ({ message: Message })),
  }),
  'messages.acknowledge': endpoint('POST', '/admin/v1/messages/{id}/acknowledge', {
    summary: 'Acknowledge a message, which ends the repetitions of an alarm',
    for: 'record',
    answer: looseObject(() => ({ message: Message })),
    errors: ['not_found'],
  }),
} as const

/** State of the topic `messages`: unacknowledged ones first, then every change. */
export interface MessagesTopic {
  readonly messages: readonly AdminMessageView[]
  /** True for the first state: messages that are missing in it need nobody any more. */
  readonly isWhole: boolean
}
