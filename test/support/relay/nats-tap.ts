import { jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { onTestFinished } from 'vitest'
import type { NatsServer } from './nats-server.ts'

interface Heard {
  readonly subject: string
  /** Headers and content. */
  readonly text: string
}

/** Hears all that passes over a NATS, whoever it is for, and reads what is kept there. */
export class NatsTap {
  readonly heard: Heard[] = []
  readonly #connection: NatsConnection

  private constructor(connection: NatsConnection) {
    this.#connection = connection
    connection.subscribe('>', {
      callback: (error, { subject, headers, data }) => {
        if (error !== null) throw error
        const said = headers === undefined ? [] : [...headers].map(([name, values]) => `${name}: ${values.join()}`)
        this.heard.push({ subject, text: [...said, Buffer.from(data).toString('utf8')].join('\n') })
      },
    })
  }

  /** From now on. */
  static async at({ url }: NatsServer): Promise<NatsTap> {
    const connection = await connect({ servers: url })
    onTestFinished(() => connection.close())
    const tap = new NatsTap(connection)
    await tap.settled()
    return tap
  }

  /** Resolves when all was heard that reached NATS before. */
  settled(): Promise<void> {
    return this.#connection.flush()
  }

  /** Subjects and contents of all entries that are in its streams now, by stream. */
  async kept(): Promise<ReadonlyMap<string, readonly Heard[]>> {
    const { streams } = await jetstreamManager(this.#connection)
    const found = new Map<string, readonly Heard[]>()
    for await (const { config, state } of streams.list()) {
      const entries: Heard[] = []
      for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
        // One that was replaced meanwhile is there no more.
        const entry = await streams.getMessage(config.name, { seq }).catch(() => null)
        if (entry !== null) entries.push({ subject: entry.subject, text: Buffer.from(entry.data).toString('utf8') })
      }
      found.set(config.name, entries)
    }
    return found
  }
}
