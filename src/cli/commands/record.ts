import { resolve } from 'node:path'
import type { Command } from 'commander'
import { EXPORT_TABLES } from '../../home/record/csv-export.ts'
import { writeYaml } from '../../lib/yaml.ts'
import { CliError } from '../cli-error.ts'
import type { CliContext } from '../context.ts'
import { readText } from '../files.ts'
import { size } from '../print.ts'
import { correctionCommands, jumpCommands } from './energy.ts'

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
