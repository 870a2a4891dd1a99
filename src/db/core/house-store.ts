import {
  type Floor,
  type Group,
  type Gang,
  type HomeInfo,
  lightField,
  type Room,
  type Scene,
  type Unit,
  type RevisionMarks,
} from '../../home/model/house.ts'
import { type Calendar, type CalendarSource, sourceOf } from '../../home/model/calendars.ts'
import { type HomeMode, ownModes } from '../../home/model/modes.ts'
import type { SceneStep } from '../../home/model/steps.ts'
import type { HouseContent, HouseStore } from '../../home/ports/house-store.ts'
import type { Db } from '../database.ts'
import { AUTHOR_COLUMNS, authorsOf, authorValues, type AuthorRow, Columns } from './columns.ts'
import { continueFrom, lastNumberOf } from './numbers.ts'
import type { CoreDb } from './core-db.ts'
import type { RevisionMark } from './revision-mark.ts'
import { HOUSE } from './narrowed-access.ts'

const HOME = new Columns(
  ...['one', 'serial', 'name', 'time_zone', 'latitude', 'longitude', 'currency', 'quiet_from', 'quiet_until'],
)
const SCENE = new Columns(
  ...['id', 'name', 'icon', 'floor', 'room', 'steps', 'revision', 'edits', 'position', ...AUTHOR_COLUMNS],
)

const GROUP = new Columns(...['id', 'name', 'members', 'revision', 'edits', 'position', ...AUTHOR_COLUMNS])

type Light = 0 | 1 | null
type UnitRow = Omit<Unit, 'light' | 'gangs'> & { readonly light: Light }
interface HomeRow extends Omit<HomeInfo, 'quiet'> {
  readonly one: 1
  readonly serial: string
  readonly quietFrom: string | null
  readonly quietUntil: string | null
}
type CalendarRow = Pick<Calendar, 'id' | 'name'> & { readonly source: string }
type GangRow = Omit<Gang, 'light'> & { readonly unit: string; readonly light: Light }
type SceneRow = Omit<Scene, 'steps' | 'edits' | 'origin' | 'author'> &
  AuthorRow & { readonly steps: string; readonly edits: string }

interface GroupRow extends Pick<Group, 'id' | 'name' | 'revision' | 'position'>, AuthorRow {
  readonly members: string
  readonly edits: string
}

/** The house in core.db. */
export class SqliteHouse implements HouseStore {
  readonly revisions: RevisionMarks
  readonly #mark: RevisionMark
  readonly #core: Pick<CoreDb, 'db' | 'narrows'>
  readonly #db: Db

  constructor(core: Pick<CoreDb, 'db' | 'revisions' | 'narrows'>) {
    this.#core = core
    this.#db = core.db
    this.#mark = core.revisions
    this.revisions = core.revisions.of(core.db)
  }

  /** The gateway's serial, or null in a new database. */
  serial(): string | null {
    return this.#db.prepare<[], { serial: string }>('SELECT serial FROM home').get()?.serial ?? null
  }

  /** The home's time zone as it is stored. */
  timeZone(): string {
    return this.#db.prepare<[], string>('SELECT time_zone FROM home').pluck().get() ?? 'UTC'
  }

  /** Creates the home of a new database. */
  found(serial: string, info: HomeInfo): void {
    this.#db.prepare(`INSERT INTO home ${HOME.values}`).run({ one: 1, serial, ...infoValues(info) })
  }

  /** Returns true once in the life of a home, inside the change that creates its first integration. */
  welcome(): boolean {
    const welcomed = this.#db.prepare<[], number>('SELECT welcomed FROM home').pluck().get() !== 0
    return !welcomed && this.#db.prepare('UPDATE home SET welcomed = 1 WHERE welcomed = 0').run().changes === 1
  }

  load(): HouseContent {
    const db = this.#db
    const home = db.prepare<[], HomeRow>(`SELECT ${HOME.fields} FROM home`).get()
    if (home === undefined) throw new Error('The database contains no home.')
    const gangs = Map.groupBy(
      db.prepare<[], GangRow>('SELECT * FROM gangs ORDER BY unit, gang').all(),
      (row) => row.unit,
    )
    const modes = db.prepare<[], HomeMode>('SELECT id, name FROM modes ORDER BY position').all()
    const calendars = db
      .prepare<[], CalendarRow>('SELECT id, name, source FROM calendars ORDER BY position, id')
      .all()
      .map(({ source, ...row }): Calendar => ({ ...row, ...(JSON.parse(source) as CalendarSource) }))
    return {
      info: infoFromRow(home),
      floors: db.prepare<[], Floor>('SELECT id, name, position FROM floors ORDER BY position, id').all(),
      rooms: db.prepare<[], Room>('SELECT id, name, floor, position FROM rooms ORDER BY position, id').all(),
      units: db
        .prepare<[], UnitRow>('SELECT * FROM units ORDER BY position, id')
        .all()
        .map(({ light, ...row }) => ({
          ...row,
          ...lightFromRow(light),
          gangs: (gangs.get(row.id) ?? []).map(gangFromRow),
        })),
      scenes: db
        .prepare<[], SceneRow>(`SELECT ${SCENE.fields} FROM scenes ORDER BY position, id`)
        .all()
        .map(sceneFromRow),
      groups: db
        .prepare<[], GroupRow>(`SELECT ${GROUP.fields} FROM device_groups ORDER BY position, id`)
        .all()
        .map(groupFromRow),
      ...(modes.length > 0 && { modes }),
      ...(calendars.length > 0 && { calendars }),
    }
  }

  saveInfo(info: HomeInfo): void {
    this.#db
      .prepare(
        `UPDATE home SET name = @name, time_zone = @timeZone, latitude = @latitude, longitude = @longitude,
        currency = @currency, quiet_from = @quietFrom, quiet_until = @quietUntil`,
      )
      .run(infoValues(info))
  }

  saveRoom(room: Room): void {
    this.#moves('SELECT floor FROM rooms WHERE id = ?', room.id, [[room.floor]])
    this.#putRoom(room)
  }

  #putRoom(room: Room): void {
    this.#db
      .prepare(`INSERT INTO rooms (id, name, floor, position) VALUES (@id, @name, @floor, @position)
      ON CONFLICT (id) DO UPDATE SET name = @name, floor = @floor, position = @position`)
      .run(room)
  }

  saveUnits(units: readonly Unit[]): void {
    for (const { id, room, gangs } of units) {
      this.#moves('SELECT room FROM units WHERE id = ?', id, [[room]])
      const rooms = gangs.map((gang) => [gang.gang, gang.room])
      this.#moves('SELECT gang, room FROM gangs WHERE unit = ? ORDER BY gang', id, rooms)
    }
    const removeGangs = this.#db.prepare('DELETE FROM gangs WHERE unit = ?')
    const removeMoved = this.#db.prepare('DELETE FROM units WHERE id = ? AND address <> ?')
    for (const { id, address } of units) {
      removeGangs.run(id)
      removeMoved.run(id, address)
    }
    for (const unit of units) this.#putUnit(unit)
    // A replacement has no row in the outbox. A number of its own makes it a change for the copies.
    continueFrom(this.#db, 'activity_outbox', lastNumberOf(this.#db, 'activity_outbox') + 1)
  }

  /** Saves a unit without stored gangs. An unchanged address is not written again, because that costs an index. */
  #putUnit(unit: Unit): void {
    const db = this.#db
    const { id, name, address, model, class: its, room, position, light, gangs } = unit
    // Positional parameters: a house file imports thousands of rows at once.
    db.prepare(`INSERT INTO units (id, name, address, model, class, room, position, light) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET name = excluded.name, model = excluded.model, class = excluded.class, room = excluded.room,
      position = excluded.position, light = excluded.light`).run(
      id,
      name,
      address,
      model,
      its,
      room,
      position,
      lightInRow(light),
    )
    const insert = db.prepare('INSERT INTO gangs (unit, gang, name, class, room, light) VALUES (?, ?, ?, ?, ?, ?)')
    for (const gang of gangs) insert.run(unit.id, gang.gang, gang.name, gang.class, gang.room, lightInRow(gang.light))
  }

  saveScene(scene: Scene): void {
    this.#moves('SELECT floor, room FROM scenes WHERE id = ?', scene.id, [[scene.floor, scene.room]])
    this.#putScene(scene)
  }

  #putScene(scene: Scene): void {
    this.#mark.reach(scene.revision)
    const { steps, origin, author, edits, ...row } = scene
    const values = {
      ...row,
      steps: JSON.stringify(steps),
      edits: JSON.stringify(edits),
      ...authorValues({ origin, author }),
    }
    this.#db
      .prepare(`INSERT INTO scenes ${SCENE.values}
      ON CONFLICT (id) DO UPDATE SET name = @name, icon = @icon, floor = @floor, room = @room, steps = @steps, revision = @revision, edits = @edits,
      author_integration = @authorIntegration, author_link = @authorLink, position = @position`)
      .run(values)
  }

  removeScene(id: string): void {
    this.#core.narrows(HOUSE)
    this.#db.prepare('DELETE FROM scenes WHERE id = ?').run(id)
  }

  saveGroup(group: Group): void {
    this.#mark.reach(group.revision)
    const { members, origin, author, edits, ...row } = group
    const texts = { members: JSON.stringify(members), edits: JSON.stringify(edits) }
    this.#db
      .prepare(`INSERT INTO device_groups ${GROUP.values}
      ON CONFLICT (id) DO UPDATE SET name = @name, members = @members, revision = @revision, edits = @edits,
      author_integration = @authorIntegration, author_link = @authorLink, position = @position`)
      .run({ ...row, ...texts, ...authorValues({ origin, author }) })
  }

  removeGroup(id: string): void {
    this.#core.narrows(HOUSE)
    this.#db.prepare('DELETE FROM device_groups WHERE id = ?').run(id)
  }

  /** Stores the modes that not every home has. */
  saveModes(modes: readonly HomeMode[]): void {
    this.#db.prepare('DELETE FROM modes').run()
    const insert = this.#db.prepare('INSERT INTO modes (id, name, position) VALUES (?, ?, ?)')
    for (const [position, { id, name }] of ownModes(modes).entries()) insert.run(id, name, position)
  }

  /** A reading belongs to its source, and goes with it. */
  saveCalendars(calendars: readonly Calendar[]): void {
    const db = this.#db
    db.prepare('DELETE FROM calendars WHERE id NOT IN (SELECT value FROM json_each(?))').run(idsOf(calendars))
    const forget = db.prepare(
      'DELETE FROM calendar_readings WHERE calendar = @id AND NOT EXISTS (SELECT 1 FROM calendars WHERE id = @id AND source = @source)',
    )
    const put = db.prepare(`INSERT INTO calendars (id, name, source, position) VALUES (@id, @name, @source, @position)
      ON CONFLICT (id) DO UPDATE SET name = @name, source = @source, position = @position`)
    for (const [position, calendar] of calendars.entries()) {
      const { id, name } = calendar
      const row = { id, name, source: JSON.stringify(sourceOf(calendar)), position }
      forget.run({ id, source: row.source })
      put.run(row)
    }
  }

  /** A move hides a thing from integrations that see it through its room or floor. */
  #moves(sql: string, id: string, places: readonly (readonly unknown[])[]): void {
    const before = this.#db.prepare<[string], unknown[]>(sql).raw().all(id)
    if (before.length > 0 && JSON.stringify(before) !== JSON.stringify(places)) this.#core.narrows(HOUSE)
  }

  replace(content: HouseContent): void {
    this.#core.narrows(HOUSE)
    const db = this.#db
    db.exec('DELETE FROM scenes; DELETE FROM device_groups; DELETE FROM gangs;')
    this.#removeGone(content)
    this.saveInfo(content.info)
    const floor = db.prepare(`INSERT INTO floors (id, name, position) VALUES (@id, @name, @position)
      ON CONFLICT (id) DO UPDATE SET name = @name, position = @position`)
    for (const row of content.floors) floor.run(row)
    for (const room of content.rooms) this.#putRoom(room)
    for (const unit of content.units) this.#putUnit(unit)
    for (const scene of content.scenes) this.#putScene(scene)
    for (const group of content.groups) this.saveGroup(group)
    this.saveModes(content.modes ?? [])
    this.saveCalendars(content.calendars ?? [])
  }

  /**
   * Remaining rows are updated: deleting and inserting is twice the work. Units with new addresses are deleted too,
   * because two may have swapped.
   */
  #removeGone({ floors, rooms, units }: HouseContent): void {
    const db = this.#db
    db.prepare('DELETE FROM units WHERE (id, address) NOT IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))').run(
      JSON.stringify(units.map(({ id, address }) => [id, address])),
    )
    db.prepare('DELETE FROM rooms WHERE id NOT IN (SELECT value FROM json_each(?))').run(idsOf(rooms))
    db.prepare('DELETE FROM floors WHERE id NOT IN (SELECT value FROM json_each(?))').run(idsOf(floors))
  }
}

const idsOf = (things: readonly { readonly id: string }[]): string => JSON.stringify(things.map(({ id }) => id))

function gangFromRow(row: GangRow): Gang {
  return { gang: row.gang, name: row.name, class: row.class, room: row.room, ...lightFromRow(row.light) }
}

function lightFromRow(light: Light): Pick<Gang, 'light'> {
  return lightField(light === null ? null : light === 1)
}

function lightInRow(light: boolean | undefined): Light {
  return light === undefined ? null : light ? 1 : 0
}

function sceneFromRow(scene: SceneRow): Scene {
  const { originIntegration, originLink, authorIntegration, authorLink, position, ...row } = scene
  return {
    ...row,
    steps: JSON.parse(row.steps) as SceneStep[],
    edits: JSON.parse(row.edits) as Scene['edits'],
    ...authorsOf({ originIntegration, originLink, authorIntegration, authorLink }),
    position,
  }
}

function groupFromRow({ id, name, revision, position, ...row }: GroupRow): Group {
  const [members, edits] = [JSON.parse(row.members) as Group['members'], JSON.parse(row.edits) as Group['edits']]
  return { id, name, members, revision, edits, ...authorsOf(row), position }
}

function infoValues({ quiet, ...info }: HomeInfo): Omit<HomeRow, 'one' | 'serial'> {
  return { ...info, quietFrom: quiet?.from ?? null, quietUntil: quiet?.until ?? null }
}

function infoFromRow(row: HomeRow): HomeInfo {
  const { one: _, serial: __, quietFrom: from, quietUntil: until, ...info } = row
  return { ...info, ...(from === null || until === null ? {} : { quiet: { from, until } }) }
}
