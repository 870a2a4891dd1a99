import type { Command } from 'commander'
import type { ReleaseView } from '../../admin/contract/release.ts'
import type { CliContext } from '../context.ts'

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
