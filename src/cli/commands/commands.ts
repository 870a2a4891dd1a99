import type { Command, CommandOptions } from 'commander'
import type { AdminContract } from '../../admin/contract/index.ts'
import type { AnswerOf, CallArguments } from '../../api/client.ts'
import type { HomeTime } from '../shell/home-time.ts'
import type { CliContext } from './context.ts'

export type Answer<N extends keyof AdminContract> = AnswerOf<AdminContract[N]>
/** A body of a request. */
export type Body<N extends keyof AdminContract> =
  CallArguments<AdminContract[N]> extends { readonly body: infer B } ? B : never

/** The endpoints that need at most an `id`. */
type Askable = {
  [N in keyof AdminContract]: { readonly id: string } extends CallArguments<AdminContract[N]> ? N : never
}[keyof AdminContract]

/** `hm` or a group of its commands, and the gateway that they ask. */
export class Commands {
  readonly #parent: Command
  readonly #context: () => CliContext

  constructor(parent: Command, context: () => CliContext) {
    this.#parent = parent
    this.#context = context
  }

  /** Known once a command runs. */
  get context(): CliContext {
    return this.#context()
  }

  /** A group of commands behind one more word. */
  group(word: string, description: string): Commands {
    return new Commands(this.command(word, description), this.#context)
  }

  /** A command whose options and action are still to come. */
  command(usage: string, description: string, options?: CommandOptions): Command {
    return this.#parent.command(usage, options).description(description)
  }

  /** A command that asks the gateway one thing and shows the answer. Its argument, if it has one, is the id. */
  asks<N extends Askable>(
    usage: string,
    description: string,
    name: N,
    text: (answer: Answer<N>, time: HomeTime, id: string) => string,
  ): void {
    this.command(usage, description).action(async (typed: unknown) => {
      const id = typeof typed === 'string' ? typed : ''
      const { context } = this
      const args = { id } as unknown as CallArguments<AdminContract[N]>
      await context.showTimes(
        () => context.client.ask(name, args),
        (answer, time) => text(answer, time, id),
      )
    })
  }
}
