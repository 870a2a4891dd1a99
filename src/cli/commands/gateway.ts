import type { Command } from 'commander'
import type { ReleaseView } from '../../admin/contract/release.ts'
import type { CliContext } from './context.ts'
import { write } from '../shell/terminal.ts'
import type { TlsView } from '../../admin/contract/gateway.ts'
import type { HomeTime } from '../shell/home-time.ts'
import { trustCommand } from './trust.ts'

/** `hm about`: which release runs, and what is new in it. */
export function aboutCommand(program: Command, context: () => CliContext): void {
  program
    .command('about')
    .description('which release runs, the versions of its databases, and what is new in it')
    .action(async () => context().show(await context().client.ask('release.show'), describe))
}

function describe({ version, node, platform, configuration, history, changes }: ReleaseView): string {
  const facts = [
    `hm-gateway ${version}`,
    '',
    `  Node           ${node}, ${platform}`,
    `  configuration  tables of version ${configuration.version} (${configuration.step})`,
    `  history        tables of version ${history.version} (${history.step})`,
  ]
  const news = changes?.parts.flatMap(({ title, entries }) => ['', title, ...entries.map((entry) => `  - ${entry}`)])
  return [...facts, ...(changes && news ? ['', changes.heading, ...news] : [])].join('\n')
}

/** `hm metrics`: what a monitoring system reads. */
export function metricsCommand(program: Command, context: () => CliContext): void {
  program
    .command('metrics')
    .description('how the gateway is doing in numbers, in the text format of Prometheus')
    .option('--units', 'each unit by itself too, with its name', false)
    .action(async ({ units }: { units: boolean }) => {
      const text = await context().client.ask('metrics.get', { query: { units: units ? '1' : '0' } })
      if (context().json) context().show({ metrics: text }, () => '')
      else write(text)
    })
}

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
