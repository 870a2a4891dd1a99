import type { LogLineView } from '../../admin/contract/gateway.ts'
import { setTimeout } from 'node:timers/promises'
import { InvalidArgumentError, Option } from 'commander'
import { LOG_LEVELS, type LogLevel } from '../../lib/log.ts'
import type { LineLevel } from '../../lib/log-lines.ts'
import { CannotAsk, CliError, plain, said, visible, write } from '../shell/terminal.ts'
import type { CliContext } from './context.ts'
import type { Commands } from './commands.ts'
import type { HomeTime } from '../shell/home-time.ts'

/** What is answered to `GET /admin/v1/log`, as far as it matters here. */
interface LogAnswer {
  readonly run: string
  readonly lines: readonly LogLineView[]
}

/** The log as it grows, each line once, also where the gateway is started anew meanwhile. */
export class LogTail {
  readonly #ask: (after: number) => Promise<LogAnswer>
  #seen: { readonly run: string; readonly seq: number } | null = null

  /** @param ask answers the lines that are still in memory after the one of this number */
  constructor(ask: (after: number) => Promise<LogAnswer>) {
    this.#ask = ask
  }

  /** The lines since the last time; `anew`: the gateway was started meanwhile, and these are the lines of that start. */
  async next(): Promise<{ readonly lines: readonly LogLineView[]; readonly anew: boolean }> {
    const seen = this.#seen
    const first = await this.#ask(seen?.seq ?? 0)
    const anew = seen !== null && first.run !== seen.run
    // A start gives new numbers, so lines below the old number are missing from that answer.
    const { run, lines } = anew ? await this.#ask(0) : first
    this.#seen = { run, seq: lines.at(-1)?.seq ?? (anew ? 0 : (seen?.seq ?? 0)) }
    return { lines, anew }
  }
}

/** How often a log that is followed is looked at. */
const FOLLOW_MS = 1_000
/** A gateway that says nothing for so long hangs. */
const ANSWER_WAIT_MS = 10_000
const LINES_MAX = 2_000

interface Options {
  readonly follow: boolean
  readonly level?: LineLevel
  readonly since?: string
}

/** `hm log`: the newest lines of the log, and what is written to it. */
export function logCommand(program: Commands): void {
  program
    .command('log', 'the newest lines of the log; `log level` says what is written, `log level debug` changes it')
    .argument('[level]', 'the word `level`', (word: string) => {
      if (word !== 'level') throw new InvalidArgumentError('It must be the word level, or nothing.')
      return word
    })
    .argument('[what]', `what is written from now on: ${LOG_LEVELS.join(', ')}`)
    .option('-f, --follow', 'go on with each new line, over restarts too, until Ctrl-C', false)
    .addOption(new Option('--level <level>', 'this level and graver ones').choices(LOG_LEVELS.slice(1)))
    .option('--since <time>', 'from then on: 10m, 2h, 2027-01-31T12:00')
    .action(async (word: string | undefined, level: string | undefined, options: Options) => {
      if (word !== undefined) return tellLevel(program.context, level)
      await show(program.context.within(ANSWER_WAIT_MS), options)
    })
}

async function tellLevel(context: CliContext, wanted: string | undefined): Promise<void> {
  const { client } = context
  const level = LOG_LEVELS.find((logLevel) => logLevel === wanted)
  if (wanted !== undefined && level === undefined)
    throw new CliError(`"${wanted}" is no level: it must be one of ${LOG_LEVELS.join(', ')}.`)
  const now: { readonly level: LogLevel } = level
    ? await client.ask('log.level', { body: { level } })
    : await client.ask('log.list', { query: { limit: '1' } })
  context.show({ level: now.level }, () =>
    level ? `The log is written at ${now.level} until the next start.` : now.level,
  )
}

async function show(context: CliContext, { follow, level, since }: Options): Promise<void> {
  const time = await context.homeTime()
  const from = since === undefined ? {} : { since: String(time.since(since, Date.now())) }
  const tail = new LogTail((after) => {
    const query = { ...from, ...(level ? { level } : {}), after: String(after), limit: String(LINES_MAX) }
    return context.client.ask('log.list', { query })
  })
  const print = (lines: readonly LogLineView[]): void => {
    for (const line of lines) write(context.json ? visible(JSON.stringify(line)) : wordsOf(line, time))
  }
  print((await tail.next()).lines)
  if (follow) await followed(tail, print, (sentence) => said(sentence, context.json))
}

/** Waits for a gateway that stops, hangs or starts anew, and says so beside the log: a pipe has lines alone. */
async function followed(
  tail: LogTail,
  print: (lines: readonly LogLineView[]) => void,
  say: (sentence: string) => void,
): Promise<never> {
  for (let isThere = true; ;) {
    await setTimeout(FOLLOW_MS)
    try {
      const { lines, anew } = await tail.next()
      if (anew) say('The gateway was started anew: its last lines before that are in its journal alone.')
      else if (!isThere) say('The gateway answers again.')
      isThere = true
      print(lines)
    } catch (error) {
      if (!(error instanceof CliError) || error instanceof CannotAsk) throw error
      if (isThere) say(`${error.message} The log goes on when it answers again; Ctrl-C ends this.`)
      isThere = false
    }
  }
}

function wordsOf({ at, level, what, fields }: LogLineView, time: HomeTime): string {
  const { err, ...facts } = fields as Readonly<Record<string, unknown>>
  const said = Object.entries(facts).map(([name, value]) => `${name}=${plain(value)}`)
  const stack = typeof err === 'object' && err !== null && 'stack' in err ? String(err.stack).split('\n') : []
  const head = [time.when(at), level.toUpperCase().padEnd(5), what, ...said].join('  ')
  // Indented, so that no line of it passes for one of the log.
  return [head, ...stack.map((frame) => `  ${frame}`)].map(visible).join('\n')
}
