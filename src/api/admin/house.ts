import { LOCAL_ID } from '../../home/model/house.ts'
import type { House } from '../../home/house/house.ts'
import { previewImport } from '../../home/home-differences.ts'
import { type HomeFile, importHome, readHomeFile, writeHomeFile } from '../../home/home-file.ts'
import { openingWarnings } from '../../home/opening-warnings.ts'
import { placedUnit, unplaced } from '../../home/house/placing.ts'
import { classConflicts, conflictWords } from '../../home/house/bus-classes.ts'
import type { LiveHome } from '../../home/live/live-home.ts'
import type { OpeningPolicy } from '../../home/ports/opening-policy.ts'
import type { UnitBus } from '../../home/ports/unit-bus.ts'
import type { Rules } from '../../home/rules/rules.ts'
import type { IntegrationAdmin } from '../../exposure/integration-admin.ts'
import { RESERVED_UNIT_IDS } from '../../exposure/device-id.ts'
import type { AdminContract } from './contract/index.ts'
import type { AdminCall, AdminContent, AdminHandlersOf } from './dispatch.ts'
import { shownDifferences } from './preview.ts'

export interface HouseParts {
  readonly house: House
  readonly live: LiveHome
  readonly bus: UnitBus
  readonly rules: Pick<Rules, 'automations' | 'schedules'>
  /** Who may open what the file opens. */
  readonly opening: OpeningPolicy
  readonly integrations: Pick<IntegrationAdmin, 'list'>
  readonly defaultZone: string
}

type HouseNames = 'home.show' | 'home.set' | 'house.show' | 'house.export' | 'house.import' | 'house.place'

export function houseAdminHandlers(parts: HouseParts): AdminHandlersOf<Pick<AdminContract, HouseNames>> {
  const { house } = parts
  return {
    'home.show': () => ({ home: house.info }),
    'home.set': ({ body, cause }) => {
      const changes = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
      house.setInfo({ ...house.info, ...changes }, cause)
      return { home: house.info }
    },
    'house.show': () => {
      const content = house.content()
      return {
        ...content,
        units: content.units.map((unit) => ({ ...unit, reachable: parts.live.reachable(unit.id) })),
        unplaced: unplaced(house, parts.bus.units),
      }
    },
    'house.export': () => ({ file: writeHomeFile(parts) }),
    'house.import': (call) => imported(call, parts),
    'house.place': ({ body, cause, refuse }) => {
      if (body.unit !== undefined && (!LOCAL_ID.test(body.unit) || RESERVED_UNIT_IDS.has(body.unit))) {
        return refuse('validation', {
          message: 'unit: must be 1-40 lower-case letters, digits and dashes, and no reserved word.',
        })
      }
      const placed = placedUnit(house, parts.bus.units, body)
      if (!placed.ok) {
        const { kind, message } = placed.error
        return refuse(kind === 'not_there' ? 'not_found' : 'validation', { message })
      }
      house.placeUnit(placed.value, cause)
      return { unit: placed.value }
    },
  }
}

type ImportAnswer = AdminContent<AdminContract['house.import']>

function imported({ body, cause, refuse }: AdminCall<AdminContract['house.import']>, parts: HouseParts): ImportAnswer {
  const read = readHomeFile(body.file, parts.defaultZone, parts)
  if (!read.ok) return refuse('validation', { message: read.error })
  const warnings = [
    ...classConflicts(read.value.house.units, parts.bus.units).map((each) => conflictWords(each, 'file')),
    ...openingWarnings(read.value, parts.house, parts.opening),
  ]
  const preview = body.check ? previewOf(read.value, parts) : {}
  if (!body.check) importHome(read.value, parts, cause)
  const { floors, rooms, units, scenes } = read.value.house
  const { automations, schedules } = read.value.rules
  return {
    checked: body.check,
    floors: floors.length,
    rooms: rooms.length,
    units: units.length,
    scenes: scenes.length,
    automations: automations.length,
    schedules: schedules.length,
    ...preview,
    warnings,
  }
}

/** What an import would make of the home, and what integrations would then show that they do not show now. */
function previewOf(
  file: HomeFile,
  { house, rules, integrations }: HouseParts,
): Pick<ImportAnswer, 'differences' | 'integrations'> {
  const { differences, after } = previewImport(file, { house, rules })
  const now = { house, automations: rules.automations.list(), schedules: rules.schedules.list() }
  const then = { ...file.rules, house: house.supposing(after) }
  return {
    differences,
    integrations: integrations
      .list()
      .map((each) => ({ id: each.id, name: each.name, ...shownDifferences([each, now], [each, then]) }))
      .filter(({ appears, disappears }) => appears.length + disappears.length > 0),
  }
}
