import { listed } from '../shell/terminal.ts'
import { type CallAnswer, type Commands, FORCE, type Forced, forced } from './command-group.ts'
import type { HomeTime } from '../shell/home-time.ts'

/** State of a rule: on, paused or off. */
function stateOf({ enabled, paused }: Pick<Rule, 'enabled' | 'paused'>): string {
  return enabled ? (paused === true ? 'paused' : 'on') : 'off'
}

/** The same with the end of a temporary switch: `off until 2027-01-31 12:00:00`. */
function stateUntil(rule: Pick<Rule, 'enabled' | 'paused' | 'until'>, time: HomeTime): string {
  return `${stateOf(rule)}${rule.until === null ? '' : ` until ${time.when(rule.until)}`}`
}

/** Head of a description: name, id, revision, author. */
function head(
  { id, name, revision, createdBy }: { id: string; name: string; revision: number; createdBy: string | null },
  state: string | null,
): string[] {
  return [
    `${name}${state === null ? '' : `  (${state})`}`,
    `  id        ${id}`,
    `  revision  ${revision}`,
    `  created by ${createdBy ?? 'an administrator'}`,
  ]
}

/** Lines with a heading before the first one. */
function part(title: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `  ${(index === 0 ? title : '').padEnd(8)}  ${line}`)
}

/** Fields of a rule for `on` and `off`. */
interface Rule {
  readonly id: string
  readonly name: string
  readonly enabled: boolean
  readonly paused?: boolean | undefined
  readonly until: number | null
  readonly revision: number
  /** Only of schedules. */
  readonly next?: number | null
}

interface RuleSwitch {
  readonly kind: 'automation' | 'schedule'
  /** Switches a rule and returns the gateway's response. */
  readonly send: (
    id: string,
    body: { readonly enabled: boolean; readonly until: number | null },
  ) => Promise<{ readonly answer: object; readonly rule: Rule }>
}

const OTHER = { on: 'off', off: 'on' } as const

/** `hm automation|schedule on|off`. */
function switchCommands(rules: Commands, { kind, send }: RuleSwitch): void {
  for (const word of ['on', 'off'] as const)
    rules
      .command(
        `${word} <id>`,
        word === 'on' ? `let the ${kind} run by itself, by its id or name` : `keep the ${kind} from running`,
      )
      .option('--until <time>', `only until then: a time, or a span such as 2h; it is ${OTHER[word]} afterwards`)
      .action(async (typed: string, { until }: { readonly until?: string }) => {
        const { context } = rules
        const id = await rules.idOf(typed)
        const time = await context.homeTime()
        const end = until === undefined ? null : time.ahead(until, Date.now())
        const { answer, rule } = await send(id, { enabled: word === 'on', until: end })
        const ends = rule.until === null ? '' : ` until ${time.when(rule.until)}`
        const next = typeof rule.next === 'number' ? `, next run ${time.when(rule.next)}` : ''
        const text = `${rule.name} (${rule.id}) is ${stateOf(rule)} now${ends}${next}, revision ${rule.revision}.`
        context.show(answer, () => time.explained(text))
      })
}

/** `hm automation …`, with its dry run. */
export function automationCommands(program: Commands): void {
  const automation = program.group('automation', 'show automations in words; turn on, turn off, try or delete one', {
    what: 'automation',
    list: async ({ client }) => (await client.ask('automations.list')).automations,
  })
  automation.asks('list', 'list all automations', 'automations.list', ({ automations }, time) =>
    listed(automations, 'No automations yet.', {
      ID: ({ id }) => id,
      NAME: ({ name }) => name,
      STATE: (rule) => stateUntil(rule, time),
      WHEN: ({ when }) => when.join('; '),
      REVISION: ({ revision }) => revision,
      'CREATED BY': ({ createdBy }) => createdBy,
    }),
  )
  automation.asks('show <id>', 'show one automation in words', 'automations.show', ({ automation: view }, time) =>
    [
      ...head(view, stateUntil(view, time)),
      `  mode      ${view.mode}`,
      ...part('when', view.when),
      ...part('if', view.if),
      ...part('then', view.then),
    ].join('\n'),
  )
  deleteCommand(automation, 'automation', 'automations.delete')
  automation.asks(
    'try <id>',
    'predict the effect of triggering it now, without doing anything',
    'automations.try',
    describeTrial,
  )
  nextCommand(automation)
  switchCommands(automation, {
    kind: 'automation',
    send: async (id, body) => {
      const answer = await automation.context.client.ask('automations.switch', { id, body })
      return { answer, rule: answer.automation }
    },
  })
}

function nextCommand(automation: Commands): void {
  automation
    .command('next', 'list the scheduled runs of the coming days')
    .option('--days <n>', 'number of days, at most 31', '7')
    .action(async ({ days }: { days: string }) => {
      const { context } = automation
      await context.showTimes(
        () => context.client.ask('runs.next', { query: { days } }),
        ({ runs }, time) =>
          listed(runs, 'No run is scheduled.', {
            AT: ({ at }) => time.when(at),
            WHAT: ({ kind }) => kind,
            NAME: ({ name }) => name,
            BECAUSE: ({ text }) => text,
            ID: ({ id }) => id,
          }),
      )
    })
}

function describeTrial({ trial }: CallAnswer<'automations.try'>, time: HomeTime): string {
  const { name, when: triggers, if: conditions, then, wouldRun, because } = trial
  return [
    wouldRun ? `${name} would run if triggered now.` : `${name} would not run now. ${because ?? ''}`.trimEnd(),
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
export function scheduleCommands(program: Commands): void {
  const schedule = program.group('schedule', "show the gateway's schedules in words; turn on, turn off or delete one", {
    what: 'schedule',
    list: async ({ client }) => (await client.ask('schedules.list')).schedules,
  })
  schedule.asks('list', 'list all schedules', 'schedules.list', ({ schedules }, time) =>
    listed(schedules, 'No schedules yet.', {
      ID: ({ id }) => id,
      NAME: ({ name }) => name,
      STATE: (rule) => stateUntil(rule, time),
      AT: ({ at }) => at,
      NEXT: ({ next }) => time.when(next),
      REVISION: ({ revision }) => revision,
      'CREATED BY': ({ createdBy }) => createdBy,
    }),
  )
  schedule.asks('show <id>', 'show one schedule in words', 'schedules.show', ({ schedule: view }, time) =>
    [
      ...head(view, stateUntil(view, time)),
      `  at        ${view.at}`,
      `  next      ${time.when(view.next)}`,
      ...part('if', view.if),
      ...part('then', view.then),
    ].join('\n'),
  )
  deleteCommand(schedule, 'schedule', 'schedules.delete')
  switchCommands(schedule, {
    kind: 'schedule',
    send: async (id, body) => {
      const answer = await schedule.context.client.ask('schedules.switch', { id, body })
      return { answer, rule: answer.schedule }
    },
  })
}

function deleteCommand(
  group: Commands,
  what: 'automation' | 'schedule' | 'scene',
  call: 'automations.delete' | 'schedules.delete' | 'scenes.delete',
): void {
  group
    .command('delete <id>', `delete ${what === 'automation' ? 'an' : 'a'} ${what}`)
    .option(...FORCE)
    .action(async (typed: string, { force }: Forced) => {
      const { context } = group
      const id = await group.idOf(typed)
      context.show(await context.client.ask(call, { id, query: forced(force) }), () => `Deleted the ${what} ${id}.`)
    })
}

/** `hm scene …`. */
export function sceneCommands(program: Commands): void {
  const scene = program.group('scene', 'show scenes in words, or delete one', {
    what: 'scene',
    list: async ({ client }) => (await client.ask('scenes.list')).scenes,
  })
  scene.asks('list', 'list all scenes', 'scenes.list', ({ scenes }) =>
    listed(scenes, 'No scenes yet.', {
      ID: ({ id }) => id,
      NAME: ({ name }) => name,
      STEPS: ({ steps }) => steps.length,
      REVISION: ({ revision }) => revision,
      'CREATED BY': ({ createdBy }) => createdBy,
      '': ({ running }) => (running ? 'running' : ''),
    }),
  )
  scene.asks('show <id>', 'show one scene with its steps', 'scenes.show', ({ scene: view }) =>
    [
      ...head(view, view.running ? 'running' : null),
      ...(view.room ? [`  room      ${view.room}`] : []),
      ...(view.floor ? [`  floor     ${view.floor}`] : []),
      ...part('then', view.steps),
      ...part('used by', view.usedBy),
    ].join('\n'),
  )
  deleteCommand(scene, 'scene', 'scenes.delete')
}
