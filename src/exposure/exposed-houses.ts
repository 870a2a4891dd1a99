import type { House } from '../home/house/house.ts'
import { ExposedHouse } from './exposed-house.ts'
import type { GroupMembers } from './group-members.ts'
import type { Integration } from './integration.ts'

/** Exposed views, one for each integration, rebuilt only after a change of the integration or the house. */
export class ExposedHouses {
  readonly #house: House
  readonly #gateway: string
  readonly #groupMembers: GroupMembers
  readonly #views = new Map<string, { readonly revision: number; readonly view: ExposedHouse }>()

  constructor(house: House, gateway: string, groupMembers: GroupMembers) {
    this.#house = house
    this.#gateway = gateway
    this.#groupMembers = groupMembers
  }

  /** Number of changes of the house. */
  get revision(): number {
    return this.#house.revision
  }

  of(integration: Integration): ExposedHouse {
    const known = this.#views.get(integration.id)
    // The store reuses the object of an unchanged integration, so another object means a change of exposure or knobs.
    if (known && known.view.integration === integration && known.revision === this.#house.revision) return known.view
    const view = new ExposedHouse(this.#house, integration, this.#gateway, this.#groupMembers)
    this.#views.set(integration.id, { revision: this.#house.revision, view })
    return view
  }

  forget(integration: string): void {
    this.#views.delete(integration)
  }
}
