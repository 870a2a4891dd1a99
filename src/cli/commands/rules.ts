import type { Command } from 'commander'
import { CliError, table } from '../shell/terminal.ts'
import type { CliContext } from './context.ts'
import type { AdminContract } from '../../admin/contract/index.ts'
import type { AnswerOf } from '../../api/client.ts'
import type { HomeTime } from '../shell/home-time.ts'

/** Whether a rule runs by itself: on, paused or off. */
function stateOf({ enabled, paused }: { enabled: boolean; paused?: boolean }): string {
  return enabled ? (paused === true ? 'paused' : 'on') : 'off'
}

/** The first lines of what an object is: name, id, revision, who made it. */
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

/** What `on` and `off` need of a rule. */
interface Rule {
  readonly id: string
  readonly name: string
  readonly enabled: boolean
  readonly paused?: boolean | undefined
  readonly revision: number
}

interface RuleSwitch {
  readonly kind: 'automation' | 'schedule'
  readonly list: () => Promise<readonly Rule[]>
  /** Switches a rule and answers it, as the gateway does. */
  readonly send: (id: string, enabled: boolean) => Promise<{ readonly answer: object; readonly rule: Rule }>
}

/** `hm automation|schedule on|off`. */
function switchCommands(command: Command, context: () => CliContext, { kind, list, send }: RuleSwitch): void {
  for (const word of ['on', 'off'] as const)
    command
      .command(`${word} <id>`)
      .description(word === 'on' ? `let a ${kind} run by itself, by its id or name` : `keep a ${kind} from running`)
      .action(async (typed: string) => {
        const { answer, rule } = await send(idOf(typed, await list(), kind), word === 'on')
        context().show(answer, () => `${rule.name} (${rule.id}) is ${stateOf(rule)} now, revision ${rule.revision}.`)
      })
}

/** The id of the rule with this id or, where only one has it, this name. */
function idOf(typed: string, rules: readonly Rule[], kind: RuleSwitch['kind']): string {
  const named = rules.filter(({ name }) => name.toLowerCase() === typed.trim().toLowerCase())
  const [one] = rules.filter(({ id }) => id === typed).concat(named)
  if (one === undefined) throw new CliError(`There is no ${kind} ${typed}; \`bin/hm ${kind} list\` shows them.`)
  if (one.id === typed || named.length === 1) return one.id
  throw new CliError(
    `${named.length} ${kind}s have the name ${typed}: use an id, ${named.map(({ id }) => id).join(' or ')}.`,
  )
}

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
