import { accessSync, constants } from 'node:fs'
import { errorCode } from '../../lib/files.ts'
import { isObject, parseJson } from '../../lib/json.ts'
import { isPrivate, socketFolders } from '../../lib/socket-places.ts'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ADMIN_SOCKET } from '../../settings/settings.ts'
import { request } from '../../lib/plain-http.ts'
import { CannotAsk, CliError, NoGateway, write } from '../shell/terminal.ts'
import { type AdminContract, adminContract } from '../../admin/contract/index.ts'
import { ContractClient } from '../../api/contract-client.ts'
import { HomeTime } from '../shell/home-time.ts'

/** Timeout of a response; a backup with a long history takes minutes. */
const ANSWER_WAIT_MS = 15 * 60_000

/** Response of the gateway with its parsed body. */
interface AdminAnswer {
  readonly status: number
  readonly body: unknown
}

/** Errors of a missing connection, after which the next socket folder is tried. */
const NO_CONNECTION: readonly string[] = ['ENOENT', 'ECONNREFUSED']
/** Errors of a path that cannot be a data folder. */
const NO_FOLDER: readonly string[] = ['ENOTDIR', 'ENAMETOOLONG', 'EINVAL']

/** Client of the running gateway's socket file, in the data folder or its substitute. */
export class AdminSocket {
  readonly #dataDir: string
  readonly #waitMs: number

  /** @param waitMs timeout of a complete response */
  constructor(dataDir: string, waitMs = ANSWER_WAIT_MS) {
    this.#dataDir = dataDir
    this.#waitMs = waitMs
  }

  /**
   * Sends a request; the path includes the query. A response that is not JSON stays text. Throws a CliError without a
   * gateway.
   */
  async exchange(method: string, path: string, body?: unknown): Promise<AdminAnswer> {
    const answer = await this.#send(method, path, body)
    if (!answer.isJson) return { status: answer.status, body: answer.body }
    const parsed = parseJson(answer.body)
    if (!parsed.ok) throw new CliError('The server at the socket file is not a gateway: its response cannot be read.')
    return { status: answer.status, body: parsed.value }
  }

  /** Lines of a stream until the gateway ends it; throws a CliError without a stream. */
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
      // A stopping gateway resets its streams.
      if (errorCode(error) !== 'ECONNRESET') throw error
    }
  }

  #open(path: string): Promise<IncomingMessage> {
    return this.#firstSocket(
      (socketPath) =>
        new Promise((resolve, reject) => {
          request({ socketPath, path, agent: false }, resolve).on('error', reject).end()
        }),
    )
  }

  #send(method: string, path: string, body: unknown): Promise<Sent> {
    const waitMs = this.#waitMs
    return this.#firstSocket((socketPath) => sentTo(socketPath, { method, path, body, waitMs }))
  }

  /** Uses the first socket folder where a gateway answers. */
  async #firstSocket<T>(ask: (socketPath: string) => Promise<T>): Promise<T> {
    const elsewhere = socketFolders(this.#dataDir, process.env).filter((folder) => isPrivate(folder, this.#dataDir))
    for (const folder of [this.#dataDir, ...elsewhere]) {
      try {
        return await ask(join(folder, ADMIN_SOCKET))
      } catch (error) {
        if (!NO_CONNECTION.includes(errorCode(error) ?? '')) throw this.#explain(error)
      }
    }
    throw this.#noGateway()
  }

  #noGateway(): CliError {
    return new NoGateway(
      takesNoWrites(this.#dataDir)
        ? `No gateway on the data folder ${this.#dataDir} can be reached. Its disk accepts no writes, so its socket file would be in ${socketFolders(this.#dataDir, process.env).join(' or ')}: start the gateway, or run this as the user that runs it.`
        : `No gateway runs on the data folder ${this.#dataDir}. Start it with \`npm start\`, or name its folder with --data-dir or HM_DATA_DIR.`,
    )
  }

  #explain(error: unknown): CliError {
    if (errorCode(error) === 'EACCES')
      return new CannotAsk(
        `The gateway's socket in ${this.#dataDir} belongs to another user: run this as the user that runs the gateway.`,
      )
    if (NO_FOLDER.includes(errorCode(error) ?? ''))
      return new CannotAsk(`${this.#dataDir} cannot be a data folder: set it with --data-dir or HM_DATA_DIR.`)
    if (error instanceof DOMException && error.name === 'TimeoutError')
      return new CliError(
        `The gateway did not answer within ${this.#waitMs / 1_000} seconds: it hangs or is overloaded. A service restarts by itself; the log has the reason.`,
      )
    return new CliError(`The request to the gateway failed: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

interface Question {
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly waitMs: number
}

interface Sent {
  readonly status: number
  readonly isJson: boolean
  readonly body: string
}

function sentTo(socketPath: string, { method, path, body, waitMs }: Question): Promise<Sent> {
  const payload = body === undefined ? undefined : JSON.stringify(body)
  const headers =
    payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }
  const signal = AbortSignal.timeout(waitMs)
  return new Promise((resolve, reject) => {
    // A timeout is reported as such, not as the resulting socket error.
    const failed = (error: Error): void => reject(signal.aborted ? (signal.reason as Error) : error)
    const sent = request(
      { socketPath, method, path, headers, signal, agent: false },
      (response) =>
        void text(response).then(
          (answer) =>
            resolve({
              status: response.statusCode ?? 0,
              isJson: response.headers['content-type']?.startsWith('application/json') === true,
              body: answer,
            }),
          failed,
        ),
    )
    sent.on('error', failed)
    sent.end(payload)
  })
}

function takesNoWrites(dataDir: string): boolean {
  try {
    accessSync(dataDir, constants.W_OK)
    return false
  } catch (error) {
    return errorCode(error) === 'EROFS'
  }
}

/** The gateway's refusal as an error. */
export function refusalOf({ status, body }: AdminAnswer): CliError {
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {}
  const { code, message, appAction, retryAfter } = error
  return new CliError(typeof message === 'string' ? message : `The gateway answered ${status}.`, 1, {
    code: typeof code === 'string' ? code : 'unknown',
    appAction: typeof appAction === 'string' ? appAction : null,
    retryAfter: typeof retryAfter === 'number' ? retryAfter : null,
  })
}

/** Interval of progress messages of a long step. */
const STILL_MS = 3_000

interface GlobalOptions {
  readonly json: boolean
  readonly dataDir: string
}

/** Context of the administrators' commands: the gateway, and the output as text or JSON. */
export class CliContext {
  readonly client: ContractClient<AdminContract>
  readonly socket: AdminSocket
  readonly json: boolean
  readonly dataDir: string

  /** @param waitMs timeout of a response; by default as long as the longest work may take */
  constructor({ dataDir, json }: GlobalOptions, waitMs?: number) {
    const socket = new AdminSocket(dataDir, waitMs)
    this.json = json
    this.dataDir = dataDir
    this.socket = socket
    this.client = new ContractClient(adminContract, async ({ method, path, query, body }) => {
      const text = new URLSearchParams(query).toString()
      const answer = await socket.exchange(method, text === '' ? path : `${path}?${text}`, body)
      if (answer.status >= 300) throw refusalOf(answer)
      return answer.body
    })
  }

  /** A context with a short timeout, for requests that a healthy gateway answers at once. */
  within(waitMs: number): CliContext {
    return new CliContext(this, waitMs)
  }

  /** Time formatter in the home's time zone. */
  async homeTime(): Promise<HomeTime> {
    return new HomeTime((await this.client.ask('home.show')).home.timeZone)
  }

  /**
   * Sends a request and shows its answer by a text with times in the home's time zone. The zone comes first: a change
   * that was made must not end in an error about the zone. Returns the answer.
   */
  async showTimes<T>(ask: () => Promise<T>, text: (answer: T, time: HomeTime) => string): Promise<T> {
    const time = this.json ? null : await this.homeTime()
    const answer = await ask()
    if (time === null) this.show(answer, () => '')
    else write(time.explained(text(answer, time)))
    return answer
  }

  /** Reports a long step and its progress on standard error; silent with --json. */
  async during<T>(step: string, work: () => Promise<T>): Promise<T> {
    if (this.json) return work()
    const startedAt = performance.now()
    const seconds = (): number => Math.round((performance.now() - startedAt) / 1000)
    process.stderr.write(`${step} …\n`)
    const progress = setInterval(() => process.stderr.write(`  still working, ${seconds()} s\n`), STILL_MS)
    try {
      return await work()
    } finally {
      clearInterval(progress)
    }
  }

  /** Prints the response as JSON with --json, else as `text` formats it. */
  show<T>(answer: T, text: (answer: T) => string): void {
    write(this.json ? JSON.stringify(answer, null, 2) : text(answer))
  }
}
