import { AdminClient } from './admin-client.ts'
import { write } from './print.ts'

export interface GlobalOptions {
  readonly json: boolean
  readonly dataDir: string
}

/** What every command needs: the gateway, and a way to answer as text or as JSON. */
export class CliContext {
  readonly client: AdminClient
  readonly #json: boolean

  constructor(options: GlobalOptions) {
    this.client = new AdminClient(options.dataDir)
    this.#json = options.json
  }

  get json(): boolean {
    return this.#json
  }

  /** Prints the answer itself with --json, else what `text` makes of it. */
  show<T extends object>(answer: T, text: (answer: T) => string): void {
    write(this.#json ? JSON.stringify(answer, null, 2) : text(answer))
  }
}
