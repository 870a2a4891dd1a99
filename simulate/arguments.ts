import { Command, CommanderError, InvalidArgumentError, Option, type OutputConfiguration } from 'commander'
import { DEFECTS } from './planted-defects.ts'

/** Arguments of a batch of runs. */
export interface Arguments {
  readonly seeds: { readonly first: number; readonly last: number }
  readonly days: number
  /** Name of a planted defect. */
  readonly plant: string | undefined
  readonly workers: number
  /** Indices of the acts to perform; undefined for all. */
  readonly acts: readonly number[] | undefined
  /** True to print every line of the run. */
  readonly verbose: boolean
}

/** Exit code for wrong arguments; 1 means a violation. */
const WRONG_ARGUMENTS = 2
const ONE_SEED = 'error: --acts and --verbose need a single seed, for example --seeds 7.'

/**
 * Prints one sentence about wrong arguments.
 * @throws CommanderError with the exit code, 0 after --help.
 */
export function readArguments(args: readonly string[], output: OutputConfiguration = {}): Arguments {
  const program = new Command('npm run simulate --')
    .description('Runs simulated homes and checks their invariants (docs/simulated-homes.md).')
    .addOption(
      new Option('--seeds <range>', 'one seed, or the first and the last one')
        .argParser(range)
        .default({ first: 1, last: 20 }, '1..20'),
    )
    .option('--days <n>', 'days of each home', atLeastOne, 2)
    .option('--workers <n>', 'parallel runs', atLeastOne, 2)
    .option('--acts <list>', 'numbers of the acts to perform, for one seed', indices)
    .option('--verbose', 'print every line of one seed', false)
    .addOption(new Option('--plant <name>', 'plant a defect to see whether it is found').choices([...DEFECTS.keys()]))
    .configureOutput(output)
    .exitOverride(({ code, exitCode, message }) => {
      throw new CommanderError(exitCode === 0 ? 0 : WRONG_ARGUMENTS, code, message)
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

/** Parses a list of numbers. An empty text is an empty list, because a history may need no act. */
function indices(text: string): number[] {
  if (!/^(?:\d{1,9}(?:,\d{1,9})*)?$/.test(text)) throw new InvalidArgumentError('It takes numbers, as in 42,94,95.')
  return text.split(',').filter(Boolean).map(Number)
}
