import type { TestHome, TestIntegration } from './harness.ts'

/** Objects of the service as in section 2 of the specification; tests read responses as these types. */
export interface Gang {
  readonly id: string
  readonly name: string
  readonly class: string
  readonly gang: number
  readonly operations: readonly string[]
  readonly room: string | null
  readonly floor: string | null
  readonly light?: boolean | null
  readonly state: Record<string, unknown>
}

export interface Unit extends Omit<Gang, 'gang' | 'state'> {
  readonly kind: string
  readonly model: string | null
  readonly reachable: boolean
  readonly lastSeen: number | null
  readonly gang?: undefined
  readonly gangs?: readonly Gang[]
  readonly state?: Record<string, unknown>
}

export interface Room {
  readonly id: string
  readonly name: string
  readonly floor: string | null
  readonly units: readonly Unit[]
}

export interface House {
  readonly house: string
  readonly gateway: string
  readonly floors: readonly { readonly id: string; readonly name: string; readonly rooms: readonly Room[] }[]
  readonly rooms: readonly Room[]
  readonly units: readonly Unit[]
  readonly scenes: readonly {
    readonly id: string
    readonly name: string
    readonly room: string | null
    readonly floor: string | null
  }[]
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The house as an integration sees it. */
export async function houseOf(home: TestHome, integration: TestIntegration = home.main): Promise<House> {
  return (await home.get('/v1/house', integration.token)) as unknown as House
}

export function roomsOf({ floors, rooms }: House): Room[] {
  return [...floors.flatMap((floor) => floor.rooms), ...rooms]
}

/** All units and modules of all rooms and none. */
export function unitsOf(house: House): Unit[] {
  return [...roomsOf(house).flatMap((room) => room.units), ...house.units]
}

/** Units, modules and gangs. */
export function devicesOf(house: House): (Unit | Gang)[] {
  return unitsOf(house).flatMap((unit) => [unit, ...(unit.gangs ?? [])])
}

/** Every id in a house, without the prefix of the integration. */
export function localIdsOf(house: House): string[] {
  const ids = [...house.floors, ...roomsOf(house), ...devicesOf(house), ...house.scenes].map(({ id }) => id)
  return ids.map((id) => id.split(':').slice(2).join(':')).toSorted()
}
