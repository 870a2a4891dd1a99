import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { table, when } from '../print.ts'

interface SceneView {
  id: string
  name: string
  room: string | null
  floor: string | null
  revision: number
  createdBy: string | null
  running: boolean
  steps: string[]
  usedBy: string[]
}
interface AutomationView {
  id: string
  name: string
  enabled: boolean
  paused: boolean
  mode: string
  revision: number
  createdBy: string | null
  when: string[]
  if: string[]
  then: string[]
}
interface ScheduleView {
  id: string
  name: string
  enabled: boolean
  revision: number
  createdBy: string | null
  at: string
  next: number | null
  then: string[]
}
interface TrialView {
  name: string
  when: { text: string; next: number | null }[]
  if: { text: string; now: string | null; holds: boolean }[]
  then: string[]
  wouldRun: boolean
  because: string | null
}
interface RunView {
  kind: string
  id: string
  name: string
  at: number
  text: string
}

/** `hm scene …`. */
export function sceneCommands(program: Command, context: () => CliContext): void {
  const scene = program.command('scene').description('scenes in words; delete one')
  scene
    .command('list')
    .description('all scenes')
    .action(async () => {
      context().show(await context().client.call<{ scenes: SceneView[] }>('GET', '/scenes'), ({ scenes }) =>
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
      context().show(await context().client.call<{ scene: SceneView }>('GET', at('scenes', id)), ({ scene: view }) =>
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
    .action(async (id: string, options: { force?: boolean }) => {
      context().show(
        await context().client.call('DELETE', `${at('scenes', id)}${options.force === true ? '?force=true' : ''}`),
        () => `Deleted the scene ${id}.`,
      )
    })
}

/** `hm automation …`, with its dry run. */
export function automationCommands(program: Command, context: () => CliContext): void {
  const automation = program.command('automation').description('automations in words; try one, delete one')
  automation
    .command('list')
    .description('all automations')
    .action(async () => {
      const answer = await context().client.call<{ automations: AutomationView[] }>('GET', '/automations')
      context().show(answer, ({ automations }) =>
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
  automation
    .command('show <id>')
    .description('one automation in words')
    .action(async (id: string) => {
      context().show(
        await context().client.call<{ automation: AutomationView }>('GET', at('automations', id)),
        ({ automation: view }) =>
          [
            ...head(view, stateOf(view)),
            `  mode      ${view.mode}`,
            ...part('when', view.when),
            ...part('if', view.if),
            ...part('then', view.then),
          ].join('\n'),
      )
    })
  automation
    .command('delete <id>')
    .description('delete an automation')
    .action(async (id: string) => {
      context().show(
        await context().client.call('DELETE', at('automations', id)),
        () => `Deleted the automation ${id}.`,
      )
    })
  automation
    .command('try <id>')
    .description('what it would do if it were set off now; nothing is done')
    .action(async (id: string) => {
      context().show(
        await context().client.call<{ trial: TrialView }>('GET', `${at('automations', id)}/try`),
        ({ trial }) => describeTrial(trial),
      )
    })
  automation
    .command('next')
    .description('what the clock sets off in the coming days, automations and schedules')
    .option('--days <n>', 'so many days, 31 at most', '7')
    .action(async (options: { days: string }) => {
      context().show(
        await context().client.call<{ runs: RunView[] }>('GET', `/runs?days=${encodeURIComponent(options.days)}`),
        ({ runs }) =>
          runs.length === 0
            ? 'The clock sets nothing off.'
            : table(
                ['AT', 'WHAT', 'NAME', 'BECAUSE', 'ID'],
                runs.map((run) => [when(run.at), run.kind, run.name, run.text, run.id]),
              ),
      )
    })
}

/** `hm schedule …`. */
export function scheduleCommands(program: Command, context: () => CliContext): void {
  const schedule = program.command('schedule').description("the gateway's schedules in words; delete one")
  schedule
    .command('list')
    .description('all schedules')
    .action(async () => {
      context().show(await context().client.call<{ schedules: ScheduleView[] }>('GET', '/schedules'), ({ schedules }) =>
        schedules.length === 0
          ? 'No schedules yet.'
          : table(
              ['ID', 'NAME', 'STATE', 'AT', 'NEXT', 'REVISION', 'CREATED BY'],
              schedules.map((each) => [
                each.id,
                each.name,
                stateOf(each),
                each.at,
                when(each.next),
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
      context().show(
        await context().client.call<{ schedule: ScheduleView }>('GET', at('schedules', id)),
        ({ schedule: view }) =>
          [
            ...head(view, stateOf(view)),
            `  at        ${view.at}`,
            `  next      ${when(view.next)}`,
            ...part('then', view.then),
          ].join('\n'),
      )
    })
  schedule
    .command('delete <id>')
    .description('delete a schedule')
    .action(async (id: string) => {
      context().show(await context().client.call('DELETE', at('schedules', id)), () => `Deleted the schedule ${id}.`)
    })
}

const at = (what: string, id: string): string => `/${what}/${encodeURIComponent(id)}`

function stateOf({ enabled, paused }: { enabled: boolean; paused?: boolean }): string {
  return enabled ? (paused === true ? 'paused' : 'on') : 'off'
}

function head(
  { id, name, revision, createdBy }: { id: string; name: string; revision: number; createdBy: string | null },
  state: string | null,
): string[] {
  return [
    `${name}${state === null ? '' : `  (${state})`}`,
    `  id        ${id}`,
    `  revision  ${revision}`,
    `  made by   ${createdBy ?? 'an administrator'}`,
  ]
}

/** Lines under one heading, which stands before the first. */
function part(title: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `  ${(index === 0 ? title : '').padEnd(8)}  ${line}`)
}

function describeTrial({ name, when: triggers, if: conditions, then, wouldRun, because }: TrialView): string {
  return [
    wouldRun ? `${name} would run if it were set off now.` : `${name} would not run now. ${because ?? ''}`.trimEnd(),
    ...part(
      'when',
      triggers.map(({ text, next }) => (next === null ? text : `${text}, next ${when(next)}`)),
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
