import { createInterface } from 'node:readline'
import { Command, CommanderError } from 'commander'
import { type AdminEvent, EVENTS_PATH } from '../../admin/contract/events.ts'
import { noticeOf } from '../../operations/notice.ts'
import { CliError } from '../cli-error.ts'
import type { CliContext } from '../context.ts'
import { write } from '../print.ts'

export interface WatchTerminal {
  readonly input: NodeJS.ReadableStream
  /** Whether a person at the terminal can answer. */
  readonly interactive: boolean
}

/**
 * Prints the gateway's notices to administrators until it stops; on a terminal each line that is typed is a decision.
 */
export async function watchAgents(
  context: CliContext,
  terminal: WatchTerminal,
  decisions: (parent: Command, context: () => CliContext) => void,
): Promise<void> {
  const typed = terminal.interactive ? createInterface({ input: terminal.input }) : null
  typed?.on('line', (line) => void decide(line, context, decisions))
  try {
    for await (const line of context.socket.lines(EVENTS_PATH)) {
      const event = JSON.parse(line) as AdminEvent
      write(context.json ? line : noticeOf(event))
      if (event.kind === 'watching' && typed)
        write('To answer, type: accept CODE, deny CODE, confirm ID, or confirm ID --deny.')
    }
  } finally {
    typed?.close()
  }
  if (!context.json) write('The gateway has stopped.')
}

/** Runs one typed line as a command. A mistake in it prints its sentence, and the watch goes on. */
async function decide(
  line: string,
  context: CliContext,
  decisions: (parent: Command, context: () => CliContext) => void,
): Promise<void> {
  const words = line.split(/\s+/).filter((word) => word !== '')
  if (words.length === 0) return
  const parser = new Command('').exitOverride().configureOutput({ writeOut: write, writeErr: write })
  decisions(parser, () => context)
  for (const each of parser.commands) each.exitOverride().configureOutput({ writeOut: write, writeErr: write })
  try {
    await parser.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return
    if (!(error instanceof CliError)) throw error
    write(error.message)
  }
}
