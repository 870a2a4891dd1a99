import { homedir } from 'node:os'
import { join, sep } from 'node:path'
import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { type Trusted, trustEverywhere } from '../trust-stores.ts'

/** Where Debian and its like take CAs of the machine's own from. */
const SYSTEM = join(sep, 'usr', 'local', 'share', 'ca-certificates')

/** `hm tls trust`: the machine that it runs on trusts the gateway. Others open the console's page `/console/trust`. */
export function trustCommand(tls: Command, context: () => CliContext): void {
  tls
    .command('trust')
    .description('have the system and the browsers of this machine trust the CA')
    .option('--remove', 'have them trust it no more', false)
    .action(async ({ remove }: { remove: boolean }) => {
      const [{ ca }, { gateway }] = await Promise.all([
        context().client.ask('tls.show'),
        context().client.ask('status.get'),
      ])
      const folders = { home: homedir(), system: SYSTEM, update: ['update-ca-certificates'] } as const
      const lists = trustEverywhere({ name: `hm-${gateway}`, pem: ca.pem }, folders, remove)
      context().show({ fingerprint: ca.fingerprint, lists }, describe)
    })
}

function describe({
  fingerprint,
  lists,
}: {
  readonly fingerprint: string
  readonly lists: readonly Trusted[]
}): string {
  return [
    `CA ${fingerprint}`,
    '',
    ...lists.map(({ list, done, said }) => `  ${done ? 'done' : 'NOT '}  ${list}: ${said}`),
    '',
    'Phones and other machines: open /console/trust of the gateway there.',
  ].join('\n')
}
