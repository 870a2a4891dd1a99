import { z } from 'zod'
import { URGENCIES } from '../../home/model/recipients.ts'
import { DELIVERY_STATES } from '../../home/model/deliveries.ts'
import { WEBHOOK_FORMATS, WEBHOOK_URL_MAX } from '../../home/model/webhooks.ts'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'
import { count, epochMs, listOf, named, text, textOrNull, whether } from '../../api/contract/fields.ts'
import { PlainName } from '../../api/contract/shapes.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'

const format = z.enum(WEBHOOK_FORMATS).describe('Form of the body: `json`, or that of a ntfy server.')
const least = z.enum(URGENCIES).describe('Least urgency of its messages.')

const WebhookShape = named('Webhook', 'An address that gets messages of the home, without its secrets.', () => ({
  id: text('The id of the webhook.'),
  name: text('Its name.'),
  host: text('Scheme and host of its address; the rest may be a secret.'),
  format,
  least,
  createdAt: epochMs('Time of creation.'),
  deliveries: listOf('A delivery.', () => ({
    message: text('Title of the message.'),
    state: z.enum(DELIVERY_STATES).describe('`waiting` for the first or the next attempt.'),
    attempts: count('Number of attempts so far.'),
    at: epochMs('Time of the last attempt, or of the next one.'),
    error: textOrNull('Reason of the last failure as the end of a sentence, or null.'),
  })).describe('The ten newest deliveries, newest first.'),
}))
export type WebhookView = Plain<z.output<typeof WebhookShape>>

/** Webhooks for messages (docs/messages.md#webhooks). */
export const webhooks = {
  'webhooks.list': endpoint('GET', '/admin/v1/webhooks', {
    summary: 'Webhooks with their newest deliveries, without their secrets',
    answer: looseObject(() => ({ webhooks: z.array(WebhookShape) })),
  }),
  'webhooks.create': endpoint('POST', '/admin/v1/webhooks', {
    summary: 'Add a webhook; its secret is shown once',
    status: 201,
    stepUp: true,
    body: strictObject(() => ({
      name: PlainName,
      url: z
        .string()
        .min(1)
        .max(WEBHOOK_URL_MAX)
        .describe('Its address, https:// or http://. For ntfy with the topic.'),
      format: format.default('json'),
      least: least.default('normal'),
    })),
    answer: looseObject(() => ({
      webhook: WebhookShape,
      secret: text('Key of the signatures in `HM-Signature`. A secret.'),
    })),
  }),
  'webhooks.test': endpoint('POST', '/admin/v1/webhooks/{id}/test', {
    summary: 'Send a test message to one webhook now',
    answer: looseObject(() => ({
      delivered: whether('True if it took the message.'),
      reason: textOrNull('Reason of a failure as the end of a sentence, or null.'),
    })),
    errors: ['not_found'],
  }),
  'webhooks.delete': endpoint('DELETE', '/admin/v1/webhooks/{id}', {
    summary: 'Remove a webhook with its waiting deliveries',
    answer: looseObject(() => ({ deleted: text('The id of the webhook.') })),
    errors: ['not_found'],
  }),
} as const
