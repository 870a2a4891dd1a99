import type { Floor, HomeInfo, Room, Scene, Unit } from '../model/house.ts'
import type { GivenRevisions } from '../model/revision.ts'

/** The whole home as it is stored, exported and imported. */
export interface HouseContent {
  readonly info: HomeInfo
  readonly floors: readonly Floor[]
  readonly rooms: readonly Room[]
  readonly units: readonly Unit[]
  readonly scenes: readonly Scene[]
}

/** Writes run inside `UnitOfWork.change`. */
export interface HouseStore {
  readonly revisions: GivenRevisions
  load(): HouseContent
  saveInfo(info: HomeInfo): void
  saveRoom(room: Room): void
  /** Inserts or replaces the unit with its gangs. */
  saveUnit(unit: Unit): void
  /** The same for several, which may have exchanged their addresses. */
  saveUnits(units: readonly Unit[]): void
  saveScene(scene: Scene): void
  removeScene(id: string): void
  /** Replaces everything: an import. */
  replace(content: HouseContent): void
}
