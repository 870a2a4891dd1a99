import { HomeTime } from '../../shell/home-time.ts'
import { visible } from '../../shell/terminal.ts'
import { type ClientContext, type OpenHome, patiently } from '../home/client-context.ts'
import { faint } from '../words/state-words.ts'
import { theOne, fullName } from '../home/name-match.ts'
import type { ActivityEntry, Cause } from '@hm-gateway/client/src/contract.ts'
import type { Client } from '@hm-gateway/client/src/client.ts'
import { HmError } from '@hm-gateway/client/src/error.ts'
import { setTimeout as pause } from 'node:timers/promises'

/** `hm why`: the answer first, then details. */
export async function why(
  context: ClientContext,
  name: readonly string[],
  { since }: { readonly since?: string },
): Promise<void> {
  const home = await context.open()
  const time = new HomeTime(home.house.timeZone)
  const from = since === undefined ? {} : { from: time.since(since, Date.now()) }
  const { id } = theOne(name.join(' '), [...home.things, ...home.scenes], 'device or scene')
  const answer = await home.ask((client) => client.explain(id, from), id)
  context.show(answer, ({ items }) => {
    const [first, ...details] = items.map(({ what, source }) =>
      source === 'cache' ? faint(visible(what)) : visible(what),
    )
    return first === undefined
      ? 'There is no explanation.'
      : [first, ...details.map((other) => `  ${other}`)].join('\n')
  })
}

export interface ActivityOptions {
  readonly follow: boolean
  readonly since?: string
  readonly device?: string
  readonly limit: number
}

/** Interval of reading the activity while following it, because the stream has no events about refusals. */
const POLL_MS = 2_000
/** Entries that are written so much later than others are still printed. */
const LATE_MAX_MS = 60_000
const ENTRIES_MAX = 100

/** `hm activity`: events and their causes, oldest first; with --follow new ones too. */
export async function activity(context: ClientContext, options: ActivityOptions): Promise<void> {
  const home = await context.open()
  const time = new HomeTime(home.house.timeZone)
  const device = options.device === undefined ? {} : { device: theOne(options.device, home.things, 'device').id }
  const from: { readonly from?: number } =
    options.since === undefined ? {} : { from: time.since(options.since, Date.now()) }
  const answer = await home.ask((client) => client.activity({ ...device, ...from, limit: options.limit }))
  const names = await namesIn(home)
  const words = (entry: ActivityEntry): string => entryWords(entry, time, names)
  const entries = answer.entries.toReversed()
  if (!options.follow)
    return context.show({ house: answer.house, entries, nextTo: answer.nextTo }, () =>
      entries.length === 0 ? 'There are no entries.' : time.explained(entries.map(words).join('\n')),
    )
  for (const entry of entries) context.line(entry, words)
  await followActivity(context, home, { query: { ...device, ...from }, entries, words })
}

/** Names of everything that entries are about, by id. Rules have names for logins that see them. */
async function namesIn(home: OpenHome): Promise<ReadonlyMap<string, string>> {
  const { client, things, scenes, groups, rooms, floors } = home
  const rules = await Promise.all([
    client.automations().then((answer) => answer.automations, unseen),
    client.schedules().then((answer) => answer.schedules, unseen),
  ])
  const places = [...things, ...scenes, ...groups].map((item) => [item.id, fullName(item)] as const)
  const named = [...rooms, ...floors, ...rules.flat()].map(({ id, name }) => [id, name] as const)
  return new Map([...named, ...places])
}

function unseen(error: unknown): readonly [] {
  if (error instanceof HmError) return []
  throw error
}

interface Following {
  readonly query: { readonly device?: string; readonly from?: number }
  /** Printed entries, newest last. */
  readonly entries: readonly ActivityEntry[]
  readonly words: (entry: ActivityEntry) => string
}

/** Prints new entries until the process ends; retries while the gateway is away. */
async function followActivity(context: ClientContext, home: OpenHome, following: Following): Promise<never> {
  const { query, entries, words } = following
  const client = await patiently(context, () => home.following())
  let known = new Set(entries.map(({ id }) => id))
  let newest = entries.at(-1)?.at
  // Entries older than the printed ones were left out by the limit.
  let oldest = newest ?? 0
  for (;;) {
    // Some entries are written a little later than newer ones, so the last moments are read again.
    const from = newest === undefined ? {} : { from: Math.max(0, newest - LATE_MAX_MS) }
    const since = await patiently(context, () => entriesSince(client, { ...query, ...from }))
    for (const entry of since) if (!known.has(entry.id) && entry.at >= oldest) context.line(entry, words)
    known = new Set(since.map(({ id }) => id))
    newest = since.at(-1)?.at ?? newest
    oldest = 0
    await pause(POLL_MS)
  }
}

/** All entries of a range, over several pages, oldest first. */
async function entriesSince(
  client: Client,
  query: { readonly device?: string; readonly from?: number },
): Promise<readonly ActivityEntry[]> {
  const all: ActivityEntry[] = []
  for (let to: number | null = Number.MAX_SAFE_INTEGER; to !== null;) {
    const page: { entries: readonly ActivityEntry[]; nextTo: number | null } = await client.activity({
      ...query,
      ...(all.length === 0 ? {} : { to }),
      limit: ENTRIES_MAX,
    })
    all.push(...page.entries)
    to = page.nextTo
  }
  return all.toReversed()
}

/** Words for subjects without a name here: hidden, removed, or only one of its kind. */
const SUBJECTS: Readonly<Record<string, string>> = {
  device: 'A device that is gone',
  automation: 'An automation',
  integration: 'This program',
  home: 'The home',
  mode: 'The mode',
}

/** `2026-11-21 14:03:12  Hall light: turned on  (scene Evening, by automation Dusk)`. */
function entryWords(
  { at, device, subject, what, cause }: ActivityEntry,
  time: HomeTime,
  names: ReadonlyMap<string, string>,
): string {
  const name = (device === null ? undefined : names.get(device)) ?? SUBJECTS[subject] ?? `A ${subject}`
  return `${faint(time.when(at))}  ${visible(`${name}: ${what}`)}  ${faint(`(${visible(causeWords(cause))})`)}`
}

function causeWords({ name, by }: Cause): string {
  return by === undefined ? name : `${name}, by ${causeWords(by)}`
}
