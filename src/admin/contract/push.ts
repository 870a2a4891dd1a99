import { z } from 'zod'
import { DELIVERY_STATES } from '../../home/model/deliveries.ts'
import { PUSH_ENDPOINT_MAX } from '../../home/model/push.ts'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'
import { epochMs, named, shape, text, textOrNull, whether } from '../../api/contract/fields.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'

const PushSubscription = named('PushSubscription', 'A browser that gets messages, without its address.', () => ({
  id: text('The id of the subscription.'),
  person: text('The id of its person.'),
  name: text('The name of its person.'),
  own: whether('True if the person of this request made it.'),
  current: whether('True if the session of this request made it.'),
  browser: text('User agent of the browser.'),
  host: text('Host of its push service; the rest of the address is a secret.'),
  mark: text('SHA-256 of its address, base64url, by which a browser recognises itself.'),
  names: whether('True if its lock screen shows the words of messages.'),
  createdAt: epochMs('Time of creation.'),
  last: shape('Its newest delivery, or null.', () => ({
    state: z.enum(DELIVERY_STATES).describe('`waiting` for the first or the next attempt.'),
    at: epochMs('Time of the last attempt, or of the next one.'),
    error: textOrNull('Reason of the last failure as the end of a sentence, or null.'),
  })).nullable(),
}))
export type PushSubscriptionView = Plain<z.output<typeof PushSubscription>>

const KEY_LENGTH_MAX = 200
const key = (description: string) =>
  z
    .string()
    .regex(/^[\w-]+$/)
    .max(KEY_LENGTH_MAX)
    .describe(`${description} base64url.`)

const endpointField = z
  .string()
  .min(1)
  .max(PUSH_ENDPOINT_MAX)
  .describe('Address at the browser’s push service. A secret.')

/** Fields of an address of a browser. */
export const pushAddress = () => ({
  endpoint: endpointField,
  p256dh: key('Public key of the browser.'),
  auth: key('Authentication secret of the browser. A secret.'),
})

/** Messages on the devices of persons (docs/messages.md#web-push). */
export const push = {
  'push.list': endpoint('GET', '/admin/v1/push', {
    summary: 'Browsers that get messages, and the key with which browsers subscribe',
    for: 'member',
    answer: looseObject(() => ({
      key: text('Public key of the home for `applicationServerKey`. base64url.'),
      subscriptions: z.array(PushSubscription),
    })),
  }),
  'push.subscribe': endpoint('POST', '/admin/v1/push', {
    summary: 'Let this browser get messages; it replaces its earlier subscription',
    for: 'member',
    status: 201,
    stepUp: (body) => (body as { readonly names: boolean }).names,
    body: strictObject(() => ({
      ...pushAddress(),
      names: z.boolean().default(false).describe('True to show the words of messages on the lock screen.'),
    })),
    answer: looseObject(() => ({ subscription: PushSubscription })),
  }),
  'push.test': endpoint('POST', '/admin/v1/push/{id}/test', {
    summary: 'Send a test message to one browser now',
    for: 'member',
    answer: looseObject(() => ({
      delivered: whether('True if its push service took the message.'),
      reason: textOrNull('Reason of a failure as the end of a sentence, or null.'),
    })),
    errors: ['not_found'],
  }),
  'push.delete': endpoint('DELETE', '/admin/v1/push/{id}', {
    summary: 'Send no more messages to a browser',
    for: 'member',
    answer: looseObject(() => ({ deleted: text('The id of the subscription.') })),
    errors: ['not_found'],
  }),
} as const
