import type { ActivityEntry, Cause } from '../../../../client/src/contract.ts'
import type { Client } from '../../../../client/src/client.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { ConnectionError } from '../../../../client/src/error.ts'
import { HomeTime } from '../../home-time.ts'
import { visible } from '../../print.ts'
import type { ClientContext } from '../client-context.ts'
import { failureOf } from '../failure.ts'
import { fullName } from '../name-match.ts'
import type { OpenHome } from '../open-home.ts'
import { faint } from '../paint.ts'
import { said } from '../said.ts'

export interface ActivityOptions {
  readonly follow: boolean
  readonly since?: string
  readonly device?: string
  readonly limit: number
}

/** How often the activity is looked at while it is followed: of what was refused the stream tells nothing. */
const LOOK_EACH_MS = 2_000
const ENTRIES_MAX = 100

/** `hm activity`: what happened and who did it, oldest first; followed, what happens too. */
export async function activity(context: ClientContext, options: ActivityOptions): Promise<void> {
  const home = await context.open()
  const time = new HomeTime(home.house.timeZone)
  const device = options.device === undefined ? {} : { device: home.thing(options.device).id }
  const from = options.since === undefined ? {} : { from: time.since(options.since, Date.now()) }
  const answer = await home.ask((client) => client.activity({ ...device, ...from, limit: options.limit }))
  const names = new Map([...home.things, ...home.scenes].map((each) => [each.id, fullName(each)]))
  const words = (entry: ActivityEntry): string => entryWords(entry, time, names)
  const entries = answer.entries.toReversed()
  if (!options.follow)
    return context.show({ house: answer.house, entries, nextTo: answer.nextTo }, () =>
      entries.length === 0 ? 'Nothing happened.' : time.explained(entries.map(words).join('\n')),
    )
  for (const each of entries) context.line(each, words)
  await followed(context, home, { query: device, entries, words })
}

interface Following {
  readonly query: { readonly device?: string }
  readonly entries: readonly ActivityEntry[]
  readonly words: (entry: ActivityEntry) => string
}

/** Goes on with each new entry, until the process ends; a gateway that is away for a while is asked again. */
async function followed(context: ClientContext, home: OpenHome, { query, entries, words }: Following): Promise<never> {
  const client = await home.following()
  let from = entries.at(-1)?.at ?? Date.now()
  let known = entries
  for (;;) {
    const since = await patiently(() => entriesSince(client, { ...query, from }))
    for (const each of since) if (!known.some(({ id }) => id === each.id)) context.line(each, words)
    // Those of the last moment are answered again: others of the same moment may still come.
    from = since.at(-1)?.at ?? from
    known = since.length > 0 ? since : known
    await pause(LOOK_EACH_MS)
  }
}

/** All of a range, over as many pages as it takes, oldest first. */
async function entriesSince(
  client: Client,
  query: { readonly device?: string; readonly from: number },
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

/** Tries until it is answered; throws a refusal, and where another CA answers. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (let lost = false; ; lost = true) {
    try {
      const answer = await ask()
      if (lost) said('There again.')
      return answer
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw failureOf(error)
      if (!lost) said(`${error.message} Trying again until it is there.`)
      await pause(LOOK_EACH_MS)
    }
  }
}

/** `2026-11-21 14:03:12  Hall light: turned on  (scene Evening, by automation Dusk)`. */
function entryWords(
  { at, device, what, cause }: ActivityEntry,
  time: HomeTime,
  names: ReadonlyMap<string, string>,
): string {
  const name = device === null ? '' : `${names.get(device) ?? 'Something else'}: `
  return `${faint(time.when(at))}  ${visible(`${name}${what}`)}  ${faint(`(${visible(causeWords(cause))})`)}`
}

function causeWords({ name, by }: Cause): string {
  return by === undefined ? name : `${name}, by ${causeWords(by)}`
}
