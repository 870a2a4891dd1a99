import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { table } from '../print.ts'
import { head, part } from './rule-text.ts'

/** `hm scene …`. */
export function sceneCommands(program: Command, context: () => CliContext): void {
  const scene = program.command('scene').description('scenes in words; delete one')
  scene
    .command('list')
    .description('all scenes')
    .action(async () => {
      context().show(await context().client.ask('scenes.list'), ({ scenes }) =>
        scenes.length === 0
          ? 'No scenes yet.'
          : table(
              ['ID', 'NAME', 'STEPS', 'REVISION', 'CREATED BY', ''],
              scenes.map((each) => [
                each.id,
                each.name,
                each.steps.length,
                each.revision,
                each.createdBy,
                each.running ? 'running' : '',
              ]),
            ),
      )
    })
  scene
    .command('show <id>')
    .description('one scene with its steps')
    .action(async (id: string) => {
      context().show(await context().client.ask('scenes.show', { id }), ({ scene: view }) =>
        [
          ...head(view, view.running ? 'running' : null),
          ...(view.room ? [`  room      ${view.room}`] : []),
          ...(view.floor ? [`  floor     ${view.floor}`] : []),
          ...part('then', view.steps),
          ...part('used by', view.usedBy),
        ].join('\n'),
      )
    })
  scene
    .command('delete <id>')
    .description('delete a scene')
    .option('--force', 'also where automations or schedules use it')
    .action(async (id: string, { force }: { force?: true }) => {
      const query = force ? { force: 'true' as const } : {}
      context().show(await context().client.ask('scenes.delete', { id, query }), () => `Deleted the scene ${id}.`)
    })
}
