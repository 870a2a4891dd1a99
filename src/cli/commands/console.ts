import type { Commands } from './commands.ts'
import { qrLines } from './credentials.ts'

/** `hm console`: a link into the console, for whoever may open the socket file. */
export function consoleCommand(program: Commands): void {
  program
    .command('console', 'make a link that opens the console in a browser, once, within ten minutes')
    .option('--reset <name>', 'come in as this administrator, who can then set a new password')
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
            `Until ${time.when(expiresAt)}. Whoever has the link is an administrator: give it to nobody else.`,
          ].join('\n'),
      )
    })
}

/** The first is of the machine itself; the next by name, at which passkeys work. */
const phoneLink = ([own = '', byName = own]: readonly string[]): string => byName
