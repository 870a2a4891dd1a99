import { type LoopGuard, STANDS_MS_MAX } from './loop-guard.ts'
import { type ServiceManager, UPDATE_MS_MAX } from './service-manager.ts'

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
