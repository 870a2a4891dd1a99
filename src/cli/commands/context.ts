import { type AdminContract, adminContract } from '../../admin/contract/index.ts'
import { Client } from '../../api/client.ts'
import { AdminSocket, refusalOf } from './admin-socket.ts'
import { HomeTime } from '../shell/home-time.ts'
import { write } from '../shell/print.ts'

/** So often a step that takes a while says that it goes on. */
const STILL_MS = 3_000

export interface GlobalOptions {
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

  /** The same as `show`, for texts with moments, which are the home's and say so. */
  async showTimes<T extends object>(answer: T, text: (answer: T, time: HomeTime) => string): Promise<void> {
    if (this.json) return this.show(answer, () => '')
    const time = await this.homeTime()
    write(time.explained(text(answer, time)))
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
  show<T extends object>(answer: T, text: (answer: T) => string): void {
    write(this.json ? JSON.stringify(answer, null, 2) : text(answer))
  }
}
