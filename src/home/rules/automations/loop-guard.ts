/** An automation that sets itself off more often than this within a minute is a loop (docs/automations.md#loops). */
export const SELF_TRIGGERS_MAX = 10
const WINDOW_MS = 60_000

/** Counts how often automations set themselves off. Times are monotonic milliseconds. */
export class LoopGuard {
  readonly #times = new Map<string, readonly number[]>()

  /** Counts one; true when that was one too many. */
  isLoop(automation: string, now: number): boolean {
    const recent = [...(this.#times.get(automation) ?? []).filter((time) => now - time < WINDOW_MS), now]
    if (recent.length > SELF_TRIGGERS_MAX) {
      this.#times.delete(automation)
      return true
    }
    this.#times.set(automation, recent)
    return false
  }

  forget(automation: string): void {
    this.#times.delete(automation)
  }
}
