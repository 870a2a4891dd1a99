import type { Command } from 'commander'
import type { CliContext } from '../context.ts'

/** `hm console`: a link into the console, for whoever may open the socket file. */
export function consoleCommand(program: Command, context: () => CliContext): void {
  program
    .command('console')
    .description('make a link that opens the console in a browser, once, within ten minutes')
    .option('--reset <name>', 'come in as this administrator, who can then set a new password')
    .action(async (options: { reset?: string }) => {
      const body = options.reset === undefined ? {} : { person: options.reset }
      await context().showTimes(await context().client.ask('links.create', { body }), ({ links, expiresAt }, time) =>
        [
          'Open one of these in a browser; it works once:',
          '',
          ...links.map((link) => `  ${link}`),
          '',
          `Until ${time.when(expiresAt)}. Whoever has the link is an administrator: give it to nobody else.`,
        ].join('\n'),
      )
    })
}
