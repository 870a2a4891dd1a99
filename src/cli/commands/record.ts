import type { Command } from 'commander'
import type { AdminContract } from '../../admin/contract/index.ts'
import type { AnswerOf } from '../../api/client.ts'
import { energyWords } from '../../home/words/energy.ts'
import { CliError, table, size, readText } from '../shell/terminal.ts'
import type { CliContext } from './context.ts'
import type { HomeTime } from '../shell/home-time.ts'
import { resolve } from 'node:path'
import { EXPORT_TABLES } from '../../home/record/csv-export.ts'
import { writeYaml } from '../../lib/yaml.ts'

type Correction = AnswerOf<AdminContract['energy.undoCorrection']>['undone']

/** Answers to a jump as they are typed, and as the gateway takes them. */
const ANSWERS = { count: 'count', 'other-meter': 'other_meter' } as const

const kwh = (wattHours: number): string => energyWords(wattHours * 1_000)

/** `hm history jumps` and `hm history jump`: counters that jumped. */
function jumpCommands(history: Command, context: () => CliContext): void {
  history
    .command('jumps')
    .description('jumps of counters that no sum holds until you answer')
    .action(async () => {
      await context().showTimes(await context().client.ask('energy.jumps'), ({ jumps }, time) =>
        jumps.length === 0
          ? 'No jump of a counter waits for an answer.'
          : [
              table(
                ['NUMBER', 'DEVICE', 'NAME', 'ENERGY', 'FROM', 'TO'],
                jumps.map((jump) => [
                  jump.id,
                  jump.device,
                  jump.name,
                  kwh(jump.energy),
                  time.when(jump.from),
                  time.when(jump.to),
                ]),
              ),
              'Answer each: bin/hm history jump NUMBER count, if the device took that energy, or other-meter.',
            ].join('\n'),
      )
    })
  history
    .command('jump <number> <answer>')
    .description('answer a jump: count (the device took that energy) or other-meter (add nothing)')
    .action(async (number: string, typed: string) => {
      const answer = Object.entries(ANSWERS).find(([word]) => word === typed)?.[1]
      if (answer === undefined) throw new CliError(`"${typed}" is not one of ${Object.keys(ANSWERS).join(', ')}.`)
      const done = await context().client.ask('energy.answerJump', { id: number, body: { answer } })
      context().show(done, ({ answered: { device, energy } }) =>
        answer === 'count'
          ? `Added ${kwh(energy)} to ${device}.`
          : `Left out ${kwh(energy)} of ${device}: its counter is another one from now on.`,
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
function correctionCommands(history: Command, context: () => CliContext): void {
  history
    .command('correct [device]')
    .description('take wrong energy of a device out of all sums, or put it back with --undo')
    .option(
      '--from <time>',
      'begin of the wrong energy: 2027-01-31, 2027-01-31T12:00 (the home’s), or 2027-01-31T12:00Z',
    )
    .option('--to <time>', 'end of the wrong energy')
    .option('--dry-run', 'only say how much energy and cost that is', false)
    .option('--undo <number>', 'put the energy of a correction back')
    .action(async (device: string | undefined, options: CorrectOptions) =>
      options.undo === undefined ? correct(context(), device, options) : undo(context(), options.undo, device, options),
    )
  history
    .command('corrections')
    .description('corrections that --undo can put back')
    .action(async () => {
      await context().showTimes(await context().client.ask('energy.corrections'), ({ corrections }, time) =>
        corrections.length === 0
          ? 'No energy was corrected.'
          : table(
              ['NUMBER', 'MADE', 'BY', 'DEVICE', 'ENERGY', 'FROM', 'TO'],
              corrections.map((each) => [
                each.id,
                time.when(each.at),
                each.by,
                each.device,
                kwh(each.energy),
                time.when(each.from),
                time.when(each.to),
              ]),
            ),
      )
    })
}

async function correct(context: CliContext, device: string | undefined, { from, to, dryRun }: CorrectOptions) {
  if (device === undefined || from === undefined || to === undefined)
    throw new CliError('Name a device, --from and --to; or --undo with the number of a correction.')
  const time = await context.homeTime()
  const body = { device, from: time.parsed(from), to: time.parsed(to), check: dryRun }
  await context.showTimes(await context.client.ask('energy.correct', { body }), ({ checked, correction }, said) =>
    [
      `${checked ? 'This would take' : 'Took'} ${amount(correction)} ${range(correction, said)} out of all sums.`,
      ...(correction.wholeDaysBefore === null
        ? []
        : [`Before ${said.day(correction.wholeDaysBefore)} only whole days are stored, so whole days are taken.`]),
      checked ? 'Nothing was changed.' : `To put it back: bin/hm history correct --undo ${correction.id}`,
    ].join('\n'),
  )
}

async function undo(context: CliContext, number: string, device: string | undefined, options: CorrectOptions) {
  const { from, to, dryRun } = options
  if (device !== undefined || from !== undefined || to !== undefined || dryRun)
    throw new CliError('--undo takes the number of a correction, and nothing beside it.')
  const answer = await context.client.ask('energy.undoCorrection', { id: number })
  await context.showTimes(
    answer,
    ({ undone }, said) => `Put ${amount(undone)} ${range(undone, said)} back into all sums.`,
  )
}

function amount({ device, name, energy, cost, currency }: Correction): string {
  const price = cost === null ? '' : ` and ${cost.toFixed(2)} ${currency}`
  return `${kwh(energy)}${price} of ${name ?? device}`
}

const range = ({ from, to }: Correction, time: HomeTime): string => `from ${time.when(from)} to ${time.when(to)}`

/** `hm tariff …`: what electricity costs. */
export function tariffCommands(program: Command, context: () => CliContext): void {
  const tariff = program.command('tariff').description('what electricity costs: shown, set, forgotten')
  tariff
    .command('show')
    .description('the tariff as it was set')
    .action(async () => {
      const answer = await context().client.ask('tariff.show')
      context().show(answer, (each) =>
        each.tariff === null ? 'No tariff is set: costs are not known.' : writeYaml(each.tariff).trimEnd(),
      )
    })
  tariff
    .command('set <file>')
    .description('take the tariff from a YAML or JSON file; all costs are worked out anew')
    .action(async (file: string) => {
      const answer = await context().client.ask('tariff.set', { body: { file: readText(file) } })
      context().show(answer, (each) => `Set: ${each.tariffs.join(', ')}. All costs are worked out anew.`)
    })
  tariff
    .command('clear')
    .description('forget the tariff')
    .action(async () => {
      context().show(
        await context().client.ask('tariff.clear'),
        () => 'No tariff is set any more: costs are not known.',
      )
    })
}

/** `hm history …`: what was recorded. */
export function historyCommands(program: Command, context: () => CliContext): void {
  const history = program.command('history').description('what was recorded: as a file, and corrected')
  history
    .command('export <table> <file>')
    .description(`write a table to a new CSV file: ${EXPORT_TABLES.join(', ')}`)
    .option('--from <time>', 'from this time on: 2027-01-31, 2027-01-31T12:00 (the home’s), or 2027-01-31T12:00Z')
    .option('--to <time>', 'up to this time')
    .action(async (name: string, file: string, options: { from?: string; to?: string }) => {
      const table = EXPORT_TABLES.find((each) => each === name)
      if (table === undefined) throw new CliError(`"${name}" is none of ${EXPORT_TABLES.join(', ')}.`)
      const time = await context().homeTime()
      const range = {
        ...(options.from === undefined ? {} : { from: time.parsed(options.from) }),
        ...(options.to === undefined ? {} : { to: time.parsed(options.to) }),
      }
      const answer = await context().client.ask('history.export', { body: { table, file: resolve(file), ...range } })
      context().show(answer, (each) => `Wrote ${each.rows} rows to ${each.file} (${size(each.bytes)}).`)
    })
  jumpCommands(history, context)
  correctionCommands(history, context)
}
