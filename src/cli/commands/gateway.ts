import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { TlsView } from '../../api/admin/contract/gateway.ts'
import type { CliContext } from '../context.ts'
import { size, when } from '../print.ts'

/** `hm tls`, `hm backup`: the gateway's trust, and its copy. */
export function gatewayCommands(program: Command, context: () => CliContext): void {
  const tls = program.command('tls').description('the CA and the certificate')
  tls
    .command('show')
    .description("the CA's fingerprint, and the certificate's dates and names")
    .action(async () => context().show(await context().client.ask('tls.show'), describeTls))
  tls
    .command('renew')
    .description('renew the certificate now; clients notice nothing')
    .action(async () => {
      context().show(await context().client.ask('tls.renew'), (view) => `Renewed.\n${describeTls(view)}`)
    })
  tls
    .command('regenerate-ca')
    .description('make a new CA; every client has to trust it anew')
    .action(async () => {
      context().show(
        await context().client.ask('tls.regenerateCa'),
        (view) => `A new CA: every client has to fetch and trust it anew.\n${describeTls(view)}`,
      )
    })

  program
    .command('backup <file>')
    .description('write a consistent copy of the configuration to a new file')
    .action(async (file: string) => {
      const answer = await context().client.ask('backup.write', { body: { file: resolve(file) } })
      context().show(
        answer,
        (each) =>
          `Wrote ${each.file} (${size(each.bytes)}). It holds no secrets: keys and the CA are not in it or only as hashes.`,
      )
    })
}

function describeTls({ ca, certificate }: TlsView): string {
  return [
    `CA fingerprint  ${ca.fingerprint}`,
    `certificate     ${when(certificate.notBefore)} to ${when(certificate.notAfter)}`,
    `names           ${certificate.names.join(', ')}`,
  ].join('\n')
}
