import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { Cause } from '../../model/events.ts'
import type { Hold, RuleStore } from '../../ports/rule-store.ts'
import { KEPT_OVER_MS } from '../../model/rules.ts'
import type { TriggerWatch } from './trigger-index.ts'

interface Held {
  readonly since: number
  fired: boolean
  /** Whether the store knows of it. */
  kept: boolean
  cancel: () => void
}

interface HoldsParts {
  readonly clock: Clock
  readonly store: HoldStore
  readonly log: Log
  /** Since when the trigger's device is the unit that it is now, epoch ms: an older hold was another unit's. */
  readonly since: (watch: TriggerWatch) => number
  /** `stored`: it was stored just now that this one has set off. */
  readonly fire: (watch: TriggerWatch, by: Cause | undefined, stored: boolean) => void
}

/**
 * Triggers whose test must hold for `for` seconds. One that goes on holding sets off once, also across restarts: waits
 * of more than a minute are stored; a shorter one that was under way at a stop counts as done, since running twice
 * would be worse than not running once.
 */
export class Holds {
  readonly #parts: HoldsParts
  /** Writes that one event caused, which become one transaction; null while none are gathered. */
  #gathered: (() => void)[] | null = null
  readonly #held = new Map<string, Held>()
  readonly #restored = new Map<string, Hold>()
  /** Triggers whose device became another unit that was not heard yet. */
  readonly #unheard = new Set<string>()

  constructor(parts: HoldsParts) {
    this.#parts = parts
  }

  /** Takes the holds stored before a restart; each is compared with its device when that first reports. */
  restore(holds: readonly Hold[]): void {
    for (const hold of holds) this.#restored.set(`${hold.owner} ${hold.slot}`, hold)
  }

  /** Gathers what `run` writes into one commit, because one event may begin or end thousands of holds. */
  gather(run: () => void): void {
    const gathered: (() => void)[] = []
    this.#gathered = gathered
    try {
      run()
    } finally {
      this.#gathered = null
      if (gathered.length > 0)
        this.#write(() =>
          this.#parts.store.together(() => {
            for (const write of gathered) write()
          }),
        )
    }
  }

  /** The test has come true. */
  begins(watch: TriggerWatch, by: Cause | undefined): void {
    const key = keyOf(watch)
    this.#unheard.delete(key)
    if (this.#held.has(key)) return
    this.#restored.delete(key)
    this.#hold(watch, this.#parts.clock.now(), watch.forMs ?? 0, by)
    this.#keep(watch)
  }

  /** The test is true at the first report of a device after a start, so since when is not known. */
  known(watch: TriggerWatch, by: Cause | undefined): void {
    const key = keyOf(watch)
    if (this.#held.has(key)) return
    const stored = this.#restored.get(key)
    this.#restored.delete(key)
    const forMs = watch.forMs ?? 0
    // The first value of a new unit sets nothing off: nothing has begun.
    const isOfNewUnit = this.#unheard.delete(key) || (stored?.since ?? Infinity) < this.#parts.since(watch)
    if (stored === undefined && forMs > KEPT_OVER_MS && !isOfNewUnit) return this.begins(watch, by)
    if (stored === undefined || stored.fired || isOfNewUnit) {
      this.#held.set(key, {
        since: stored?.since ?? this.#parts.clock.now(),
        fired: true,
        kept: stored !== undefined,
        cancel: () => {},
      })
      return
    }
    const left = stored.since + forMs - this.#parts.clock.now()
    this.#hold(watch, stored.since, Math.min(Math.max(0, left), forMs), by)
  }

  /** The test is no longer true. */
  ends(watch: TriggerWatch): void {
    this.#unheard.delete(keyOf(watch))
    this.#drop(keyOf(watch), watch.automation, watch.slot)
  }

  /** The device became another unit, of which nothing is known. */
  replaced(watch: TriggerWatch): void {
    this.ends(watch)
    this.#unheard.add(keyOf(watch))
  }

  /** Forgets everything of an automation but the watches given. */
  retain(automation: string, watches: readonly TriggerWatch[]): void {
    const keep = new Set(watches.map((watch) => keyOf(watch)))
    for (const key of this.#unheard)
      if (split(key)[0] === ownerOf(automation) && !keep.has(key)) this.#unheard.delete(key)
    for (const key of [...this.#held.keys(), ...this.#restored.keys()]) {
      const [owner, slot] = split(key)
      if (owner === ownerOf(automation) && !keep.has(key)) this.#drop(key, automation, slot)
    }
  }

  has(watch: TriggerWatch): boolean {
    return this.#held.has(keyOf(watch))
  }

  halt(): void {
    for (const held of this.#held.values()) held.cancel()
    this.#held.clear()
  }

  #hold(watch: TriggerWatch, since: number, leftMs: number, by: Cause | undefined): void {
    const held: Held = { since, fired: false, kept: (watch.forMs ?? 0) > KEPT_OVER_MS, cancel: () => {} }
    held.cancel = this.#parts.clock.after(leftMs, () => {
      held.fired = true
      this.#keep(watch)
      this.#parts.fire(watch, by, held.kept)
    })
    this.#held.set(keyOf(watch), held)
  }

  #drop(key: string, automation: string, slot: string): void {
    const known = this.#held.get(key)
    const stored = this.#restored.get(key)
    if (known === undefined && stored === undefined) return
    known?.cancel()
    this.#held.delete(key)
    this.#restored.delete(key)
    if (known?.kept !== false) this.#write(() => this.#parts.store.dropHold(ownerOf(automation), slot))
  }

  #keep(watch: TriggerWatch): void {
    const held = this.#held.get(keyOf(watch))
    if (held?.kept !== true) return
    this.#write(() =>
      this.#parts.store.saveHold({
        owner: ownerOf(watch.automation),
        slot: watch.slot,
        since: held.since,
        fired: held.fired,
      }),
    )
  }

  #write(write: () => void): void {
    if (this.#gathered !== null) {
      this.#gathered.push(write)
      return
    }
    try {
      write()
    } catch (error) {
      this.#parts.log.error({ err: error }, 'A waiting trigger could not be stored; a restart will not know of it.')
    }
  }
}

type HoldStore = Pick<RuleStore, 'saveHold' | 'dropHold' | 'together'>

function ownerOf(automation: string): string {
  return `automation:${automation}`
}

function keyOf(watch: TriggerWatch): string {
  return `${ownerOf(watch.automation)} ${watch.slot}`
}

function split(key: string): [owner: string, slot: string] {
  const space = key.indexOf(' ')
  return [key.slice(0, space), key.slice(space + 1)]
}
