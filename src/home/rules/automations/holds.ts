import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { Cause } from '../../model/events.ts'
import type { Hold, RuleStore } from '../../ports/rule-store.ts'
import { STORED_HOLD_MS } from '../../model/rules.ts'
import type { TriggerWatch } from './trigger-index.ts'

interface ActiveHold {
  /** Steady ms. */
  readonly since: number
  fired: boolean
  readonly by: Cause | undefined
  /** True if it is in the store. */
  isStored: boolean
  cancel: () => void
}

interface HoldsParts {
  readonly clock: Clock
  /** Steady time in ms: it continues over restarts, and no clock jump changes it. */
  readonly steady: () => number
  readonly store: HoldStore
  readonly log: Log
  /**
   * Epoch ms since which the id of the trigger's device names the present unit: an older hold belongs to another unit.
   */
  readonly since: (watch: TriggerWatch) => number
  /** `stored`: it was stored just now that this trigger has fired. */
  readonly fire: (watch: TriggerWatch, by: Cause | undefined, stored: boolean) => void
}

/**
 * Triggers whose test must hold for `for` seconds. A test that stays true fires once, also across restarts. Waits of
 * more than a minute are stored. A shorter wait at a stop counts as fired, because running twice would be worse than
 * not running.
 */
export class Holds {
  readonly #parts: HoldsParts
  /** Writes of one event for one transaction; null outside of it. */
  #gathered: (() => void)[] | null = null
  readonly #held = new Map<string, ActiveHold>()
  readonly #restored = new Map<string, Hold>()
  /** Triggers whose device was replaced by a unit that has not reported yet. */
  readonly #unreported = new Set<string>()

  constructor(parts: HoldsParts) {
    this.#parts = parts
  }

  /** Takes the holds stored before a restart; each is compared with its device's first report. */
  restore(holds: readonly Hold[]): void {
    for (const hold of holds) this.#restored.set(`${hold.owner} ${hold.slot}`, hold)
  }

  /** Gathers the writes of `run` into one commit, because one event may start or end thousands of holds. */
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

  /** Starts a hold: the test has become true. */
  begins(watch: TriggerWatch, by: Cause | undefined): void {
    const key = keyOf(watch)
    this.#unreported.delete(key)
    if (this.#held.has(key)) return
    this.#restored.delete(key)
    this.#hold(watch, this.#parts.steady(), watch.forMs ?? 0, by)
    this.#save(watch)
  }

  /** Takes a test that is true at a device's first report after a start: its beginning is unknown. */
  known(watch: TriggerWatch, by: Cause | undefined): void {
    const key = keyOf(watch)
    if (this.#held.has(key)) return
    const stored = this.#restored.get(key)
    this.#restored.delete(key)
    const forMs = watch.forMs ?? 0
    // The first value of a new unit triggers nothing, because nothing has changed.
    const isOfNewUnit = this.#unreported.delete(key) || this.#wallAt(stored?.since) < this.#parts.since(watch)
    const mayBegin = forMs > STORED_HOLD_MS && !isOfNewUnit && !asksForCause(watch)
    if (stored === undefined && mayBegin) return this.begins(watch, by)
    if (stored === undefined || stored.fired || isOfNewUnit) {
      this.#held.set(key, {
        since: stored?.since ?? this.#parts.steady(),
        fired: true,
        by,
        isStored: stored !== undefined,
        cancel: () => {},
      })
      return
    }
    const remainingMs = stored.since + forMs - this.#parts.steady()
    this.#hold(watch, stored.since, Math.min(Math.max(0, remainingMs), forMs), stored.cause ?? by)
  }

  /** Ends a hold: the test is no longer true. */
  ends(watch: TriggerWatch): void {
    this.#unreported.delete(keyOf(watch))
    this.#drop(keyOf(watch), watch.automation, watch.slot)
  }

  /** Ends the hold of a replaced unit; the state of the new one is unknown. */
  replaced(watch: TriggerWatch): void {
    this.ends(watch)
    this.#unreported.add(keyOf(watch))
  }

  /** Drops the holds of an automation that have no watch in `watches`. A watch of a group keeps those of its devices. */
  retain(automation: string, watches: readonly Pick<TriggerWatch, 'automation' | 'slot'>[]): void {
    const keys = new Set(watches.map((watch) => keyOf(watch)))
    const isKept = (key: string): boolean => keys.has(withoutDevice(key))
    for (const key of this.#unreported)
      if (split(key)[0] === ownerOf(automation) && !isKept(key)) this.#unreported.delete(key)
    for (const key of [...this.#held.keys(), ...this.#restored.keys()]) {
      const [owner, slot] = split(key)
      if (owner === ownerOf(automation) && !isKept(key)) this.#drop(key, automation, slot)
    }
  }

  has(watch: TriggerWatch): boolean {
    return this.#held.has(keyOf(watch))
  }

  halt(): void {
    for (const held of this.#held.values()) held.cancel()
    this.#held.clear()
  }

  /** The wall clock at a steady time, by the present clocks. */
  #wallAt(steady = Infinity): number {
    return this.#parts.clock.now() - (this.#parts.steady() - steady)
  }

  #hold(watch: TriggerWatch, since: number, leftMs: number, by: Cause | undefined): void {
    const isStored = (watch.forMs ?? 0) > STORED_HOLD_MS
    const hold: ActiveHold = { since, fired: false, by, isStored, cancel: () => {} }
    hold.cancel = this.#parts.clock.after(leftMs, () => {
      hold.fired = true
      this.#save(watch)
      this.#parts.fire(watch, by, hold.isStored)
    })
    this.#held.set(keyOf(watch), hold)
  }

  #drop(key: string, automation: string, slot: string): void {
    const known = this.#held.get(key)
    const stored = this.#restored.get(key)
    if (known === undefined && stored === undefined) return
    known?.cancel()
    this.#held.delete(key)
    this.#restored.delete(key)
    if (known?.isStored !== false) this.#write(() => this.#parts.store.dropHold(ownerOf(automation), slot))
  }

  #save(watch: TriggerWatch): void {
    const held = this.#held.get(keyOf(watch))
    if (held?.isStored !== true) return
    this.#write(() =>
      this.#parts.store.saveHold({
        owner: ownerOf(watch.automation),
        slot: watch.slot,
        since: held.since,
        fired: held.fired,
        cause: held.by ?? null,
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
      this.#parts.log.error({ err: error }, 'A waiting trigger could not be stored. A restart would lose it.')
    }
  }
}

type HoldStore = Pick<RuleStore, 'saveHold' | 'dropHold' | 'together'>

/** True if the trigger asks for the cause of the change, which is unknown after a start. */
export function asksForCause({ trigger }: TriggerWatch): boolean {
  return 'by' in trigger && trigger.by !== undefined
}

function ownerOf(automation: string): string {
  return `automation:${automation}`
}

function keyOf(watch: Pick<TriggerWatch, 'automation' | 'slot'>): string {
  return `${ownerOf(watch.automation)} ${watch.slot}`
}

/** The key of a hold of a group, whose slot is an object and a device; other keys end with the object. */
function withoutDevice(key: string): string {
  return key.slice(0, key.lastIndexOf('}') + 1)
}

function split(key: string): [owner: string, slot: string] {
  const space = key.indexOf(' ')
  return [key.slice(0, space), key.slice(space + 1)]
}
