import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { connectionLine, leaveEnded, table, unstored } from '../print.ts'
import { qrLines } from '../qr.ts'

/** `hm key …`: credentials of integrations. */
export function keyCommands(program: Command, context: () => CliContext): void {
  const key = program.command('key').description('the keys with which programs come in: made, listed, revoked')

  key
    .command('create')
    .description('create a key; its token is shown this once')
    .requiredOption('--integration <id>', 'the integration it belongs to')
    .option('--name <name>', 'a name to tell it by')
    .option('--qr', 'show the connection code as a QR code too')
    .action(async ({ qr = false, ...body }: { integration: string; name?: string; qr?: boolean }) => {
      const answer = await context().client.ask('keys.create', { body })
      context().show(answer, ({ token, link, fingerprint, connectionCode }) =>
        [
          `token        ${token}`,
          `link         ${link}`,
          `fingerprint  ${fingerprint}   (SHA-256 of the gateway's CA)`,
          connectionLine(connectionCode),
          ...(qr ? qrLines(connectionCode) : []),
          'The token is not shown again: store it where secrets belong.',
        ].join('\n'),
      )
    })

  key
    .command('list')
    .description('all credentials, without their secrets')
    .action(async () => {
      const answer = await context().client.ask('keys.list')
      await context().showTimes(answer, ({ keys }, time) =>
        keys.length === 0
          ? 'No keys yet: `bin/hm key create --integration ID`.'
          : table(
              ['LINK', 'KIND', 'NAME', 'LABEL', 'STATE', 'CREATED', 'LAST USED'],
              keys.map((each) => [
                each.link,
                each.kind,
                each.name || '-',
                each.label,
                each.state + (each.stale ? ' (stale)' : ''),
                time.when(each.createdAt),
                each.lastUsed ? `${time.when(each.lastUsed.at)} ${each.lastUsed.via}` : 'never',
              ]),
            ),
      )
    })

  failuresCommand(key, context)
  key
    .command('revoke <link>')
    .description('end a credential at once')
    .action(async (link: string) => {
      context().show(
        await context().client.ask('keys.revoke', { id: link }),
        (answer) =>
          `Revoked ${link}; its requests answer 401 and its open streams are closed.${leaveEnded(answer)}${unstored(answer)}`,
      )
    })
}

function failuresCommand(key: Command, context: () => CliContext): void {
  key
    .command('failures')
    .description('from where requests came that had no valid credential')
    .action(async () => {
      await context().showTimes(await context().client.ask('failures.list'), ({ failures }, time) =>
        failures.length === 0
          ? 'In the last 30 days every request had a valid credential.'
          : table(
              ['ADDRESS', 'REQUESTS', 'FROM', 'TO'],
              failures.map(({ address, via, count, from, to }) => [
                via === 'cloud' ? `${address} by the relay` : (address ?? 'more addresses'),
                count,
                time.when(from),
                time.when(to),
              ]),
            ),
      )
    })
}
