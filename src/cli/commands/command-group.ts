import type { Command, CommandOptions } from 'commander'
import type { AdminContract } from '../../admin/contract/index.ts'
import type { AnswerOf, CallArguments } from '../../api/contract-client.ts'
import type { HomeTime } from '../shell/home-time.ts'
import { idAmong, type NamedThing } from '../shell/named-thing.ts'
import type { CliContext } from './context.ts'

export type CallAnswer<N extends keyof AdminContract> = AnswerOf<AdminContract[N]>
/** Request body. */
export type CallBody<N extends keyof AdminContract> =
  CallArguments<AdminContract[N]> extends { readonly body: infer B } ? B : never

/** The option of commands that remove a thing which rules may name. */
export const FORCE = ['--force', 'even if rules name it, which are turned off'] as const

export interface Forced {
  readonly force?: true
}

export const forced = (force: true | undefined): { readonly force?: 'true' } => (force ? { force: 'true' } : {})

/** Endpoints that need at most an `id`. */
type Askable = {
  [N in keyof AdminContract]: { readonly id: string } extends CallArguments<AdminContract[N]> ? N : never
}[keyof AdminContract]

/** The things of a group of commands, which people type by id or name. */
interface NamedThings {
  /** Noun of a thing, as in `2 automations have the name …`. */
  readonly what: string
  readonly list: (context: CliContext) => Promise<readonly NamedThing[]>
}

/** `hm` or a group of its commands, and the gateway of their requests. */
export class Commands {
  readonly #parent: Command
  readonly #context: () => CliContext
  readonly #things: NamedThings | null

  constructor(parent: Command, context: () => CliContext, things: NamedThings | null = null) {
    this.#parent = parent
    this.#context = context
    this.#things = things
  }

  /** Available when a command runs. */
  get context(): CliContext {
    return this.#context()
  }

  /** A group of commands behind one more word; `things` are those that their ids may name. */
  group(word: string, description: string, things: NamedThings | null = null): Commands {
    return new Commands(this.command(word, description), this.#context, things)
  }

  /** The id of a thing of this group by its id or name; without a name list, the typed word. */
  async idOf(typed: string): Promise<string> {
    return this.#things === null ? typed : idAmong(typed, await this.#things.list(this.context), this.#things.what)
  }

  /** Adds a command without options and action. */
  command(usage: string, description: string, options?: CommandOptions): Command {
    return this.#parent.command(usage, options).description(description)
  }

  /** Adds a command that makes one request and shows the response. Its argument, if it has one, is the id. */
  asks<N extends Askable>(
    usage: string,
    description: string,
    name: N,
    text: (answer: CallAnswer<N>, time: HomeTime, id: string) => string,
  ): void {
    this.command(usage, description).action(async (typed: unknown) => {
      const id = typeof typed === 'string' ? await this.idOf(typed) : ''
      const { context } = this
      const args = { id } as unknown as CallArguments<AdminContract[N]>
      await context.showTimes(
        () => context.client.ask(name, args),
        (answer, time) => text(answer, time, id),
      )
    })
  }
}
