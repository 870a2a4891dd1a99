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

/** Of the time after which the manager takes a silent service for hung: three signs of life fit into it. */
const SIGNS_OF_LIFE = 3
/**
 * A start that changes the databases may take so long: a backup of 2 GiB of history is written and checked first, then
 * its tables are changed (docs/backup.md#updates).
 */
export const UPDATE_MS_MAX = 3_600_000

/**
 * Tells the service manager how the gateway is, as sd_notify(3) describes; nothing where none asks for it. Node has no
 * datagram sockets in the file system, so systemd's own `systemd-notify` speaks for it (docs/administration.md#why).
 */
export class ServiceManager {
  readonly #parts: ServiceManagerParts
  readonly #socket: string | undefined
  /** After how long without a sign of life the manager ends the gateway; null where it does not watch. */
  readonly #silenceMs: number | null
  #stopSigns = (): void => {}
  /** Resolves once the manager was told the last state: a later one never comes before it. */
  #told: Promise<unknown> = Promise.resolve()
  #isMissing = false

  constructor(parts: ServiceManagerParts) {
    this.#parts = parts
    this.#socket = parts.env['NOTIFY_SOCKET'] || undefined
    this.#silenceMs = this.#socket === undefined ? null : silenceMs(parts)
  }

  /** Whether the manager ends a gateway that shows no sign of life. */
  get watches(): boolean {
    return this.#silenceMs !== null
  }

  /** The gateway serves from now on; `status` is one line for `systemctl status`, which every user may read. */
  ready(status: string): void {
    this.#tellNext('READY=1', `STATUS=${status}`, ...this.#watchdog(this.#silenceMs))
    if (this.#silenceMs === null) return
    this.#stopSigns()
    this.#stopSigns = every(this.#parts.clock, this.#silenceMs / SIGNS_OF_LIFE, () => void this.#tell('WATCHDOG=1'))
  }

  /**
   * The databases are changed first, at a start or after a restore, and the gateway is not to be ended meanwhile: a
   * manager that was told READY once waits by its watchdog, until `ready` sets that again.
   */
  updating(): void {
    const extended = `EXTEND_TIMEOUT_USEC=${UPDATE_MS_MAX * 1_000}`
    this.#tellNext(extended, 'STATUS=Changing the databases for this version', ...this.#watchdog(UPDATE_MS_MAX))
  }

  stopping(): void {
    this.#stopSigns()
    this.#tellNext('STOPPING=1', 'STATUS=Stopping')
  }

  /** After how long silence counts as hung from now on; nothing where the manager does not watch. */
  #watchdog(silenceMs: number | null): readonly string[] {
    return this.#silenceMs === null || silenceMs === null ? [] : [`WATCHDOG_USEC=${silenceMs * 1_000}`]
  }

  /** After what was told of the state before, for which `systemd-notify` itself waits a few seconds at most. */
  #tellNext(...state: readonly string[]): void {
    this.#told = this.#told.then(() => this.#tell(...state))
  }

  /** Resolves once it is told, or cannot be. */
  async #tell(...words: readonly string[]): Promise<void> {
    if (this.#socket === undefined) return
    const env = { NOTIFY_SOCKET: this.#socket, PATH: this.#parts.env['PATH'] }
    const child = spawn('systemd-notify', words, { env, stdio: 'ignore' })
    child.on('error', (error) => {
      if (!this.#isMissing)
        this.#parts.log.warn(
          { err: error },
          'The service manager cannot be told anything: systemd-notify does not run.',
        )
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
  /** Begins the guard of the event loop. */
  readonly guard: () => LoopGuard
}

/**
 * Whoever ends a gateway that hangs, and what they are told: the service manager, or where that does not watch the
 * guard of the event loop. Both hold from when the gateway first serves, also while it starts itself anew.
 */
export class Liveness {
  readonly #parts: LivenessParts
  #guard: LoopGuard | null = null

  constructor(parts: LivenessParts) {
    this.#parts = parts
  }

  /** The gateway serves from now on, for the first time or again; `status` is one line for every user. */
  serves(status: string): void {
    const { manager, guard } = this.#parts
    manager.ready(status)
    // A thread for what the service manager does already would be memory for nothing.
    if (!manager.watches) this.#guard ??= guard()
    this.#guard?.allow(STANDS_MS_MAX)
  }

  /** The databases are changed first, in which the event loop may stand for as long as that takes. */
  updating(): void {
    this.#parts.manager.updating()
    this.#guard?.allow(UPDATE_MS_MAX)
  }

  stopping(): void {
    this.#parts.manager.stopping()
  }
}
