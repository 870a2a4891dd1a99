import { readFileSync } from 'node:fs'
import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import { errorCode } from '@hm-gateway/lib/files.ts'
import type { Log } from '@hm-gateway/lib/log.ts'
import { type NatsSettings, SettingsError } from '../model/settings.ts'

export interface NatsLinkParts {
  readonly settings: NatsSettings
  /** How this node is called in NATS's own lists. */
  readonly name: string
  readonly log: Log
}

const CONNECT_MS = 5_000
/** Between two tries to connect anew; up to twice as long by chance. */
const RECONNECT_MS = 250
/** A server that leaves two pings unanswered is given up. */
const PING_EACH_MS = 10_000
const PINGS_UNANSWERED_MAX = 2

/** This node's connection to NATS. It is made anew for ever when it ends, and says meanwhile that it is not there. */
export class NatsLink {
  readonly connection: NatsConnection
  readonly #log: Log
  readonly #losses: (() => void)[] = []
  readonly #returns: (() => void)[] = []
  #isUp = true

  private constructor(connection: NatsConnection, log: Log) {
    this.connection = connection
    this.#log = log
    void this.#watch()
  }

  /** @throws SettingsError where no server lets the node in. */
  static async open({ settings, name, log }: NatsLinkParts): Promise<NatsLink> {
    const creds = settings.creds === null ? null : credentials(settings.creds)
    try {
      const connection = await connect({
        servers: [...settings.servers],
        name: `hm-relay ${name}`,
        noEcho: true,
        timeout: CONNECT_MS,
        maxReconnectAttempts: -1,
        reconnectTimeWait: RECONNECT_MS,
        reconnectJitter: RECONNECT_MS,
        reconnectJitterTLS: RECONNECT_MS,
        pingInterval: PING_EACH_MS,
        maxPingOut: PINGS_UNANSWERED_MAX,
        ignoreAuthErrorAbort: true,
        // Servers name each other: a node that none lets in would go from one to the next for ever, and never say so.
        ignoreClusterUpdates: true,
        ...(creds === null ? {} : { authenticator: credsAuthenticator(creds) }),
      })
      // The client forgets each server that was away when it first connected: the node could never move there.
      connection.setServers([...settings.servers])
      return new NatsLink(connection, log)
    } catch (error) {
      throw new SettingsError(
        `NATS does not let this node in at ${settings.servers.join(', ')} (${reason(error)}): see HM_RELAY_NATS and HM_RELAY_NATS_CREDS.`,
      )
    }
  }

  /** The address by which NATS sees this node. */
  get ownAddress(): string {
    return this.connection.info?.client_ip ?? '127.0.0.1'
  }

  /** What is asked while it is not up would wait for an answer that nobody gives. */
  get isUp(): boolean {
    return this.#isUp
  }

  /** Calls back each time the connection has ended. */
  onLoss(lost: () => void): void {
    this.#losses.push(lost)
  }

  /** Calls back each time the connection is there again: what was said meanwhile was not heard. */
  onReturn(returned: () => void): void {
    this.#returns.push(returned)
  }

  async close(): Promise<void> {
    await this.connection.close()
  }

  async #watch(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type === 'disconnect') {
        this.#isUp = false
        this.#log.warn({ server: status.server }, 'NATS is away; homes that this node holds are served.')
        for (const lost of this.#losses) lost()
      } else if (status.type === 'reconnect') {
        this.#isUp = true
        this.#log.warn({ server: status.server }, 'NATS is there again.')
        for (const returned of this.#returns) returned()
      } else if (status.type === 'error') this.#log.warn({ err: status.error }, 'NATS refused something.')
    }
    this.#isUp = false
  }
}

function credentials(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new SettingsError(`HM_RELAY_NATS_CREDS is "${file}", which cannot be read (${reason(error)}).`)
  }
}

function reason(error: unknown): string {
  return errorCode(error) ?? (error instanceof Error ? error.message : 'unknown reason')
}
