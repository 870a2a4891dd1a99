import { PIN } from '../../auth/persons/tablet-pins.ts'
import { PEOPLE_SHOWN } from '../../exposure/knobs.ts'
import { Option } from 'commander'
import { ask, CliError, listed } from '../shell/terminal.ts'
import type { HomeTime } from '../shell/home-time.ts'
import type { Commands } from './command-group.ts'
import { qrLines } from './credentials.ts'
import { HOURS, parseKnobs, type TimeOptions, typedTime, UNTIL } from './integration.ts'

interface AddOptions extends TimeOptions {
  readonly set?: readonly string[]
  readonly qr?: boolean
  readonly pin?: true
}

/** `hm tablet …`: wall tablets. `hm integration` changes and deletes them. */
export function tabletCommands(program: Commands): void {
  const tablet = program.group('tablet', 'add a wall tablet; make its link, set its PIN')
  tablet.asks('list', 'list wall tablets', 'integrations.list', ({ integrations }) =>
    listed(
      integrations.filter(({ kind }) => kind === 'tablet'),
      'No wall tablets yet: `bin/hm tablet add NAME`.',
      {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        STATE: ({ state }) => state,
        EXPOSES: ({ expose }) => (expose[0] === 'all' ? 'all' : `${expose.length} picked`),
      },
    ),
  )
  tablet
    .command('add <name>', 'add a wall tablet; it exposes everything by default')
    .option('--expose <what...>', 'what it shows, as for `hm integration create`')
    .option('--set <knob=value...>', 'knobs that differ from the default; allow_unlock=on opens after the PIN')
    .addOption(new Option('--people <people>', 'visible people').choices(PEOPLE_SHOWN))
    .option('--pin', 'ask for the six digits that each opening needs')
    .option(...UNTIL)
    .option(...HOURS)
    .option('--qr', 'show the link as a QR code too')
    .action(async (name: string, { set = [], until, hours, qr = false, pin, ...fields }: AddOptions) => {
      const { context } = tablet
      const time = await typedTime(context, { until, hours })
      const settings = parseKnobs(set)
      const body = { name, ...fields, ...time, settings, ...(pin && { pin: await askPin() }) }
      await context.showTimes(
        () => context.client.relay('tablets.create', { body }),
        (made, at) => `id  ${made.integration.id}\n${linkText(made, at, qr)}`,
      )
    })
  tablet
    .command('link <id>', 'make another link; its use ends the earlier session')
    .option('--qr', 'show the link as a QR code too')
    .action(async (id: string, { qr = false }: { readonly qr?: boolean }) => {
      const { context } = tablet
      await context.showTimes(
        () => context.client.ask('tablets.link', { id }),
        (made, at) => linkText(made, at, qr),
      )
    })
  tablet
    .command('pin <id>', 'ask for a new PIN and set it, or remove it: the tablet then opens nothing')
    .option('--none', 'remove the PIN')
    .action(async (id: string, { none = false }: { readonly none?: boolean }) => {
      const { context } = tablet
      const answer = await context.client.ask('tablets.pin', { id, body: { pin: none ? null : await askPin() } })
      context.show(answer, ({ pin }) => (pin ? 'The tablet opens after this PIN.' : 'The tablet opens nothing now.'))
    })
}

/** A PIN typed at the terminal: arguments of a command are visible to other users of the machine. */
async function askPin(): Promise<string> {
  const pin = (await ask('Its PIN, six digits: ')).trim()
  if (!PIN.test(pin)) throw new CliError('A PIN has six digits.')
  return pin
}

function linkText(
  { links, expiresAt }: { readonly links: readonly string[]; readonly expiresAt: number },
  time: HomeTime,
  qr: boolean,
): string {
  const [own = '', byName = own] = links
  return [
    'Open one of these on the tablet, in the home network; it works once:',
    '',
    ...links.map((link) => `  ${link}`),
    ...(qr ? ['', ...qrLines(byName)] : []),
    '',
    `Valid until ${time.when(expiresAt)}.`,
  ].join('\n')
}
