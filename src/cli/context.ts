import { type AdminContract, adminContract } from '../api/admin/contract/index.ts'
import { Client } from '../api/client.ts'
import { AdminSocket, refusalOf } from './admin-socket.ts'
import { write } from './print.ts'

export interface GlobalOptions {
  readonly json: boolean
  readonly dataDir: string
}

/** What every command needs: the gateway, and a way to answer as text or as JSON. */
export class CliContext {
  readonly client: Client<AdminContract>
  readonly socket: AdminSocket
  readonly json: boolean

  constructor({ dataDir, json }: GlobalOptions) {
    const socket = new AdminSocket(dataDir)
    this.json = json
    this.socket = socket
    this.client = new Client(adminContract, async ({ method, path, query, body }) => {
      const text = new URLSearchParams(query).toString()
      const answer = await socket.exchange(method, text === '' ? path : `${path}?${text}`, body)
      if (answer.status >= 300) throw refusalOf(answer)
      return answer.body
    })
  }

  /** Prints the answer itself with --json, else what `text` makes of it. */
  show<T extends object>(answer: T, text: (answer: T) => string): void {
    write(this.json ? JSON.stringify(answer, null, 2) : text(answer))
  }
}
