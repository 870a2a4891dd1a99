import type { Command } from 'commander'
import { systemClock } from '../../lib/clock.ts'
import { runSimulator } from '../../sim/simulator.ts'
import { CliError } from '../admin-client.ts'
import { write } from '../print.ts'

interface SimOptions { tcp: string; units?: string; seed: string; speed: string; faults?: string; silent?: string[]; people: boolean }

/** `hm sim`: the simulated house as a process of its own, at the end of a TCP line (docs/simulator.md). It needs no gateway. */
export function simCommand(program: Command): void {
  program.command('sim').description('a simulated house on a TCP port; lines on its standard input make things happen')
    .requiredOption('--tcp <port>', 'the port to listen on, 0 for any')
    .option('--units <n>', 'a generated house of so many units instead of the demo house')
    .option('--seed <n>', 'the same seed makes the same house', '1')
    .option('--speed <n>', 'how fast its own time runs', '1')
    .option('--faults <list>', 'faults of the line, such as drop=0.05,noise=50')
    .option('--silent <address...>', 'units that never answer')
    .option('--no-people', 'nobody lives in it')
    .action(async (options: SimOptions) => {
      const units = options.units === undefined ? undefined : whole('--units', options.units, 1, 10_000)
      const simulator = await runSimulator({
        clock: systemClock,
        tcp: whole('--tcp', options.tcp, 0, 65_535),
        seed: whole('--seed', options.seed, 0, 999_999_999),
        speed: whole('--speed', options.speed, 1, 1_000),
        people: options.people,
        ...(units === undefined ? {} : { units }),
        ...(options.faults === undefined ? {} : { faults: options.faults }),
        silent: (options.silent ?? []).map((address) => whole('--silent', address, 1, 65_279)),
        input: process.stdin,
        print: write,
      }).catch((error: unknown) => {
        throw explained(error, options.tcp)
      })
      const stop = (): void => {
        void simulator.stop().then(() => process.exit(0))
      }
      process.on('SIGINT', stop).on('SIGTERM', stop)
    })
}

function whole(flag: string, text: string, min: number, max: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(number >= min && number <= max)) throw new CliError(`${flag} is "${text}": it must be a whole number from ${min} to ${max}.`)
  return number
}

/** What the user can mend is said in a sentence. */
function explained(error: unknown, port: string): unknown {
  if (error instanceof RangeError) return new CliError(error.message)
  if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return new CliError(`Port ${port} is in use: choose another with --tcp.`)
  return error
}
