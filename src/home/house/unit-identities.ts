import type { Clock } from '../../lib/clock.ts'
import type { Emitter } from '../../lib/emitter.ts'
import { type HomeEvent, type Cause, GATEWAY_CAUSE } from '../model/events.ts'
import { type Unit, identityOf, isDifferentUnit, type UnitIdentity } from '../model/house.ts'
import type { ActivityLog } from '../ports/activity-log.ts'
import type { UnitBus } from '../ports/unit-bus.ts'
import type { StoredIdentity, UnitIdentityStore } from '../ports/house-store.ts'
import type { House } from './house.ts'

interface UnitIdentitiesParts {
  readonly house: Pick<House, 'units' | 'unitAt'>
  readonly bus: Pick<UnitBus, 'units' | 'onReport'>
  readonly events: Emitter<HomeEvent>
  readonly store: UnitIdentityStore
  readonly activity: Pick<ActivityLog, 'record'>
  readonly clock: Clock
}

/**
 * Detects that an id of the house names another physical unit: after an edit, an import or a restore, and when the
 * adapter lists another model at an address. Only this class reports it, with a `rebound` event and an activity entry;
 * every cache under the id subscribes (docs/devices.md#replaced-units). Identities are stored, so a change while the
 * gateway was stopped is detected at the next start.
 */
export class UnitIdentities {
  readonly #parts: UnitIdentitiesParts
  readonly #known: Map<string, StoredIdentity>
  readonly #stop: (() => void)[]

  constructor(parts: UnitIdentitiesParts) {
    this.#parts = parts
    this.#known = new Map(parts.store.load().map((stored) => [stored.unit, stored]))
    this.#stop = [
      parts.events.on((event) => {
        if (event.kind === 'structure') this.#compareAll(event.cause)
      }),
      parts.bus.onReport((report) => {
        if (report.kind === 'link' && report.down === null) this.#compareAll(GATEWAY_CAUSE)
        if (report.kind !== 'unit') return
        const unit = parts.house.unitAt(report.unit.address)
        if (unit !== undefined) this.#compare(unit, GATEWAY_CAUSE)
      }),
    ]
  }

  /** Detects units that were replaced while the gateway was stopped. Called after all subscribers are registered. */
  start(): void {
    this.#compareAll(GATEWAY_CAUSE)
  }

  stop(): void {
    for (const stop of this.#stop) stop()
  }

  /** Epoch ms since which the id names its present unit; 0 if it never named another one. */
  since(unit: string): number {
    return this.#known.get(unit)?.since ?? 0
  }

  #compareAll(cause: Cause): void {
    for (const unit of this.#parts.house.units.values()) this.#compare(unit, cause)
  }

  #compare(unit: Unit, cause: Cause): void {
    const known = this.#known.get(unit.id)
    const identity = withLastListing(identityOf(unit, this.#parts.bus.units.get(unit.address)), known?.identity)
    if (known === undefined) return this.#keep({ unit: unit.id, identity, since: 0 })
    if (!isDifferentUnit(known.identity, identity)) {
      if (JSON.stringify(identity) !== JSON.stringify(known.identity)) this.#keep({ ...known, identity })
      return
    }
    const at = this.#parts.clock.now()
    this.#keep({ unit: unit.id, identity, since: at })
    this.#parts.activity.record({
      at,
      kind: 'edited',
      subject: { kind: 'device', id: unit.id },
      what: 'replaced',
      cause,
      data: { replaced: true },
    })
    this.#parts.events.emit({ kind: 'rebound', unit: unit.id, cause, at })
  }

  #keep(stored: StoredIdentity): void {
    this.#known.set(stored.unit, stored)
    this.#parts.store.save(stored)
  }
}

/** The adapter's last listing of this address stays valid until the next one. */
function withLastListing(identity: UnitIdentity, before: UnitIdentity | undefined): UnitIdentity {
  if (identity.listed !== null || before?.address !== identity.address) return identity
  return { ...identity, listed: before.listed }
}
