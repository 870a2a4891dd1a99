import type { Attempt } from '../home/messages/deliveries.ts'
import type { Webhooks } from '../home/messages/webhooks.ts'
import type { Webhook } from '../home/model/webhooks.ts'
import type { Refuse } from '../api/errors.ts'
import type { webhooks as declared, WebhookView } from './contract/webhooks.ts'
import type { AdminHandlersOf } from './dispatch.ts'

const DELIVERIES_SHOWN = 10

export interface WebhookParts {
  readonly webhooks: Pick<Webhooks, 'list' | 'add' | 'remove' | 'test' | 'deliveriesOf'>
}

export function webhookAdminHandlers({ webhooks }: WebhookParts): AdminHandlersOf<typeof declared> {
  const view = ({ id, name, url, format, least, createdAt }: Webhook): WebhookView => ({
    ...{ id, name, host: new URL(url).origin, format, least, createdAt },
    deliveries: webhooks.deliveriesOf(id, DELIVERIES_SHOWN).map(({ notice, state, attempts, at, error }) => ({
      ...{ message: notice.message.title, state, attempts, at, error },
    })),
  })
  return {
    'webhooks.list': () => ({ webhooks: webhooks.list().map(view) }),
    'webhooks.create': ({ body, cause, refuse }) => {
      const added = webhooks.add(body, cause)
      if (!added.ok) return refuse('validation', { message: added.error })
      return { webhook: view(added.value), secret: added.value.secret }
    },
    'webhooks.test': async ({ params, refuse }) => {
      const attempt = (await webhooks.test(params.id)) ?? refuseUnknown(params.id, refuse)
      return testAnswer(attempt)
    },
    'webhooks.delete': ({ params: { id }, cause, refuse }) =>
      webhooks.remove(id, cause) ? { deleted: id } : refuseUnknown(id, refuse),
  }
}

/** Answer to a test of a channel. */
export const testAnswer = (attempt: Attempt): { readonly delivered: boolean; readonly reason: string | null } =>
  attempt.kind === 'delivered' ? { delivered: true, reason: null } : { delivered: false, reason: attempt.reason }

const refuseUnknown = (id: string, refuse: Refuse<'not_found'>): never =>
  refuse('not_found', { message: `There is no webhook ${id}; \`bin/hm webhook list\` lists them.` })
