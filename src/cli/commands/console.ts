import type { Commands } from './command-group.ts'
import { qrLines } from './credentials.ts'

/** `hm console`: a link to the console, for users of the socket file. */
export function consoleCommand(program: Commands): void {
  program
    .command('console', 'create a one-time link to the console, valid for ten minutes')
    .option('--reset <name>', 'sign in as this administrator to set a new password')
    .option('--qr', 'show the link as a QR code too, for a phone')
    .action(async (options: { reset?: string; qr?: boolean }) => {
      const { context } = program
      const body = { person: options.reset }
      await context.showTimes(
        () => context.client.ask('links.create', { body }),
        ({ links, expiresAt }, time) =>
          [
            'Open one of these in a browser; it works once:',
            '',
            ...links.map((link) => `  ${link}`),
            ...(options.qr === true ? ['', ...qrLines(phoneLink(links))] : []),
            '',
            `Valid until ${time.when(expiresAt)}. The link gives administrator access: do not pass it on.`,
          ].join('\n'),
      )
    })
}

/**
 * Link for a phone. The first link is for the machine itself; the second has the gateway's name, where passkeys work.
 */
const phoneLink = ([own = '', byName = own]: readonly string[]): string => byName
