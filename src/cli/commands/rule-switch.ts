import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import type { CliContext } from '../context.ts'
import { stateOf } from './rule-text.ts'

/** What `on` and `off` need of a rule. */
interface Rule {
  readonly id: string
  readonly name: string
  readonly enabled: boolean
  readonly paused?: boolean | undefined
  readonly revision: number
}

export interface RuleSwitch {
  readonly kind: 'automation' | 'schedule'
  readonly list: () => Promise<readonly Rule[]>
  /** Switches a rule and answers it, as the gateway does. */
  readonly send: (id: string, enabled: boolean) => Promise<{ readonly answer: object; readonly rule: Rule }>
}

/** `hm automation|schedule on|off`. */
export function switchCommands(command: Command, context: () => CliContext, { kind, list, send }: RuleSwitch): void {
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
