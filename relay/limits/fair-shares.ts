import { type AddressKeys, addressKeys } from '@hm-gateway/lib/network-of.ts'

/** Holders of a scarce resource that addresses share fairly. */
export class FairShares<T> {
  /** The oldest holder comes first. */
  readonly #holders = new Map<T, AddressKeys>()

  get size(): number {
    return this.#holders.size
  }

  add(holder: T, address: string): void {
    this.#holders.set(holder, addressKeys(address))
  }

  delete(holder: T): boolean {
    return this.#holders.delete(holder)
  }

  /** Removes the oldest holder; null if there is none. */
  takeOldest(): T | null {
    const [oldest] = this.#holders.keys()
    if (oldest === undefined) return null
    this.#holders.delete(oldest)
    return oldest
  }

  /**
   * Returns the holder to evict for a newcomer from this address: the oldest of the largest network in the largest
   * site. Returns null if the eviction would not make the shares more equal, so that the newcomer is refused.
   */
  victimFor(address: string): T | null {
    const own = addressKeys(address)
    const holders = [...this.#holders]
    const site = largest(holders, 'site', own)
    const ofSite = site === null ? holders.filter(([, keys]) => keys.site === own.site) : site
    const ofNetwork = largest(ofSite, 'network', own)
    if (site === null && ofNetwork === null) return null
    return (ofNetwork ?? ofSite)[0]?.[0] ?? null
  }
}

/** The largest group by a key, or null if one more holder would make the newcomer's group as large. */
function largest<T>(
  holders: readonly (readonly [T, AddressKeys])[],
  key: keyof AddressKeys,
  own: AddressKeys,
): readonly (readonly [T, AddressKeys])[] | null {
  const groups = Map.groupBy(holders, ([, keys]) => keys[key])
  const most = [...groups.values()].reduce((max, group) => (group.length > max.length ? group : max), [])
  return most.length >= (groups.get(own[key])?.length ?? 0) + 2 ? most : null
}
