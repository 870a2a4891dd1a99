import type { Command } from 'commander'
import type { AdminContract } from '../../admin/contract/index.ts'
import type { AnswerOf } from '../../api/client.ts'
import type { CliContext } from '../context.ts'
import type { HomeTime } from '../home-time.ts'
import { table } from '../print.ts'
import { switchCommands } from './rule-switch.ts'
import { head, part, stateOf } from './rule-text.ts'

/** `hm automation …`, with its dry run. */
export function automationCommands(program: Command, context: () => CliContext): void {
  const automation = program.command('automation').description('automations in words; switch, try or delete one')
  listCommand(automation, context)
  showCommand(automation, context)
  automation
    .command('delete <id>')
    .description('delete an automation')
    .action(async (id: string) => {
      context().show(await context().client.ask('automations.delete', { id }), () => `Deleted the automation ${id}.`)
    })
  automation
    .command('try <id>')
    .description('what it would do if it were set off now; nothing is done')
    .action(async (id: string) => {
      await context().showTimes(await context().client.ask('automations.try', { id }), describeTrial)
    })
  nextCommand(automation, context)
  switchCommands(automation, context, {
    kind: 'automation',
    list: async () => (await context().client.ask('automations.list')).automations,
    send: async (id, enabled) => {
      const answer = await context().client.ask('automations.switch', { id, body: { enabled } })
      return { answer, rule: answer.automation }
    },
  })
}

function listCommand(automation: Command, context: () => CliContext): void {
  automation
    .command('list')
    .description('all automations')
    .action(async () => {
      context().show(await context().client.ask('automations.list'), ({ automations }) =>
        automations.length === 0
          ? 'No automations yet.'
          : table(
              ['ID', 'NAME', 'STATE', 'WHEN', 'REVISION', 'CREATED BY'],
              automations.map((each) => [
                each.id,
                each.name,
                stateOf(each),
                each.when.join('; '),
                each.revision,
                each.createdBy,
              ]),
            ),
      )
    })
}

function showCommand(automation: Command, context: () => CliContext): void {
  automation
    .command('show <id>')
    .description('one automation in words')
    .action(async (id: string) => {
      context().show(await context().client.ask('automations.show', { id }), ({ automation: view }) =>
        [
          ...head(view, stateOf(view)),
          `  mode      ${view.mode}`,
          ...part('when', view.when),
          ...part('if', view.if),
          ...part('then', view.then),
        ].join('\n'),
      )
    })
}

function nextCommand(automation: Command, context: () => CliContext): void {
  automation
    .command('next')
    .description('what the clock sets off in the coming days, automations and schedules')
    .option('--days <n>', 'so many days, 31 at most', '7')
    .action(async ({ days }: { days: string }) => {
      await context().showTimes(await context().client.ask('runs.next', { query: { days } }), ({ runs }, time) =>
        runs.length === 0
          ? 'The clock sets nothing off.'
          : table(
              ['AT', 'WHAT', 'NAME', 'BECAUSE', 'ID'],
              runs.map((run) => [time.when(run.at), run.kind, run.name, run.text, run.id]),
            ),
      )
    })
}

function describeTrial({ trial }: AnswerOf<AdminContract['automations.try']>, time: HomeTime): string {
  const { name, when: triggers, if: conditions, then, wouldRun, because } = trial
  return [
    wouldRun ? `${name} would run if it were set off now.` : `${name} would not run now. ${because ?? ''}`.trimEnd(),
    ...part(
      'when',
      triggers.map(({ text, next }) => (next === null ? text : `${text}, next ${time.when(next)}`)),
    ),
    ...part(
      'if',
      conditions.map(
        ({ text, now, holds }) => `${holds ? 'yes' : 'NO '}  ${text}${now === null ? '' : ` (now: ${now})`}`,
      ),
    ),
    ...part('then', then),
  ].join('\n')
}
