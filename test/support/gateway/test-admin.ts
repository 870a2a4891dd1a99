import { AdminSocket, refusalOf } from '../../../src/cli/commands/context.ts'
import { checkAdminAnswer } from './conformance.ts'

/** Calls a gateway's administrators' API by path, and checks every response against its OpenAPI document. */
export class TestAdmin {
  readonly #socket: AdminSocket

  constructor(dataDir: string) {
    this.#socket = new AdminSocket(dataDir)
  }

  /** `path` follows `/admin/v1`. Returns the parsed body; a refusal becomes a CliError with its sentence. */
  async call<T extends object = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
    const whole = `/admin/v1${path}`
    const answer = await this.#socket.exchange(method, whole, body)
    checkAdminAnswer(method, whole, answer.status, answer.body)
    if (answer.status >= 300) throw refusalOf(answer)
    return answer.body as T
  }

  /** Yields the lines of a stream until the gateway ends it. */
  lines(path: string): AsyncGenerator<string> {
    return this.#socket.lines(`/admin/v1${path}`)
  }
}
