import { existsSync } from 'node:fs'
import { silentLog } from '@hm-gateway/lib/log.ts'
import { Accounts } from './accounts/accounts.ts'
import { Passwords } from './accounts/passwords.ts'
import { Enrolment } from './enrolment/enrolment.ts'
import { type LinkMessage, SUBJECTS } from './nodes/node-messages.ts'
import { openShared, storeFile } from './shared.ts'
import { type RelaySettings, SettingsError } from './model/relay-settings.ts'
import type { RelayParts } from './store/relay-parts.ts'

const USAGE = `Usage: npm run relay -- COMMAND
  invite                     print a link for creating one account
  reset-password EMAIL       print a link for resetting a password within an hour
  events [EMAIL]             print the events of all accounts, or of one, as lines of JSON
  replace-key CODE           assign its serial to the gateway with this code and a new key`

export interface RelayOperatorParts extends Pick<RelayParts, 'clock' | 'random'> {
  readonly settings: RelaySettings
}

interface Desk {
  readonly accounts: Accounts
  readonly enrolment: Enrolment
  readonly url: string
}

type Command = (desk: Desk, argument: string) => Promise<string>

const COMMANDS: Readonly<Record<string, { readonly takes: number; readonly atMost?: number; readonly run: Command }>> =
  {
    invite: {
      takes: 0,
      run: async ({ accounts, url }) =>
        `This link creates one account within 7 days:\n${url}/signup?invite=${await accounts.invites.ofOperator()}`,
    },
    'reset-password': {
      takes: 1,
      run: async ({ accounts, url }, email) => {
        const link = await accounts.reset(email)
        if (link === null) throw new SettingsError(`There is no account for ${email}.`)
        return `This link resets the password of ${email}, once and within an hour:\n${url}/reset?link=${link}`
      },
    },
    events: {
      takes: 0,
      atMost: 1,
      run: async ({ accounts }, email) => {
        const account = email === '' ? null : await accounts.byEmail(email)
        if (email !== '' && account === null) throw new SettingsError(`There is no account for ${email}.`)
        const events = await accounts.events.of(account?.id ?? null)
        const lines = events.map(async ({ at, last = at, kind, account: id, count, about }) => {
          const owner = id === null ? null : ((await accounts.get(id))?.email ?? null)
          const times = { at: new Date(at).toISOString(), last: new Date(last).toISOString() }
          return JSON.stringify({ ...times, event: kind, account: owner, count, about })
        })
        return (await Promise.all(lines)).join('\n')
      },
    },
    'replace-key': {
      takes: 1,
      run: async ({ enrolment }, code) => {
        const serial = await enrolment.replaceKey(code)
        if (serial === null)
          throw new SettingsError(
            'This code belongs to no gateway with a new key: use the code that `bin/hm relay connect` prints there.',
          )
        return `Gateway ${serial} may connect with its new key: run \`bin/hm relay connect\` there again.`
      },
    },
  }

/**
 * Runs a command of the operator on the relay's machine, also while the relay runs. Returns the output.
 * @throws SettingsError with a problem that the operator can solve.
 */
export async function operate(
  [name = '', ...args]: readonly string[],
  { settings, clock, random }: RelayOperatorParts,
): Promise<string> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined || args.length < command.takes || args.length > (command.atMost ?? command.takes))
    throw new SettingsError(USAGE)
  if (settings.nats === null && !existsSync(storeFile(settings.dataDir)))
    throw new SettingsError(`No relay has used ${settings.dataDir}: set HM_RELAY_DATA_DIR to its data folder.`)
  await using opened = new AsyncDisposableStack()
  const { store, bus } = await openShared(opened, { settings, node: 'operator', clock, log: silentLog })
  const parts = { store, clock, random, passwords: new Passwords(random), signUp: settings.signUp }
  const accounts = new Accounts(parts)
  const enrolment = new Enrolment({
    ...parts,
    accounts,
    origin: settings.url,
    // The operator may replace the key even while a gateway with the old key is connected.
    isConnected: async () => false,
    linkChanged: async ({ gateway }) => bus.publish(SUBJECTS.linkChanged, { gateway } satisfies LinkMessage),
  })
  const output = await command.run({ accounts, enrolment, url: settings.url }, args[0] ?? '')
  await bus.settled()
  return output
}
