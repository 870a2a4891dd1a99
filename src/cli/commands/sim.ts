import { errorCode } from '../../lib/files.ts'
import type { Command } from 'commander'
import { DEMO_PLAN } from '../../demo/demo-plan.ts'
import { generateHouse } from '../../demo/generate-house.ts'
import { systemClock } from '../../lib/clock.ts'
import { SIM_SEED_MAX, SIM_SPEED_MAX, SIM_UNITS_MAX, wholeNumber } from '../../settings/settings.ts'
import { runSimulator } from '../../sim/simulator.ts'
import { CliError, write } from '../shell/terminal.ts'

interface SimOptions {
  tcp: string
  units?: string
  seed: string
  speed: string
  faults?: string
  silent?: string[]
  people: boolean
}

/** `hm sim`: the simulated house as a separate process at a TCP port (docs/simulator.md). It needs no gateway. */
export function simCommand(program: Command): void {
  program
    .command('sim')
    .description('run a simulated house at a TCP port, for HM_HMHC=tcp://…; needs no gateway')
    .requiredOption('--tcp <port>', 'the port to listen on, 0 for any')
    .option('--units <n>', 'a generated house with this number of units instead of the demo house')
    .option('--seed <n>', 'seed of the random numbers; the same seed makes the same house', '1')
    .option('--speed <n>', 'speed of its clock', '1')
    .option('--faults <list>', 'faults of the line, such as drop=0.05,noise=50')
    .option('--silent <address...>', 'addresses of units that never respond')
    .option('--no-people', 'without residents')
    .action(async (options: SimOptions) => {
      const units = options.units === undefined ? undefined : wholeNumber('--units', options.units, 1, SIM_UNITS_MAX)
      const seed = wholeNumber('--seed', options.seed, 0, SIM_SEED_MAX)
      const simulator = await runSimulator({
        clock: systemClock,
        tcp: wholeNumber('--tcp', options.tcp, 0, 65_535),
        seed,
        plan: units === undefined ? DEMO_PLAN : generateHouse(units, seed).plan,
        speed: wholeNumber('--speed', options.speed, 1, SIM_SPEED_MAX),
        people: options.people,
        ...(options.faults === undefined ? {} : { faults: options.faults }),
        silent: (options.silent ?? []).map((address) => wholeNumber('--silent', address, 1, 65_279)),
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

/** Turns problems that the user can fix into sentences. */
function explained(error: unknown, port: string): unknown {
  if (error instanceof RangeError) return new CliError(error.message)
  if (errorCode(error) === 'EADDRINUSE') return new CliError(`Port ${port} is in use: choose another with --tcp.`)
  return error
}
