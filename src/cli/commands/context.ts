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
import { Client } from '../../api/client.ts'
import { HomeTime } from '../shell/home-time.ts'

/** A backup with a long history takes minutes. */
const ANSWER_WAIT_MS = 15 * 60_000

/** An answer of the gateway: its status, and its parsed body. */
interface AdminAnswer {
  readonly status: number
  readonly body: unknown
}

/** The connection was never made: the next place may have the gateway. */
const NOBODY_THERE: readonly string[] = ['ENOENT', 'ECONNREFUSED']
/** What was named as the data folder can be none. */
const NO_FOLDER: readonly string[] = ['ENOTDIR', 'ENAMETOOLONG', 'EINVAL']

/** Talks to the running gateway over its socket file, in the data folder or, where that takes none, elsewhere. */
export class AdminSocket {
  readonly #dataDir: string
  readonly #waitMs: number

  /** @param waitMs how long a whole answer may take */
  constructor(dataDir: string, waitMs = ANSWER_WAIT_MS) {
    this.#dataDir = dataDir
    this.#waitMs = waitMs
  }

  /**
   * One request, whose path includes its query; what is no JSON stays text. Throws a CliError where no gateway can be
   * asked.
   */
  async exchange(method: string, path: string, body?: unknown): Promise<AdminAnswer> {
    const answer = await this.#send(method, path, body)
    if (!answer.isJson) return { status: answer.status, body: answer.body }
    const parsed = parseJson(answer.body)
    if (!parsed.ok) throw new CliError('What answers at the socket file is no gateway: its answer cannot be read.')
    return { status: answer.status, body: parsed.value }
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
    return this.#where(
      (socketPath) =>
        new Promise((resolve, reject) => {
          request({ socketPath, path, agent: false }, resolve).on('error', reject).end()
        }),
    )
  }

  #send(method: string, path: string, body: unknown): Promise<Sent> {
    const waitMs = this.#waitMs
    return this.#where((socketPath) => sentTo(socketPath, { method, path, body, waitMs }))
  }

  /** Asks the first place where a gateway answers. */
  async #where<T>(ask: (socketPath: string) => Promise<T>): Promise<T> {
    const elsewhere = socketFolders(this.#dataDir, process.env).filter((folder) => isPrivate(folder, this.#dataDir))
    for (const folder of [this.#dataDir, ...elsewhere]) {
      try {
        return await ask(join(folder, ADMIN_SOCKET))
      } catch (error) {
        if (!NOBODY_THERE.includes(errorCode(error) ?? '')) throw this.#explain(error)
      }
    }
    throw this.#nobody()
  }

  #nobody(): CliError {
    return new NoGateway(
      takesNoWrites(this.#dataDir)
        ? `No gateway on the data folder ${this.#dataDir} can be reached. Its disk takes no writes, so its socket file would lie in ${socketFolders(this.#dataDir, process.env).join(' or ')}: start it, or look for it there as the user that runs it.`
        : `No gateway runs on the data folder ${this.#dataDir}. Start it with \`npm start\`, or name its folder with --data-dir or HM_DATA_DIR.`,
    )
  }

  #explain(error: unknown): CliError {
    if (errorCode(error) === 'EACCES')
      return new CannotAsk(
        `The gateway's socket in ${this.#dataDir} belongs to another user: run this as the user that runs the gateway.`,
      )
    if (NO_FOLDER.includes(errorCode(error) ?? ''))
      return new CannotAsk(`${this.#dataDir} can be no data folder: name it with --data-dir or HM_DATA_DIR.`)
    if (error instanceof DOMException && error.name === 'TimeoutError')
      return new CliError(
        `The gateway did not answer within ${this.#waitMs / 1_000} seconds: it hangs or has too much to do. Started as a service it is ended and started anew by itself; the log says why.`,
      )
    return new CliError(`The gateway could not be asked: ${error instanceof Error ? error.message : String(error)}.`)
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
    // What fails because it took too long says that.
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

/** A refusal as the gateway says it. */
export function refusalOf({ status, body }: AdminAnswer): CliError {
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {}
  const { code, message, appAction, retryAfter } = error
  return new CliError(typeof message === 'string' ? message : `The gateway answered ${status}.`, 1, {
    code: typeof code === 'string' ? code : 'unknown',
    appAction: typeof appAction === 'string' ? appAction : null,
    retryAfter: typeof retryAfter === 'number' ? retryAfter : null,
  })
}

/** So often a step that takes a while says that it goes on. */
const STILL_MS = 3_000

interface GlobalOptions {
  readonly json: boolean
  readonly dataDir: string
}

/** What every command needs: the gateway, and a way to answer as text or as JSON. */
export class CliContext {
  readonly client: Client<AdminContract>
  readonly socket: AdminSocket
  readonly json: boolean
  readonly dataDir: string

  /** @param waitMs how long the gateway may take over an answer; as long as its work may take where nothing is said */
  constructor({ dataDir, json }: GlobalOptions, waitMs?: number) {
    const socket = new AdminSocket(dataDir, waitMs)
    this.json = json
    this.dataDir = dataDir
    this.socket = socket
    this.client = new Client(adminContract, async ({ method, path, query, body }) => {
      const text = new URLSearchParams(query).toString()
      const answer = await socket.exchange(method, text === '' ? path : `${path}?${text}`, body)
      if (answer.status >= 300) throw refusalOf(answer)
      return answer.body
    })
  }

  /** The same for what a sound gateway answers at once. */
  within(waitMs: number): CliContext {
    return new CliContext(this, waitMs)
  }

  /** The home's calendar, as the gateway has it. */
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

  /** Says on standard error what takes a while, and every few seconds that it goes on; nothing with --json. */
  async during<T>(step: string, work: () => Promise<T>): Promise<T> {
    if (this.json) return work()
    const startedAt = performance.now()
    const seconds = (): number => Math.round((performance.now() - startedAt) / 1000)
    process.stderr.write(`${step} …\n`)
    const telling = setInterval(() => process.stderr.write(`  still at it, ${seconds()} s\n`), STILL_MS)
    try {
      return await work()
    } finally {
      clearInterval(telling)
    }
  }

  /** Prints the answer itself with --json, else what `text` makes of it. */
  show<T>(answer: T, text: (answer: T) => string): void {
    write(this.json ? JSON.stringify(answer, null, 2) : text(answer))
  }
}
