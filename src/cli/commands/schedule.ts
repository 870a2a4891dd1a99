import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { table } from '../print.ts'
import { switchCommands } from './rule-switch.ts'
import { head, part, stateOf } from './rule-text.ts'

/** `hm schedule …`. */
export function scheduleCommands(program: Command, context: () => CliContext): void {
  const schedule = program.command('schedule').description("the gateway's schedules in words; switch or delete one")
  schedule
    .command('list')
    .description('all schedules')
    .action(async () => {
      await context().showTimes(await context().client.ask('schedules.list'), ({ schedules }, time) =>
        schedules.length === 0
          ? 'No schedules yet.'
          : table(
              ['ID', 'NAME', 'STATE', 'AT', 'NEXT', 'REVISION', 'CREATED BY'],
              schedules.map((each) => [
                each.id,
                each.name,
                stateOf(each),
                each.at,
                time.when(each.next),
                each.revision,
                each.createdBy,
              ]),
            ),
      )
    })
  schedule
    .command('show <id>')
    .description('one schedule in words')
    .action(async (id: string) => {
      await context().showTimes(await context().client.ask('schedules.show', { id }), ({ schedule: view }, time) =>
        [
          ...head(view, stateOf(view)),
          `  at        ${view.at}`,
          `  next      ${time.when(view.next)}`,
          ...part('then', view.then),
        ].join('\n'),
      )
    })
  schedule
    .command('delete <id>')
    .description('delete a schedule')
    .action(async (id: string) => {
      context().show(await context().client.ask('schedules.delete', { id }), () => `Deleted the schedule ${id}.`)
    })
  switchCommands(schedule, context, {
    kind: 'schedule',
    list: async () => (await context().client.ask('schedules.list')).schedules,
    send: async (id, enabled) => {
      const answer = await context().client.ask('schedules.switch', { id, body: { enabled } })
      return { answer, rule: answer.schedule }
    },
  })
}
