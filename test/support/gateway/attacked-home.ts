import { readdirSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { TestHome } from './harness.ts'
import { exchangeBytes } from './raw-client.ts'
import { TestGateway } from './test-gateway.ts'
import { type RecordingLog, recordingLog } from '#support/recording-log.ts'

/** Open files of this process, the gateway included; null if the system cannot tell. */
function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return 0
  }
}

export interface AttackedCondition {
  /** Settings of the integration as it reads them. */
  readonly settings: object
  /** Response to a command. */
  readonly switched: unknown
  readonly defects: readonly string[]
  /** Number of files opened since the attack began. */
  readonly filesMore: number
}

/** A gateway under attack, a client of it, and its log. */
export class AttackedHome implements AsyncDisposable {
  readonly home: TestHome
  readonly #running: TestGateway
  readonly #log: RecordingLog
  readonly #filesAtFirst: number

  private constructor(home: TestHome, running: TestGateway, log: RecordingLog) {
    this.home = home
    this.#running = running
    this.#log = log
    this.#filesAtFirst = openFiles()
  }

  static async open(): Promise<AttackedHome> {
    const log = recordingLog()
    const running = await TestGateway.open({ log })
    const home = await TestHome.at('http', running)
    await home.get('/v1/house')
    // The first change opens the journal of the activity, which stays open.
    for (const on of [true, false]) await switchLight(home, on)
    await exchangeBytes(home.access(null), 'GET /v1/about HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    return new AttackedHome(home, running, log)
  }

  /** Headers with a credential. */
  signedHead(): string {
    return `Host: localhost\r\nAuthorization: Bearer ${this.home.main.token}\r\n`
  }

  /** The head of a request that has a body, with a credential. */
  post(...lines: readonly string[]): string {
    return `POST /v1/explain HTTP/1.1\r\n${this.signedHead()}${lines.map((line) => `${line}\r\n`).join('')}\r\n`
  }

  /** Condition of the gateway once the files opened meanwhile are closed again. */
  async condition(): Promise<AttackedCondition> {
    const { home } = this
    const { integration } = (await home.get('/v1/integration')) as { integration: { settings: object } }
    const { body } = await switchLight(home, true)
    const defects = this.#log.sentences('error')
    while (openFiles() > this.#filesAtFirst) await wait(5)
    return { settings: integration.settings, switched: body, defects, filesMore: openFiles() - this.#filesAtFirst }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.home[Symbol.asyncDispose]()
    await this.#running[Symbol.asyncDispose]()
  }
}

function switchLight(home: TestHome, on: boolean): Promise<{ readonly body: unknown }> {
  return home.call({ method: 'POST', path: home.at('hall-light', '/control'), body: { op: 'set_power', args: { on } } })
}
