import type { Command, CommandOptions } from 'commander'
import type { AdminContract } from '../../admin/contract/index.ts'
import type { AnswerOf, CallArguments } from '../../api/contract-client.ts'
import type { HomeTime } from '../shell/home-time.ts'
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

/** `hm` or a group of its commands, and the gateway of their requests. */
export class Commands {
  readonly #parent: Command
  readonly #context: () => CliContext

  constructor(parent: Command, context: () => CliContext) {
    this.#parent = parent
    this.#context = context
  }

  /** Available when a command runs. */
  get context(): CliContext {
    return this.#context()
  }

  /** A group of commands behind one more word. */
  group(word: string, description: string): Commands {
    return new Commands(this.command(word, description), this.#context)
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
