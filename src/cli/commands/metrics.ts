import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { write } from '../print.ts'

/** `hm metrics`: what a monitoring system reads. */
export function metricsCommand(program: Command, context: () => CliContext): void {
  program
    .command('metrics')
    .description('how the gateway is doing in numbers, in the text format of Prometheus')
    .option('--units', 'each unit by itself too, with its name', false)
    .action(async ({ units }: { units: boolean }) => {
      const text = await context().client.ask('metrics.get', { query: { units: units ? '1' : '0' } })
      if (context().json) context().show({ metrics: text }, () => '')
      else write(text)
    })
}
