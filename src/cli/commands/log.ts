import type { LogLineView } from '../../admin/contract/gateway.ts'
import { setTimeout } from 'node:timers/promises'
import { InvalidArgumentError, Option } from 'commander'
import { LOG_LEVELS, type LogLevel } from '../../lib/log.ts'
import type { LineLevel } from '../../lib/log-lines.ts'
import { CannotAsk, CliError, plain, printNote, visible, write } from '../shell/terminal.ts'
import type { CliContext } from './context.ts'
import type { Commands } from './command-group.ts'
import type { HomeTime } from '../shell/home-time.ts'

/** Response of `GET /admin/v1/log`, as far as it is used here. */
interface LogAnswer {
  readonly run: string
  readonly lines: readonly LogLineView[]
}

/** Reads new lines of the log, each once, also across restarts of the gateway. */
export class LogTail {
  readonly #ask: (after: number) => Promise<LogAnswer>
  #last: { readonly run: string; readonly seq: number } | null = null

  /** @param ask returns the lines in memory after this number */
  constructor(ask: (after: number) => Promise<LogAnswer>) {
    this.#ask = ask
  }

  /** The lines since the last call; `anew`: the gateway was restarted, and these are lines of the new run. */
  async next(): Promise<{ readonly lines: readonly LogLineView[]; readonly anew: boolean }> {
    const last = this.#last
    const first = await this.#ask(last?.seq ?? 0)
    const anew = last !== null && first.run !== last.run
    // A new run numbers lines from one, so the first response lacks lines below the old number.
    const { run, lines } = anew ? await this.#ask(0) : first
    this.#last = { run, seq: lines.at(-1)?.seq ?? (anew ? 0 : (last?.seq ?? 0)) }
    return { lines, anew }
  }
}

/** Interval of reading a followed log. */
const FOLLOW_MS = 1_000
/** Timeout after which the gateway is taken to hang. */
const ANSWER_WAIT_MS = 10_000
const LINES_MAX = 2_000

interface Options {
  readonly follow: boolean
  readonly level?: LineLevel
  readonly since?: string
}

/** `hm log`: the newest lines of the log, and its level. */
export function logCommand(program: Commands): void {
  program
    .command('log', 'print the newest lines of the log; `log level` prints the level, `log level debug` changes it')
    .argument('[level]', 'the word `level`', (word: string) => {
      if (word !== 'level') throw new InvalidArgumentError('It must be the word level, or nothing.')
      return word
    })
    .argument('[what]', `the new level: ${LOG_LEVELS.join(', ')}`)
    .option('-f, --follow', 'print new lines too, across restarts, until Ctrl-C', false)
    .addOption(new Option('--level <level>', 'lowest level of the lines').choices(LOG_LEVELS.slice(1)))
    .option('--since <time>', 'start time: 10m, 2h, 2027-01-31T12:00')
    .action(async (word: string | undefined, level: string | undefined, options: Options) => {
      if (word !== undefined) return printLevel(program.context, level)
      await show(program.context.within(ANSWER_WAIT_MS), options)
    })
}

async function printLevel(context: CliContext, typedLevel: string | undefined): Promise<void> {
  const { client } = context
  const level = LOG_LEVELS.find((logLevel) => logLevel === typedLevel)
  if (typedLevel !== undefined && level === undefined)
    throw new CliError(`"${typedLevel}" is not a level: use one of ${LOG_LEVELS.join(', ')}.`)
  const now: { readonly level: LogLevel } = level
    ? await client.ask('log.level', { body: { level } })
    : await client.ask('log.list', { query: { limit: '1' } })
  context.show({ level: now.level }, () => (level ? `The log level is ${now.level} until the next start.` : now.level))
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
  if (follow) await followLog(tail, print, (sentence) => printNote(sentence, context.json))
}

/**
 * Follows the log across stops, hangs and restarts of the gateway, and reports them on standard error, so that a pipe
 * gets only lines.
 */
async function followLog(
  tail: LogTail,
  print: (lines: readonly LogLineView[]) => void,
  say: (sentence: string) => void,
): Promise<never> {
  for (let isAnswering = true; ;) {
    await setTimeout(FOLLOW_MS)
    try {
      const { lines, anew } = await tail.next()
      if (anew) say('The gateway was restarted: its last lines before that are only in its journal.')
      else if (!isAnswering) say('The gateway answers again.')
      isAnswering = true
      print(lines)
    } catch (error) {
      if (!(error instanceof CliError) || error instanceof CannotAsk) throw error
      if (isAnswering) say(`${error.message} The log continues when the gateway answers again; Ctrl-C ends this.`)
      isAnswering = false
    }
  }
}

function wordsOf({ at, level, what, fields }: LogLineView, time: HomeTime): string {
  const { err, ...facts } = fields as Readonly<Record<string, unknown>>
  const printNote = Object.entries(facts).map(([name, value]) => `${name}=${plain(value)}`)
  const stack = typeof err === 'object' && err !== null && 'stack' in err ? String(err.stack).split('\n') : []
  const head = [time.when(at), level.toUpperCase().padEnd(5), what, ...printNote].join('  ')
  // Indented, so that a line of the stack does not look like a line of the log.
  return [head, ...stack.map((frame) => `  ${frame}`)].map(visible).join('\n')
}
