import type { Command } from 'commander'
import type { TlsView } from '../../admin/contract/gateway.ts'
import type { CliContext } from '../context.ts'
import type { HomeTime } from '../home-time.ts'
import { trustCommand } from './trust.ts'

/** `hm tls` and `hm acknowledge`: the gateway's trust, and what befell it. */
export function gatewayCommands(program: Command, context: () => CliContext): void {
  const tls = program.command('tls').description('the CA and the certificate')
  tls
    .command('show')
    .description("the CA's fingerprint, and the certificate's dates and names")
    .action(async () => context().showTimes(await context().client.ask('tls.show'), describeTls))
  tls
    .command('renew')
    .description('renew the certificate now; clients notice nothing')
    .action(async () => {
      const answer = await context().client.ask('tls.renew')
      await context().showTimes(answer, (view, time) => `Renewed.\n${describeTls(view, time)}`)
    })
  tls
    .command('regenerate-ca')
    .description('make a new CA; every client has to trust it anew')
    .action(async () => {
      await context().showTimes(
        await context().client.ask('tls.regenerateCa'),
        (view, time) => `A new CA: every client has to fetch and trust it anew.\n${describeTls(view, time)}`,
      )
    })
  trustCommand(tls, context)

  program
    .command('acknowledge')
    .description('print what befell the configuration, and take note of it')
    .action(async () => {
      const { incidents } = await context().client.ask('status.get')
      const upTo = incidents.at(-1)?.id ?? 0
      const answer = await context().client.ask('incidents.acknowledge', { body: { upTo } })
      await context().showTimes({ ...answer, incidents }, (_, time) =>
        incidents.length === 0
          ? 'There is nothing to acknowledge.'
          : incidents.map(({ at, what }) => `${time.when(at)}  ${what}`).join('\n'),
      )
    })
}

function describeTls({ ca, certificate }: TlsView, time: HomeTime): string {
  return [
    `CA fingerprint  ${ca.fingerprint}`,
    `certificate     ${time.when(certificate.notBefore)} to ${time.when(certificate.notAfter)}`,
    `names           ${certificate.names.join(', ')}`,
  ].join('\n')
}
