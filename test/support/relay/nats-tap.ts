import { jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { onTestFinished } from 'vitest'
import type { NatsServer } from './nats-server.ts'

interface TappedMessage {
  readonly subject: string
  /** Headers and content. */
  readonly text: string
}

/** Receives all messages over NATS, and reads all stored data. */
export class NatsTap {
  readonly messages: TappedMessage[] = []
  readonly #connection: NatsConnection

  private constructor(connection: NatsConnection) {
    this.#connection = connection
    connection.subscribe('>', {
      callback: (error, { subject, headers, data }) => {
        if (error !== null) throw error
        const headerLines =
          headers === undefined ? [] : [...headers].map(([name, values]) => `${name}: ${values.join()}`)
        this.messages.push({ subject, text: [...headerLines, Buffer.from(data).toString('utf8')].join('\n') })
      },
    })
  }

  /** Starts now. */
  static async at({ url }: NatsServer): Promise<NatsTap> {
    const connection = await connect({ servers: url })
    onTestFinished(() => connection.close())
    const tap = new NatsTap(connection)
    await tap.settled()
    return tap
  }

  /** Resolves when all messages that reached NATS before were received. */
  settled(): Promise<void> {
    return this.#connection.flush()
  }

  /** Subjects and contents of all current entries by stream. */
  async storedEntries(): Promise<ReadonlyMap<string, readonly TappedMessage[]>> {
    const { streams } = await jetstreamManager(this.#connection)
    const found = new Map<string, readonly TappedMessage[]>()
    for await (const { config, state } of streams.list()) {
      const entries: TappedMessage[] = []
      for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
        // An entry may have been replaced meanwhile.
        const entry = await streams.getMessage(config.name, { seq }).catch(() => null)
        if (entry !== null) entries.push({ subject: entry.subject, text: Buffer.from(entry.data).toString('utf8') })
      }
      found.set(config.name, entries)
    }
    return found
  }
}
