import { existsSync } from 'node:fs'
import { silentLog } from '@hm-gateway/lib/log.ts'
import { Accounts } from './accounts/accounts.ts'
import { Passwords } from './accounts/passwords.ts'
import { Enrolment } from './enrolment/enrolment.ts'
import { type LinkMessage, SUBJECTS } from './nodes/messages.ts'
import { openShared, storeFile } from './shared.ts'
import { type RelaySettings, SettingsError } from './model/settings.ts'
import type { RelayParts } from './store/parts.ts'

const USAGE = `Usage: npm run relay -- COMMAND
  invite                     print a link that makes one account
  reset-password EMAIL       print a link that sets the password of an account, within an hour
  events [EMAIL]             print what happened to all accounts, or to one, as lines of JSON
  replace-key CODE           let the gateway that shows this code have its serial with a new key`

export interface OperatorParts extends Pick<RelayParts, 'clock' | 'random'> {
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
        `A link that makes one account, within 7 days:\n${url}/signup?invite=${await accounts.invites.ofOperator()}`,
    },
    'reset-password': {
      takes: 1,
      run: async ({ accounts, url }, email) => {
        const link = await accounts.reset(email)
        if (link === null) throw new SettingsError(`There is no account of ${email}.`)
        return `A link that sets the password of ${email}, once and within an hour:\n${url}/reset?link=${link}`
      },
    },
    events: {
      takes: 0,
      atMost: 1,
      run: async ({ accounts }, email) => {
        const account = email === '' ? null : await accounts.byEmail(email)
        if (email !== '' && account === null) throw new SettingsError(`There is no account of ${email}.`)
        const events = await accounts.events.of(account?.id ?? null)
        const lines = events.map(async ({ at, last = at, kind, account: id, count, about }) => {
          const whose = id === null ? null : ((await accounts.get(id))?.email ?? null)
          const times = { at: new Date(at).toISOString(), last: new Date(last).toISOString() }
          return JSON.stringify({ ...times, event: kind, account: whose, count, about })
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
            'No gateway with a new key shows this code now: ask for the one that `bin/hm relay connect` prints there.',
          )
        return `Gateway ${serial} may connect with its new key: type \`bin/hm relay connect\` there once more.`
      },
    },
  }

/**
 * What the operator does on the relay's machine, while the relay runs or not; answers what is printed.
 * @throws SettingsError in one sentence for what the operator can mend.
 */
export async function operate(
  [name = '', ...args]: readonly string[],
  { settings, clock, random }: OperatorParts,
): Promise<string> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined || args.length < command.takes || args.length > (command.atMost ?? command.takes))
    throw new SettingsError(USAGE)
  if (settings.nats === null && !existsSync(storeFile(settings.dataDir)))
    throw new SettingsError(`No relay has run on ${settings.dataDir}: name its folder with HM_RELAY_DATA_DIR.`)
  await using opened = new AsyncDisposableStack()
  const { store, bus } = await openShared(opened, { settings, node: 'operator', clock, log: silentLog })
  const parts = { store, clock, random, passwords: new Passwords(random), signUp: settings.signUp }
  const accounts = new Accounts(parts)
  const enrolment = new Enrolment({
    ...parts,
    accounts,
    origin: settings.url,
    // The operator has looked: what they type counts though a gateway with the old key is connected.
    isConnected: async () => false,
    linkChanged: async ({ gateway }) => bus.publish(SUBJECTS.linkChanged, { gateway } satisfies LinkMessage),
  })
  const said = await command.run({ accounts, enrolment, url: settings.url }, args[0] ?? '')
  await bus.settled()
  return said
}
