import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { ConsoleSessions } from '../auth/persons/console-sessions.ts'
import type { Person } from '../auth/persons/person.ts'
import type { Persons } from '../auth/persons/persons.ts'
import type { Refuse } from '../api/errors.ts'
import { refusalAnswer, refusalOf, refusedWith } from '../api/answers.ts'
import { type Answer, type Body, bodyValue } from '../api/call.ts'
import { validated } from '../api/validate.ts'
import { hostOf, type PushAddress, type WebPush } from '../home/messages/web-push.ts'
import { GATEWAY_CAUSE } from '../home/model/events.ts'
import type { PushSubscription } from '../home/model/push.ts'
import { pushAddress, type push as declared, type PushSubscriptionView } from './contract/push.ts'
import type { AdminCaller, AdminHandlersOf } from './dispatch.ts'
import { testAnswer } from './webhooks.ts'

export interface PushAdminParts {
  readonly push: WebPush
  readonly persons: Pick<Persons, 'get'>
  readonly sessions: Pick<ConsoleSessions, 'state'>
}

/** Handlers for browsers that get messages. */
export function pushAdminHandlers(parts: PushAdminParts): AdminHandlersOf<typeof declared> {
  const { push, sessions } = parts
  /** Subscriptions of the home, or those of a member's person. */
  const visible = ({ member }: AdminCaller): readonly PushSubscription[] =>
    push.list().filter(({ person }) => member === null || member.person === person)
  const known = (id: string, by: AdminCaller, refuse: Refuse<'not_found'>): PushSubscription =>
    visible(by).find((subscription) => subscription.id === id) ??
    refuse('not_found', { message: `There is no device ${id}; \`bin/hm message channels\` lists them.` })
  return {
    'push.list': ({ by }) => ({
      key: push.publicKey(),
      subscriptions: visible(by).map((subscription) => viewOf(subscription, by, parts)),
    }),
    'push.subscribe': ({ body, by, cause, refuse }) => {
      const { session } = by
      if (session === null) return refuse('validation', { message: NO_BROWSER })
      const state = sessions.state(session)
      if (!state?.person) return refuse('validation', { message: NO_ACCOUNT })
      const wanted = { ...addressOf(body), names: body.names, browser: state.stored.browser }
      const made = push.subscribe({ ...wanted, person: state.person.id, session: session.id }, cause)
      if (!made.ok) return refuse('validation', { message: made.error })
      return { subscription: viewOf(made.value, by, parts) }
    },
    'push.test': async ({ params: { id }, by, refuse }) => {
      const attempt = await push.test(known(id, by, refuse).id)
      return attempt === null ? refuse('not_found') : testAnswer(attempt)
    },
    'push.delete': ({ params: { id }, by, cause, refuse }) => {
      push.remove(known(id, by, refuse).id, cause)
      return { deleted: id }
    },
  }
}

const NO_BROWSER = 'Switch messages on in the console, in the browser that will get them.'
const NO_ACCOUNT = 'Create your account first: messages on a device belong to a person.'

function personOf({ session }: AdminCaller, { sessions }: PushAdminParts): Person | null {
  return (session && sessions.state(session)?.person) ?? null
}

function viewOf(subscription: PushSubscription, by: AdminCaller, parts: PushAdminParts): PushSubscriptionView {
  const { id, person, browser, endpoint, names, createdAt, session } = subscription
  const [last] = parts.push.deliveriesOf(id, 1)
  return {
    ...{ id, person, browser, names, createdAt },
    name: parts.persons.get(person)?.name ?? person,
    own: personOf(by, parts)?.id === person,
    current: by.session?.id === session,
    host: hostOf(subscription),
    mark: createHash('sha256').update(endpoint).digest('base64url'),
    last: last ? { state: last.state, at: last.at, error: last.error } : null,
  }
}

const addressOf = ({ endpoint, p256dh, auth }: Readonly<Record<keyof PushAddress, string>>): PushAddress => ({
  endpoint,
  p256dh: Buffer.from(p256dh, 'base64url'),
  auth: Buffer.from(auth, 'base64url'),
})

const Renewal = z.strictObject({ old: z.strictObject(pushAddress()).omit({ p256dh: true }), ...pushAddress() })

/** Answer to a service worker whose browser has a new address. The secret of the old one is its proof. */
export function renewedPush(body: Body, push: Pick<WebPush, 'renew'>): Answer {
  try {
    const { old, ...address } = validated(Renewal, bodyValue(body), 'body')
    const earlier = { endpoint: old.endpoint, auth: Buffer.from(old.auth, 'base64url') }
    if (!push.renew(earlier, addressOf(address), GATEWAY_CAUSE)) return refusedWith('not_found')
    return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, body: '{"renewed":true}' }
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === null) throw error
    return refusalAnswer(refusal)
  }
}
