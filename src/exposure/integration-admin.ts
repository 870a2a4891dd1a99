import type { Cause } from '../home/model/cause.ts'
import type { UnitOfWork } from '../home/ports/activity-log.ts'
import type { Clock } from '../lib/clock.ts'
import { type Result, fail, ok } from '../lib/result.ts'
import type { Emitter } from '../lib/emitter.ts'
import type { Random } from '../lib/random.ts'
import type { AccessChange } from './access-change.ts'
import type { Exposure, Integration, IntegrationReader, IntegrationWriter, Pick } from './integration.ts'
import { offersStructure, pickKey } from './integration.ts'
import { DEFAULT_KNOBS, type KnobName, type Knobs } from './knobs.ts'

/** What an administrator changes of an integration; what is not given stays as it is. */
export interface IntegrationChange {
  readonly exposure?: Exposure | undefined
  readonly knobs?: Partial<Knobs> | undefined
  readonly enabled?: boolean | undefined
}

export interface IntegrationAdminParts {
  readonly store: IntegrationReader & IntegrationWriter
  readonly work: UnitOfWork
  readonly clock: Clock
  readonly random: Random
  readonly changes: Emitter<AccessChange>
}

/**
 * What an administrator does with integrations. Each change is one transaction with its activity row; an `AccessChange`
 * is emitted after it.
 */
export class IntegrationAdmin {
  readonly #parts: IntegrationAdminParts

  constructor(parts: IntegrationAdminParts) {
    this.#parts = parts
  }

  list(): readonly Integration[] {
    return this.#parts.store.list()
  }

  get(id: string): Integration | undefined {
    return this.#parts.store.get(id)
  }

  /** The error is one sentence about a knob that this exposure does not offer; nothing is stored then. */
  create(name: string, exposure: Exposure, knobs: Partial<Knobs>, cause: Cause): Result<Integration, string> {
    const refused = refusedKnob(knobs, exposure)
    if (refused !== null) return fail(refused)
    const made: Integration = {
      id: this.#parts.random.uuid(),
      name,
      enabled: true,
      exposure,
      knobs: { ...DEFAULT_KNOBS, ...knobs },
      createdAt: this.#parts.clock.now(),
    }
    this.#change(made, `integration ${name} created`, cause, () => this.#parts.store.insert(made))
    return ok(made)
  }

  /** As `create`; the answer is the integration as it is now. */
  change(integration: Integration, change: IntegrationChange, cause: Cause): Result<Integration, string> {
    const { exposure, knobs, enabled } = change
    const refused = refusedKnob(knobs ?? {}, exposure ?? integration.exposure)
    if (refused !== null) return fail(refused)
    let now = integration
    if (exposure) now = this.#setExposure(now, exposure, cause)
    if (knobs) now = this.#setKnobs(now, knobs, cause)
    if (enabled !== undefined) now = this.#setEnabled(now, enabled, cause)
    return ok(now)
  }

  #setKnobs(integration: Integration, knobs: Partial<Knobs>, cause: Cause): Integration {
    const changes = (Object.entries(knobs) as [KnobName, string][]).filter(
      ([name, value]) => integration.knobs[name] !== value,
    )
    const what =
      changes.length === 0
        ? 'knobs set as they were'
        : changes.map(([name, value]) => `${name} set to ${value}`).join(', ')
    return this.#update({ ...integration, knobs: { ...integration.knobs, ...knobs } }, what, cause)
  }

  #setExposure(integration: Integration, exposure: Exposure, cause: Cause): Integration {
    return this.#update(
      { ...integration, exposure },
      exposure.expose === 'All' ? 'exposes everything' : `exposes ${exposure.picks.length} picked things`,
      cause,
    )
  }

  #setEnabled(integration: Integration, enabled: boolean, cause: Cause): Integration {
    return this.#update({ ...integration, enabled }, enabled ? 'enabled' : 'disabled', cause)
  }

  remove(integration: Integration, cause: Cause): void {
    const what = `integration ${integration.name} deleted`
    this.#change(integration, what, cause, () => this.#parts.store.remove(integration.id), true)
  }

  /** Adds a pick to a Selected integration, inside a change that is already under way (a scene that it created). */
  addPick(integration: Integration, pick: Pick): void {
    const { exposure } = integration
    if (exposure.expose === 'All' || exposure.picks.some((each) => pickKey(each) === pickKey(pick))) return
    this.#parts.store.update({ ...integration, exposure: { expose: 'Selected', picks: [...exposure.picks, pick] } })
  }

  #update(integration: Integration, what: string, cause: Cause): Integration {
    this.#change(integration, what, cause, () => this.#parts.store.update(integration))
    return integration
  }

  #change(integration: Integration, what: string, cause: Cause, store: () => void, deleted = false): void {
    this.#parts.work.change((record) => {
      store()
      record({
        at: this.#parts.clock.now(),
        kind: 'access',
        subject: { kind: 'integration', id: integration.id },
        what,
        cause,
      })
    })
    this.#parts.changes.emit({ integration: integration.id, deleted })
  }
}

/** Spec 2.1: the knob structural is offered only where there is a structure to rename. */
function refusedKnob(knobs: Partial<Knobs>, exposure: Exposure): string | null {
  return knobs.structural !== 'on' || offersStructure(exposure)
    ? null
    : 'structural: is offered only to an integration that exposes everything, or a floor, or a room.'
}
