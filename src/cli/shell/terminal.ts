import { createInterface } from 'node:readline/promises'
import { readFileSync, writeFileSync } from 'node:fs'
import { reasonOf } from '../../lib/file-reasons.ts'
import { fileText } from '../../lib/file-text.ts'
import type { Command } from 'commander'

/** Fields of a failure for programs: the Error shape's (Spec 7). */
interface FailureFields {
  readonly code?: string
  readonly appAction?: string | null
  readonly retryAfter?: number | null
}

/** An error that the user can act on; printed without a stack, with `--json` in the Error shape. */
export class CliError extends Error {
  /** Exit code of the process. */
  readonly exitCode: number
  readonly code: string
  readonly appAction: string | null
  readonly retryAfter: number | null

  constructor(
    message: string,
    exitCode = 1,
    { code = 'not_done', appAction = null, retryAfter = null }: FailureFields = {},
  ) {
    super(message)
    this.exitCode = exitCode
    this.code = code
    this.appAction = appAction
    this.retryAfter = retryAfter
  }
}

/** The gateway cannot be asked because of the user's own situation; this says nothing about the gateway. */
export class CannotAsk extends CliError {
  constructor(message: string) {
    super(message, 1, { code: 'cannot_ask' })
  }
}

/** No gateway runs on the data folder; commands that need none can continue. */
export class NoGateway extends CliError {
  constructor(message: string) {
    super(message, 1, { code: 'no_gateway' })
  }
}

type Cell = string | number | null

/** Items as a table with a column for each header; the `none` sentence without items. */
export function listed<T>(
  all: readonly T[],
  none: string,
  columns: Readonly<Record<string, (item: T) => Cell>>,
): string {
  const cells = Object.values(columns)
  const rows = all.map((item) => cells.map((cell) => cell(item)))
  return all.length === 0 ? none : table(Object.keys(columns), rows)
}

/** Rows as a table of plain text, with columns as wide as they need. */
export function table(headers: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cells = [headers, ...rows.map((row) => row.map((cell) => (cell === null ? '-' : String(cell))))]
  const widths = headers.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)))
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Seconds in the two largest units: `3 d 4 h`. */
export function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (minutes < 1) return `${seconds} s`
  if (hours < 1) return `${minutes} min`
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}

/** Bytes as KiB or MiB. */
export function size(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}

/** A value of a response in one line: `{cool: {on: 26, off: 24}}` becomes `cool (on 26, off 24)`. */
export function plain(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (Array.isArray(value)) return value.map(plain).join(', ')
  if (typeof value !== 'object') return `${value as string | number | boolean}`
  return Object.entries(value)
    .map(([name, part]: [string, unknown]) =>
      typeof part === 'object' && part !== null ? `${name} (${plain(part)})` : `${name} ${plain(part)}`,
    )
    .join(', ')
}

/**
 * Makes foreign text safe for one line of a terminal: control characters and marks for text direction become escapes,
 * which mean the same in JSON.
 */
export function visible(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

export function write(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}

/**
 * Lines about the rules that a change turned off (or `would`), and the scenes that nobody may run any more; empty
 * without any.
 */
export function lostPermissionLines(
  {
    switchedOff = [],
    scenesRefused = [],
    groupRules = [],
  }: {
    readonly switchedOff?: readonly string[]
    readonly scenesRefused?: readonly string[]
    readonly groupRules?: readonly string[]
  },
  would = false,
): string {
  const line = (does: string, names: readonly string[], since = 'they open a lock or gate'): string =>
    names.length === 0 ? '' : `\n${does}, since ${since}: ${names.join(', ')}.`
  const off = line(would ? 'Would be turned off' : 'Turned off', switchedOff)
  // A preview of a change lists the rules of a deletion too.
  const emptied = would ? [] : groupRules
  return `${off}${line('Turned off', emptied, 'their groups had the devices that it saw')}${line(would ? 'These scenes could not run' : 'These scenes cannot run', scenesRefused)}`
}

/** A line about an end that is not on the disk yet; empty otherwise. */
export function unstored({ unstored: waits }: { readonly unstored?: true | undefined }): string {
  return waits
    ? '\nThe disk accepts no writes now. The change holds at once and is stored as soon as possible; a restart before that may undo it.'
    : ''
}

/** A line about the knobs that a change turned off; empty without any. */
export function knobsOff(
  { knobsOff: knobs = [] }: { readonly knobsOff?: readonly string[] },
  verb = 'Turned off',
): string {
  return knobs.length === 0 ? '' : `\n${verb}, since this exposure does not offer it: ${knobs.join(', ')}.`
}

/**
 * Prints a note on standard error, so that the output can be piped. With --json it is an object a line, like failures:
 * `{"note": {"message"}}`.
 */
export function printNote(message: string, isJson: boolean): void {
  process.stderr.write(`${isJson ? JSON.stringify({ note: { message } }) : message}\n`)
}

/** Asks a question at the terminal, or reads a pipe; throws a CliError without an answer. */
export async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr, terminal: process.stdin.isTTY })
  const closed = Promise.withResolvers<never>()
  terminal.once('close', () => closed.reject(new CliError('There was no answer.', 1, { code: 'no_answer' })))
  try {
    return await Promise.race([terminal.question(question), closed.promise])
  } finally {
    terminal.removeAllListeners('close').close()
  }
}

/** Text of a file. Throws a CliError if it cannot be read or is not UTF-8. */
export function readText(file: string): string {
  const text = fileText(bytesOf(file))
  if (text.ok) return text.value
  throw new CliError(`${file} is not UTF-8: it seems to be ${text.error}. Save it as UTF-8 and try again.`, 1, {
    code: 'file',
  })
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${reasonOf(error)}.`, 1, { code: 'file' })
  }
}

/** Writes a new file; throws a CliError on failure. */
export function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx' })
  } catch (error) {
    throw new CliError(`${file} cannot be written: ${reasonOf(error)}.`, 1, { code: 'file' })
  }
}

export const JSON_HELP = 'print the whole response as JSON'

/** Adds options of the program to these commands too, so that they may follow the command. */
export function globalOptions(
  program: Command,
  commands: readonly Command[],
  options: readonly (readonly [flags: string, help: string])[],
): void {
  for (const command of commands) {
    if (command.commands.length > 0) {
      globalOptions(program, command.commands, options)
      continue
    }
    for (const [flags, help] of options) command.option(flags, help)
    const names = command.options.slice(-options.length).map((option) => option.attributeName())
    command.hook('preAction', (_top, action) => {
      for (const name of names) {
        const value: unknown = action.opts()[name]
        if (value !== undefined) program.setOptionValue(name, value)
      }
    })
  }
}
