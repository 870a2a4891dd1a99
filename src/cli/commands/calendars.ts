import type { HomeTime } from '../shell/home-time.ts'
import { CliError, listed, readText } from '../shell/terminal.ts'
import { type CallAnswer, type CallBody, type Commands, FORCE, type Forced, forced } from './command-group.ts'

type Calendars = CallAnswer<'calendars.list'>
type SourceFields = Pick<CallBody<'calendars.add'>, 'dates' | 'file' | 'url'>

interface SourceOptions {
  readonly url?: string
  readonly file?: string
  readonly date: readonly string[]
}

/** `hm calendar …`: calendars that rules name. */
export function calendarCommands(program: Commands): void {
  const calendar = program.group('calendar', 'calendars for rules: list, show, add, change or remove', {
    what: 'calendar',
    list: async ({ client }) => (await client.ask('calendars.list', {})).calendars,
  })
  calendar.asks('list', 'list the calendars with their next event', 'calendars.list', listText)
  calendar.command('show <id>', 'show the next events of a calendar').action(async (typed: string) => {
    const { context } = calendar
    const id = await calendar.idOf(typed)
    await context.showTimes(
      () => context.client.ask('calendars.list', {}),
      (answer, time) => showText(answer, id, time),
    )
  })
  withSource(calendar.command('add <name>', 'add a calendar'))
    .option('--id <id>', 'its id; made of the name by default')
    .action(async (name: string, { id, ...options }: SourceOptions & { readonly id?: string }) => {
      const { context } = calendar
      const body = { name, ...(id === undefined ? {} : { id }), ...sourceOf(options) }
      await context.showTimes(() => context.client.ask('calendars.add', { body }), listText)
    })
  withSource(calendar.command('change <id>', 'rename a calendar or replace its source'))
    .option('--name <name>', 'its new name')
    .action(async (typed: string, { name, ...options }: SourceOptions & { readonly name?: string }) => {
      const { context } = calendar
      const id = await calendar.idOf(typed)
      const body = { ...(name === undefined ? {} : { name }), ...sourceOf(options) }
      await context.showTimes(() => context.client.ask('calendars.change', { id, body }), listText)
    })
  calendar
    .command('remove <id>', 'remove a calendar')
    .option(...FORCE)
    .action(async (typed: string, { force }: Forced) => {
      const { context } = calendar
      const id = await calendar.idOf(typed)
      await context.showTimes(() => context.client.ask('calendars.remove', { id, query: forced(force) }), listText)
    })
}

type Command = ReturnType<Commands['command']>

function withSource(command: Command): Command {
  return command
    .option('--url <address>', 'https address of an iCalendar file, read every six hours')
    .option('--file <file>', 'an iCalendar file of at most 1 MiB')
    .option(
      '--date <date>',
      'a date like 2027-03-10, 12-24 or 12-24..01-06, with a title after a space; can be repeated',
      (date: string, all: readonly string[]) => [...all, date],
      [],
    )
}

function sourceOf({ url, file, date }: SourceOptions): SourceFields {
  return {
    ...(url === undefined ? {} : { url: url.replace(/^webcal:/i, 'https:') }),
    ...(file === undefined ? {} : { file: readText(file) }),
    ...(date.length === 0 ? {} : { dates: date.map(dateOf) }),
  }
}

function dateOf(text: string): NonNullable<SourceFields['dates']>[number] {
  const [, from, until, title] = /^([\d-]+)(?:\.\.([\d-]+))?(?:\s+(.+))?$/.exec(text) ?? []
  if (from === undefined) throw new CliError(`"${text}" is no date like 2027-03-10, 12-24 or 12-24..01-06.`)
  return { from, ...(until === undefined ? {} : { until }), ...(title === undefined ? {} : { title }) }
}

function listText({ calendars }: Calendars, time: HomeTime): string {
  return listed(calendars, 'No calendars yet: `bin/hm calendar add NAME --url ADDRESS` adds one.', {
    ID: ({ id }) => id,
    NAME: ({ name }) => name,
    SOURCE: ({ source, host }) => host ?? source,
    'NEXT EVENT': ({ events: [next] }) => (next === undefined ? 'none' : eventText(next, time)),
    PROBLEM: ({ problem, leftOut }) => [problem ?? [], leftOutText(leftOut)].flat().join(' '),
  })
}

function showText({ calendars }: Calendars, id: string, time: HomeTime): string {
  const found = calendars.find((its) => its.id === id)
  if (found === undefined) throw new CliError(`There is no calendar ${id}; \`bin/hm calendar list\` lists them.`)
  const events = listed(found.events, 'No event is known.', {
    BEGINS: ({ begins }) => time.when(begins),
    ENDS: ({ ends }) => time.when(ends),
    TITLE: ({ title }) => title,
  })
  return [events, ...found.leftOut.map(({ title, reason }) => `“${title}” is left out: ${reason}.`)].join('\n')
}

type LeftOut = Calendars['calendars'][number]['leftOut']

function leftOutText(events: LeftOut): string | readonly [] {
  if (events.length === 0) return []
  return `${events.length} ${events.length === 1 ? 'event is' : 'events are'} left out: show names them.`
}

function eventText({ title, begins }: Calendars['calendars'][number]['events'][number], time: HomeTime): string {
  return `${time.when(begins)} ${title}`.trim()
}
