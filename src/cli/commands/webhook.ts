import { Option } from 'commander'
import type { PushSubscriptionView } from '../../admin/contract/push.ts'
import { WEBHOOK_FORMATS } from '../../home/model/webhooks.ts'
import { URGENCIES } from '../../home/model/recipients.ts'
import { CliError, listed } from '../shell/terminal.ts'
import type { HomeTime } from '../shell/home-time.ts'
import type { CallBody, Commands } from './command-group.ts'

/** `hm webhook …`: addresses that get messages of the home. */
export function webhookCommands(program: Commands): void {
  const webhook = program.group('webhook', 'send messages of the home to other programs: add, test, list or remove', {
    what: 'webhook',
    list: async ({ client }) => (await client.ask('webhooks.list')).webhooks,
  })
  webhook.asks('list', 'list webhooks with their last delivery', 'webhooks.list', ({ webhooks }, time) =>
    listed(webhooks, 'No webhooks yet: `bin/hm webhook add URL --name NAME` adds one.', {
      ID: ({ id }) => id,
      NAME: ({ name }) => name,
      HOST: ({ host }) => host,
      FORMAT: ({ format }) => format,
      FROM: ({ least }) => least,
      'LAST DELIVERY': ({ deliveries: [last] }) => deliveryWords(last, time),
    }),
  )
  webhook
    .command('add <url>', 'add a webhook; its secret is shown once')
    .requiredOption('--name <name>', 'a name for people')
    .addOption(new Option('--format <format>', 'form of the body').choices(WEBHOOK_FORMATS).default('json'))
    .addOption(new Option('--least <urgency>', 'least urgency of its messages').choices(URGENCIES).default('normal'))
    .action(async (url: string, options: Omit<CallBody<'webhooks.create'>, 'url'>) => {
      const { context } = webhook
      context.show(await context.client.ask('webhooks.create', { body: { ...options, url } }), ({ webhook, secret }) =>
        [
          `${webhook.name} (${webhook.id}) gets messages from ${webhook.least} on.`,
          `secret  ${secret}`,
          `It signs each request (HM-Signature) and is not shown again. \`bin/hm webhook test ${webhook.id}\` sends a test.`,
        ].join('\n'),
      )
    })
  webhook.command('test <id>', 'send a test message to a webhook').action(async (typed: string) => {
    const { context } = webhook
    const answer = await context.client.ask('webhooks.test', { id: await webhook.idOf(typed) })
    if (!answer.delivered && !context.json) throw new CliError(`The webhook took no message: ${answer.reason}.`)
    context.show(answer, () => 'The webhook took the test message.')
  })
  webhook.asks('remove <id>', 'remove a webhook', 'webhooks.delete', ({ deleted }) => `${deleted} is removed.`)
}

/** State, time and failure of the last delivery of a channel. */
export function deliveryWords(last: PushSubscriptionView['last'] | undefined, time: HomeTime): string {
  if (!last) return 'none'
  return `${last.state} ${time.when(last.at)}${last.error === null ? '' : `: ${last.error}`}`
}
