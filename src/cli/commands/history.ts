import { energyWords } from '../../home/words/energy.ts'
import { CliError, listed, size, readText } from '../shell/terminal.ts'
import type { CliContext } from './context.ts'
import type { CallAnswer, Commands } from './command-group.ts'
import type { HomeTime } from '../shell/home-time.ts'
import { resolve } from 'node:path'
import { EXPORT_TABLES } from '../../home/record/csv-export.ts'
import { writeYaml } from '../../lib/yaml.ts'

type Correction = CallAnswer<'energy.undoCorrection'>['undone']

/** Answers to a jump, as typed and as sent to the gateway. */
const ANSWERS = { count: 'count', 'other-meter': 'other_meter' } as const

const kwh = (wattHours: number): string => energyWords(wattHours * 1_000)

/** `hm history jumps` and `hm history jump`: counters that jumped. */
function jumpCommands(history: Commands): void {
  history.asks(
    'jumps',
    'list jumps of counters; no sum includes them until you answer',
    'energy.jumps',
    ({ jumps }, time) =>
      [
        listed(jumps, 'No jump of a counter is open.', {
          NUMBER: ({ id }) => id,
          DEVICE: ({ device }) => device,
          NAME: ({ name }) => name,
          ENERGY: ({ energy }) => kwh(energy),
          FROM: ({ from }) => time.when(from),
          TO: ({ to }) => time.when(to),
        }),
        ...(jumps.length === 0
          ? []
          : ['Answer each: bin/hm history jump NUMBER count, if the device used that energy, or other-meter.']),
      ].join('\n'),
  )
  history
    .command(
      'jump <number> <answer>',
      'answer a jump: count (the device used that energy) or other-meter (add nothing)',
    )
    .action(async (number: string, typed: string) => {
      const answer = Object.entries(ANSWERS).find(([word]) => word === typed)?.[1]
      if (answer === undefined) throw new CliError(`"${typed}" is not one of ${Object.keys(ANSWERS).join(', ')}.`)
      const { context } = history
      const done = await context.client.ask('energy.answerJump', { id: number, body: { answer } })
      context.show(done, ({ answered: { device, energy } }) =>
        answer === 'count'
          ? `Added ${kwh(energy)} to ${device}.`
          : `Left out ${kwh(energy)} of ${device}: it has another meter from now on.`,
      )
    })
}

interface CorrectOptions {
  readonly from?: string
  readonly to?: string
  readonly dryRun: boolean
  readonly undo?: string
}

/** `hm history correct` and `hm history corrections`: wrong sums. */
function correctionCommands(history: Commands): void {
  history
    .command('correct [device]', 'remove wrong energy of a device from all sums, or restore it with --undo')
    .option(
      '--from <time>',
      'start of the wrong energy: 2027-01-31, 2027-01-31T12:00 (home time), or 2027-01-31T12:00Z',
    )
    .option('--to <time>', 'end of the wrong energy')
    .option('--dry-run', 'only show the energy and cost', false)
    .option('--undo <number>', 'restore the energy of a correction')
    .action((device: string | undefined, options: CorrectOptions) =>
      options.undo === undefined
        ? correct(history.context, device, options)
        : undo(history.context, options.undo, device, options),
    )
  history.asks(
    'corrections',
    'list corrections that --undo can restore',
    'energy.corrections',
    ({ corrections }, time) =>
      listed(corrections, 'There are no corrections.', {
        NUMBER: ({ id }) => id,
        MADE: ({ at }) => time.when(at),
        BY: ({ by }) => by,
        DEVICE: ({ device }) => device,
        ENERGY: ({ energy }) => kwh(energy),
        FROM: ({ from }) => time.when(from),
        TO: ({ to }) => time.when(to),
      }),
  )
}

async function correct(context: CliContext, device: string | undefined, { from, to, dryRun }: CorrectOptions) {
  if (device === undefined || from === undefined || to === undefined)
    throw new CliError('Name a device, --from and --to; or --undo with the number of a correction.')
  const time = await context.homeTime()
  const body = { device, from: time.parsed(from), to: time.parsed(to), check: dryRun }
  await context.showTimes(
    () => context.client.ask('energy.correct', { body }),
    ({ checked, correction }, homeTime) =>
      [
        `${checked ? 'This would remove' : 'Removed'} ${amount(correction)} ${range(correction, homeTime)} from all sums.`,
        ...(correction.wholeDaysBefore === null
          ? []
          : [
              `Before ${homeTime.day(correction.wholeDaysBefore)} only whole days are stored, so whole days are removed.`,
            ]),
        checked ? 'No change was made.' : `To restore it: bin/hm history correct --undo ${correction.id}`,
      ].join('\n'),
  )
}

async function undo(context: CliContext, number: string, device: string | undefined, options: CorrectOptions) {
  const { from, to, dryRun } = options
  if (device !== undefined || from !== undefined || to !== undefined || dryRun)
    throw new CliError('--undo takes the number of a correction and no other argument.')
  await context.showTimes(
    () => context.client.ask('energy.undoCorrection', { id: number }),
    ({ undone }, homeTime) => `Restored ${amount(undone)} ${range(undone, homeTime)} in all sums.`,
  )
}

function amount({ device, name, energy, cost, currency }: Correction): string {
  const price = cost === null ? '' : ` and ${cost.toFixed(2)} ${currency}`
  return `${kwh(energy)}${price} of ${name ?? device}`
}

const range = ({ from, to }: Correction, time: HomeTime): string => `from ${time.when(from)} to ${time.when(to)}`

/** `hm tariff …`: the price of electricity. */
export function tariffCommands(program: Commands): void {
  const tariff = program.group('tariff', 'show, set or remove the price of electricity')
  tariff.asks('show', 'show the tariff', 'tariff.show', (answer) =>
    answer.tariff === null ? 'No tariff is set: costs are unknown.' : writeYaml(answer.tariff).trimEnd(),
  )
  tariff
    .command('set <file>', 'set the tariff from a YAML or JSON file; all costs are computed again')
    .action(async (file: string) => {
      const { context } = tariff
      const answer = await context.client.ask('tariff.set', { body: { file: readText(file) } })
      context.show(answer, ({ tariffs }) => `Set: ${tariffs.join(', ')}. All costs are computed again.`)
    })
  tariff.asks('clear', 'remove the tariff', 'tariff.clear', () => 'The tariff is removed: costs are unknown.')
}

/** `hm history …`: the recorded history. */
export function historyCommands(program: Commands): void {
  const history = program.group('history', 'export and correct the recorded history')
  history
    .command('export <table> <file>', `write a table to a new CSV file: ${EXPORT_TABLES.join(', ')}`)
    .option('--from <time>', 'start time: 2027-01-31, 2027-01-31T12:00 (home time), or 2027-01-31T12:00Z')
    .option('--to <time>', 'end time')
    .action(async (name: string, file: string, { from, to }: { from?: string; to?: string }) => {
      const table = EXPORT_TABLES.find((candidate) => candidate === name)
      if (table === undefined) throw new CliError(`"${name}" is not one of ${EXPORT_TABLES.join(', ')}.`)
      const { context } = history
      const time = await context.homeTime()
      const parsed = (text: string | undefined) => (text === undefined ? undefined : time.parsed(text))
      const range = { from: parsed(from), to: parsed(to) }
      const answer = await context.client.ask('history.export', { body: { table, file: resolve(file), ...range } })
      context.show(answer, (exported) => `Wrote ${exported.rows} rows to ${exported.file} (${size(exported.bytes)}).`)
    })
  jumpCommands(history)
  correctionCommands(history)
}
