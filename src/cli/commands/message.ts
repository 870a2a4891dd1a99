import type { AdminMessageView } from '../../admin/contract/messages.ts'
import type { PushSubscriptionView } from '../../admin/contract/push.ts'
import type { WebhookView } from '../../admin/contract/webhooks.ts'
import { listed } from '../shell/terminal.ts'
import type { Commands } from './command-group.ts'
import { deliveryWords } from './webhook.ts'
import type { HomeTime } from '../shell/home-time.ts'

const LISTED = 50

/** `hm message …`: messages of the home. */
export function messageCommands(program: Commands): void {
  const message = program.group('message', 'list and acknowledge messages of the home')
  message
    .command('list', 'list the newest messages')
    .option('--waiting', 'only unacknowledged ones', false)
    .action(async ({ waiting }: { readonly waiting: boolean }) => {
      const { context } = message
      await context.showTimes(
        async () => {
          const { messages, next } = await context.client.ask('messages.list', { query: { limit: String(LISTED) } })
          return { messages: messages.filter(({ acknowledged }) => !waiting || acknowledged === null), next }
        },
        ({ messages }, time) => listText(messages, time),
      )
    })
  message.command('channels', 'list who gets messages: devices of persons, and webhooks').action(async () => {
    const { context } = message
    await context.showTimes(
      async () => ({
        devices: (await context.client.ask('push.list')).subscriptions,
        webhooks: (await context.client.ask('webhooks.list')).webhooks,
      }),
      ({ devices, webhooks }, time) => channelsText(devices, webhooks, time),
    )
  })
  message.asks(
    'forget <id>',
    'send no more messages to a device',
    'push.delete',
    ({ deleted }) => `${deleted} gets no more messages.`,
  )
  message.asks('test', 'send a test message on every channel', 'messages.test', () => 'The test message is on its way.')
  message
    .command('acknowledge <id...>', 'acknowledge messages by their ids, or `all`; an alarm is not repeated then')
    .action(async (ids: readonly string[]) => {
      const { context } = message
      const all = ids.includes('all') ? await waitingIds(message) : ids
      const acknowledged: AdminMessageView[] = []
      for (const id of all) acknowledged.push((await context.client.ask('messages.acknowledge', { id })).message)
      context.show({ messages: acknowledged }, ({ messages }) =>
        messages.length === 0 ? 'No message waits.' : messages.map(({ title }) => `Acknowledged: ${title}.`).join('\n'),
      )
    })
}

async function waitingIds({ context }: Commands): Promise<readonly string[]> {
  const { messages } = await context.client.ask('messages.list', { query: { limit: '200' } })
  return messages.filter(({ acknowledged }) => acknowledged === null).map(({ id }) => id)
}

/** Push services and webhooks only by their hosts: the rest of an address is a secret. */
function channelsText(
  devices: readonly PushSubscriptionView[],
  webhooks: readonly WebhookView[],
  time: HomeTime,
): string {
  const all = [
    ...devices.map((device) => ({ ...device, kind: 'device' })),
    ...webhooks.map((webhook) => ({ ...webhook, kind: 'webhook', last: webhook.deliveries[0] ?? null })),
  ]
  return listed(all, 'No channels yet: switch messages on at the page Messages of the console.', {
    ID: ({ id }) => id,
    KIND: ({ kind }) => kind,
    NAME: ({ name }) => name,
    HOST: ({ host }) => host,
    'LAST DELIVERY': ({ last }) => deliveryWords(last, time),
  })
}

function listText(messages: readonly AdminMessageView[], time: HomeTime): string {
  return listed(messages, 'No messages.', {
    ID: ({ id }) => id,
    AT: ({ at }) => time.when(at),
    URGENCY: ({ urgency }) => urgency,
    ACKNOWLEDGED: ({ acknowledged, acknowledgedBy }) => (acknowledged === null ? 'no' : (acknowledgedBy ?? 'yes')),
    MESSAGE: ({ title }) => title,
  })
}
