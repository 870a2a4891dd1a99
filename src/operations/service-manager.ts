import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Clock, every } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type LoopGuard, STANDS_MS_MAX } from './loop-guard.ts'

export interface ServiceManagerParts {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly pid: number
  readonly clock: Clock
  readonly log: Log
}

/** Signs of life within the watchdog time of the manager. */
const SIGNS_OF_LIFE = 3
/**
 * Longest start with a migration: it first writes and checks a backup of 2 GiB of history, then changes the tables
 * (docs/backup.md#updates).
 */
export const UPDATE_MS_MAX = 3_600_000

/**
 * Reports the state of the gateway to the service manager, as in sd_notify(3), if there is one. Node has no datagram
 * sockets in the file system, so systemd's own `systemd-notify` sends it (docs/administration.md#why).
 */
export class ServiceManager {
  readonly #parts: ServiceManagerParts
  readonly #socket: string | undefined
  /** Watchdog time of the manager; null without a watchdog. */
  readonly #silenceMs: number | null
  #stopSigns = (): void => {}
  /** Resolves when the last state was sent; later states wait for it. */
  #sent: Promise<unknown> = Promise.resolve()
  #isMissing = false

  constructor(parts: ServiceManagerParts) {
    this.#parts = parts
    this.#socket = parts.env['NOTIFY_SOCKET'] || undefined
    this.#silenceMs = this.#socket === undefined ? null : silenceMs(parts)
  }

  /** True if the manager has a watchdog. */
  get watches(): boolean {
    return this.#silenceMs !== null
  }

  /** Reports that the gateway serves; `status` is one line for `systemctl status`, which every user may read. */
  ready(status: string): void {
    this.#sendNext('READY=1', `STATUS=${status}`, ...this.#watchdog(this.#silenceMs))
    if (this.#silenceMs === null) return
    this.#stopSigns()
    this.#stopSigns = every(this.#parts.clock, this.#silenceMs / SIGNS_OF_LIFE, () => void this.#send('WATCHDOG=1'))
  }

  /**
   * Reports a migration at a start or after a restore, so that the manager does not end the gateway. After READY the
   * manager's limit is the watchdog, until `ready` sets it again.
   */
  updating(): void {
    const extended = `EXTEND_TIMEOUT_USEC=${UPDATE_MS_MAX * 1_000}`
    this.#sendNext(extended, 'STATUS=Changing the databases for this version', ...this.#watchdog(UPDATE_MS_MAX))
  }

  stopping(): void {
    this.#stopSigns()
    this.#sendNext('STOPPING=1', 'STATUS=Stopping')
  }

  /** Watchdog message for a new time; empty without a watchdog. */
  #watchdog(silenceMs: number | null): readonly string[] {
    return this.#silenceMs === null || silenceMs === null ? [] : [`WATCHDOG_USEC=${silenceMs * 1_000}`]
  }

  /** Sends a state after the previous one, for which `systemd-notify` itself waits a few seconds at most. */
  #sendNext(...state: readonly string[]): void {
    this.#sent = this.#sent.then(() => this.#send(...state))
  }

  /** Resolves when it is sent, or cannot be sent. */
  async #send(...words: readonly string[]): Promise<void> {
    if (this.#socket === undefined) return
    const env = { NOTIFY_SOCKET: this.#socket, PATH: this.#parts.env['PATH'] }
    const child = spawn('systemd-notify', words, { env, stdio: 'ignore' })
    child.on('error', (error) => {
      if (!this.#isMissing)
        this.#parts.log.warn({ err: error }, 'The service manager cannot be notified: systemd-notify does not run.')
      this.#isMissing = true
    })
    child.unref()
    await once(child, 'exit').catch(() => {})
  }
}

function silenceMs({ env, pid }: ServiceManagerParts): number | null {
  const isForUs = [undefined, '', String(pid)].includes(env['WATCHDOG_PID'])
  const micros = Number(env['WATCHDOG_USEC'])
  return isForUs && micros > 0 ? micros / 1_000 : null
}

interface LivenessParts {
  readonly manager: ServiceManager
  /** Starts the guard of the event loop. */
  readonly guard: () => LoopGuard
}

/**
 * Watchdog of a hung gateway: the service manager, or the guard of the event loop if the manager has none. It works
 * from the first serving on, also during restarts.
 */
export class Liveness {
  readonly #parts: LivenessParts
  #guard: LoopGuard | null = null

  constructor(parts: LivenessParts) {
    this.#parts = parts
  }

  /** Reports that the gateway serves, for the first time or again; `status` is one line for every user. */
  serves(status: string): void {
    const { manager, guard } = this.#parts
    manager.ready(status)
    // The service manager already watches, so a second guard would waste memory.
    if (!manager.watches) this.#guard ??= guard()
    this.#guard?.allow(STANDS_MS_MAX)
  }

  /** Reports a migration, during which the event loop may stall. */
  updating(): void {
    this.#parts.manager.updating()
    this.#guard?.allow(UPDATE_MS_MAX)
  }

  stopping(): void {
    this.#parts.manager.stopping()
  }
}
