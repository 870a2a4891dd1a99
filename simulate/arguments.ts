import { Command, CommanderError, InvalidArgumentError, Option, type OutputConfiguration } from 'commander'
import { PLANTS } from './plants.ts'

/** What a batch of runs is asked for with. */
export interface Arguments {
  readonly seeds: { readonly first: number; readonly last: number }
  readonly days: number
  /** Name of a planted defect. */
  readonly plant: string | undefined
  readonly workers: number
  /** Indices of the acts that are made; all where it is not given. */
  readonly acts: readonly number[] | undefined
  /** Whether every line of each run is printed. */
  readonly verbose: boolean
}

/** Exit code for what is not understood; 1 says that something did not hold. */
const NOT_UNDERSTOOD = 2
const ONE_SEED = 'error: --acts and --verbose are of one run: give one seed, as in --seeds 7.'

/**
 * What is not understood is said in one sentence.
 * @throws CommanderError with the exit code, 0 after --help.
 */
export function readArguments(args: readonly string[], output: OutputConfiguration = {}): Arguments {
  const program = new Command('npm run simulate --')
    .description('Runs simulated homes and holds them to what must always be so (docs/simulated-homes.md).')
    .addOption(
      new Option('--seeds <range>', 'one seed, or the first and the last')
        .argParser(range)
        .default({ first: 1, last: 20 }, '1..20'),
    )
    .option('--days <n>', 'days of each home', atLeastOne, 2)
    .option('--workers <n>', 'runs at a time', atLeastOne, 2)
    .option('--acts <list>', 'of one seed, the acts that are made, by their numbers', indices)
    .option('--verbose', 'prints every line of one seed', false)
    .addOption(new Option('--plant <name>', 'plants a defect, to see that it is found').choices([...PLANTS.keys()]))
    .configureOutput(output)
    .exitOverride(({ code, exitCode, message }) => {
      throw new CommanderError(exitCode === 0 ? 0 : NOT_UNDERSTOOD, code, message)
    })
    .parse(args, { from: 'user' })
  const { seeds, days, plant, workers, acts, verbose } = program.opts<Arguments>()
  if (seeds.first !== seeds.last && (acts !== undefined || verbose)) program.error(ONE_SEED)
  return { seeds, days, plant, workers, acts, verbose }
}

function range(text: string): Arguments['seeds'] {
  const [, from, to] = /^(\d{1,9})(?:\.\.(\d{1,9}))?$/.exec(text) ?? []
  if (from === undefined) throw new InvalidArgumentError('It takes 7, or 1..100.')
  const [first, last] = [Number(from), Number(to ?? from)]
  if (first > last) throw new InvalidArgumentError('The first seed lies after the last.')
  return { first, last }
}

function atLeastOne(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It takes a whole number from 1 on.')
  return Number(text)
}

/** None where the text is empty: a history may need no act. */
function indices(text: string): number[] {
  if (!/^(?:\d{1,9}(?:,\d{1,9})*)?$/.test(text)) throw new InvalidArgumentError('It takes numbers, as in 42,94,95.')
  return text.split(',').filter(Boolean).map(Number)
}
