import { readFileSync } from 'node:fs'
import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import { errorCode } from '@hm-gateway/lib/files.ts'
import type { Log } from '@hm-gateway/lib/log.ts'
import { type NatsSettings, SettingsError } from '../model/relay-settings.ts'

export interface NatsLinkParts {
  readonly settings: NatsSettings
  /** Name of this node in the connection lists of NATS. */
  readonly name: string
  readonly log: Log
}

const CONNECT_MS = 5_000
/** Time between two attempts to reconnect, plus up to as much again by chance. */
const RECONNECT_MS = 250
/** The node leaves a server that does not answer two pings. */
const PING_INTERVAL_MS = 10_000
const PINGS_UNANSWERED_MAX = 2

/** The connection of this node to NATS, which reconnects without limit. */
export class NatsLink {
  readonly connection: NatsConnection
  readonly #log: Log
  readonly #onDisconnect: (() => void)[] = []
  readonly #onReconnect: (() => void)[] = []
  #isUp = true

  private constructor(connection: NatsConnection, log: Log) {
    this.connection = connection
    this.#log = log
    void this.#watch()
  }

  /** @throws SettingsError if no server accepts the connection. */
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
        pingInterval: PING_INTERVAL_MS,
        maxPingOut: PINGS_UNANSWERED_MAX,
        ignoreAuthErrorAbort: true,
        // Servers announce each other. If all refuse the node, it would try one after the other and never report it.
        ignoreClusterUpdates: true,
        ...(creds === null ? {} : { authenticator: credsAuthenticator(creds) }),
      })
      // The client forgets each server that was away when it first connected: the node could never move there.
      connection.setServers([...settings.servers])
      return new NatsLink(connection, log)
    } catch (error) {
      throw new SettingsError(
        `NATS at ${settings.servers.join(', ')} refuses this node (${reason(error)}): check HM_RELAY_NATS and HM_RELAY_NATS_CREDS.`,
      )
    }
  }

  /** Address of this node as NATS sees it. */
  get ownAddress(): string {
    return this.connection.info?.client_ip ?? '127.0.0.1'
  }

  /** While false, requests would only time out. */
  get isUp(): boolean {
    return this.#isUp
  }

  onDisconnect(callback: () => void): void {
    this.#onDisconnect.push(callback)
  }

  /** Calls back after each reconnection: messages published in between were lost. */
  onReconnect(callback: () => void): void {
    this.#onReconnect.push(callback)
  }

  async close(): Promise<void> {
    await this.connection.close()
  }

  async #watch(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type === 'disconnect') {
        this.#isUp = false
        this.#log.warn(
          { server: status.server },
          'NATS is disconnected. Homes with a tunnel to this node are still served.',
        )
        for (const callback of this.#onDisconnect) callback()
      } else if (status.type === 'reconnect') {
        this.#isUp = true
        this.#log.warn({ server: status.server }, 'NATS is connected again.')
        for (const callback of this.#onReconnect) callback()
      } else if (status.type === 'error') this.#log.warn({ err: status.error }, 'NATS refused a request.')
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
