import { Argument } from 'commander'
import { CliError, listed, lostPermissionLines, unstored } from '../shell/terminal.ts'
import { type CallBody, type Commands, FORCE, type Forced, forced } from './command-group.ts'
import type { CliContext } from './context.ts'
import { HOURS, type TimeOptions, typedTime, UNTIL } from './integration.ts'
import { personOf } from './presence.ts'

interface AddOptions extends TimeOptions {
  readonly member?: true
  readonly expose?: string[]
  readonly child?: true
  readonly guest?: true
}

type NewMember = NonNullable<CallBody<'persons.create'>['member']>

/** Beginnings of a record, as in the console. A child sees entrances and may lock them. */
const MEMBER = { people: 'each' } as const
const CHILD = { people: 'anyone', settings: { allow_unlock: 'off', advanced_config: 'off' } } as const
const GUEST = { people: 'none' } as const

/** The record of a new member; null for an administrator. */
async function memberOf(context: CliContext, options: AddOptions): Promise<NewMember | null> {
  const { member, expose, child, guest, until, hours } = options
  if (guest && until === undefined) throw new CliError('A guest needs --until: a time, or a span such as 3d.')
  if (!member && !child && !guest) {
    if (expose ?? until ?? hours) throw new CliError('Give --member: an administrator has no record.')
    return null
  }
  const time = await typedTime(context, { until, hours })
  return { ...(child ? CHILD : guest ? GUEST : MEMBER), ...(expose && { expose }), ...time }
}

/** `hm person …`: accounts of people. */
export function personCommands(program: Commands): void {
  const person = program.group('person', 'manage accounts of people')
  person.asks('list', 'list the persons with their ids and roles', 'persons.list', ({ persons }, time) =>
    listed(persons, 'Nobody has an account yet: open `bin/hm console`.', {
      ID: ({ id }) => id,
      NAME: ({ name }) => name,
      ROLE: ({ role }) => role,
      RECORD: ({ integration }) => integration ?? '-',
      CREATED: ({ createdAt }) => time.when(createdAt),
    }),
  )
  person
    .command('add <name>', 'create an administrator, or a member who sees and does what a record allows')
    .option('--member', 'a member with a record')
    .option('--expose <what...>', 'what the member sees, as for integrations; all by default')
    .option('--child', 'a member who sees and locks doors, but opens none and sees no unit settings')
    .option('--guest', 'a member until --until')
    .option(...UNTIL)
    .option(...HOURS)
    .action(async (name: string, options: AddOptions) => {
      const { context } = person
      const member = await memberOf(context, options)
      const answer = await context.client.ask('persons.create', { body: { name, ...(member && { member }) } })
      context.show(
        answer,
        ({ person: made }) =>
          `${made.name} is ${made.role === 'member' ? 'a member' : 'an administrator'}. \`bin/hm console --reset NAME\` makes the link that lets them in.`,
      )
    })
  person
    .command('remove <person>', 'remove a person with all sessions; a member with the record and its agents')
    .option(...FORCE)
    .action(async (typed: string, { force }: Forced) => {
      const { context } = person
      const { id, name } = await personOf(person, typed)
      const answer = await context.client.ask('persons.delete', { id, query: forced(force) })
      context.show(answer, (ended) => `Removed ${name}.${lostPermissionLines(ended)}${unstored(ended)}`)
    })
  person
    .command('two-factors', 'set whether a new browser needs a code of a signed-in one beside the password')
    .argument('<person>', 'name or id')
    .addArgument(new Argument('<two>', 'on or off').choices(['on', 'off']))
    .action(async (typed: string, two: string) => {
      const { context } = person
      const { id } = await personOf(person, typed)
      const answer = await context.client.ask('persons.factors', { id, body: { two: two === 'on' } })
      context.show(answer, ({ person: { name, twoFactors } }) =>
        twoFactors
          ? `${name}: a password from a new browser also needs a code from a signed-in one. One-time links and passkeys work as before.`
          : `${name}: the password is enough.`,
      )
    })
}
