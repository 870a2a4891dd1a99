import { errorCode } from '../lib/files.ts'
import { isObject } from '../lib/json.ts'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ADMIN_SOCKET } from '../gateway/settings.ts'
import { CliError } from './cli-error.ts'

const ANSWER_WAIT_MS = 60_000

/** An answer of the gateway: its status, and its parsed body. */
export interface AdminAnswer {
  readonly status: number
  readonly body: unknown
}

/** Talks to the running gateway over the socket file in its data folder. */
export class AdminSocket {
  readonly #socketPath: string
  readonly #dataDir: string

  constructor(dataDir: string) {
    this.#dataDir = dataDir
    this.#socketPath = join(dataDir, ADMIN_SOCKET)
  }

  /** One request, whose path includes its query; throws a CliError where no gateway can be asked. */
  async exchange(method: string, path: string, body?: unknown): Promise<AdminAnswer> {
    const answer = await this.#send(method, path, body)
    return { status: answer.status, body: JSON.parse(answer.body) }
  }

  /** The lines of a stream as they come, until the gateway ends it; throws a CliError where there is none. */
  async *lines(path: string): AsyncGenerator<string> {
    const response = await this.#open(path)
    if (response.statusCode !== 200)
      throw refusalOf({ status: response.statusCode ?? 0, body: JSON.parse(await text(response)) })
    let rest = ''
    try {
      for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        yield* lines
      }
    } catch (error) {
      // A gateway that stops ends its streams in the middle.
      if (errorCode(error) !== 'ECONNRESET') throw error
    }
  }

  #open(path: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      request({ socketPath: this.#socketPath, path, agent: false }, resolve)
        .on('error', (error: NodeJS.ErrnoException) => reject(this.#explain(error)))
        .end()
    })
  }

  #send(method: string, path: string, body: unknown): Promise<{ status: number; body: string }> {
    const payload = body === undefined ? undefined : JSON.stringify(body)
    return new Promise((resolve, reject) => {
      const headers =
        payload === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }
      const sent = request(
        { socketPath: this.#socketPath, method, path, headers, timeout: ANSWER_WAIT_MS, agent: false },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
          )
        },
      )
      sent.on('timeout', () => sent.destroy(new Error('it took too long')))
      sent.on('error', (error: NodeJS.ErrnoException) => reject(this.#explain(error)))
      sent.end(payload)
    })
  }

  #explain(error: NodeJS.ErrnoException): CliError {
    if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') {
      return new CliError(
        `No gateway runs on the data folder ${this.#dataDir}. Start it with \`npm start\`, or name its folder with --data-dir or HM_DATA_DIR.`,
      )
    }
    if (error.code === 'EACCES')
      return new CliError(
        `The gateway's socket in ${this.#dataDir} belongs to another user: run this as the user that runs the gateway.`,
      )
    return new CliError(`The gateway could not be asked: ${error.message}.`)
  }
}

/** The sentence of a refusal. */
export function refusalOf({ status, body }: AdminAnswer): CliError {
  const error = isObject(body) ? body['error'] : undefined
  const message = isObject(error) && typeof error['message'] === 'string' ? error['message'] : null
  return new CliError(message ?? `The gateway answered ${status}.`)
}
