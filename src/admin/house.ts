import { LOCAL_ID, RESERVED_UNIT_IDS, type Unit } from '../home/model/house.ts'
import type { House } from '../home/house/house.ts'
import {
  previewImport,
  checkedAgainstHome,
  type HomeFile,
  importHome,
  writeHomeFile,
  mostRemoved,
} from '../home/home-file.ts'
import { quietField } from '../home/house/house-file.ts'
import { openingWarnings } from '../home/opening-warnings.ts'
import { placedUnit, unplaced, classConflicts, conflictWords } from '../home/house/placing.ts'
import type { LiveHome } from '../home/live/live-home.ts'
import type { OpeningPolicy, UnitBus } from '../home/ports/unit-bus.ts'
import { type CostSources, relabelledCosts } from '../home/record/tariffs.ts'
import type { Rules } from '../home/rules/rules.ts'
import { type IntegrationAdmin, showsMore } from '../exposure/integration-admin.ts'
import { nextTurn } from '../lib/next-turn.ts'
import type { Result } from '../lib/result.ts'
import { Refusal, type Refuse } from '../api/errors.ts'
import type { house as declared } from './contract/house.ts'
import { type AdminCaller, type AdminCall, type AdminContent, type AdminHandlersOf, refuseStale } from './dispatch.ts'
import { leavingDevices, type PastSources } from './leaving-devices.ts'
import { visibleDifferences } from './shown-things.ts'

export interface HouseParts {
  readonly past: CostSources & PastSources
  readonly house: House
  readonly live: LiveHome
  readonly bus: UnitBus
  readonly rules: Pick<Rules, 'automations' | 'schedules'>
  /** Policy for opening the locks and gates in the file. */
  readonly opening: OpeningPolicy
  readonly integrations: Pick<IntegrationAdmin, 'get' | 'list'>
  /** Parses a file of any size without blocking others; it is not checked against the home yet. */
  readonly readFile: (text: string) => Promise<Result<HomeFile, string>>
  /** Makes a backup and returns its name. */
  readonly makeBackup: (by: Pick<AdminCaller, 'cause' | 'isOperator'>) => Promise<string>
}

export function houseAdminHandlers(parts: HouseParts): AdminHandlersOf<Omit<typeof declared, 'intents.show'>> {
  const { house } = parts
  return {
    'home.show': () => ({ home: house.info }),
    'home.set': ({ body: { relabelCosts, quiet, ...body }, cause, refuse }) => {
      const changes = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
      const relabelled = relabelledCosts(house.info.currency, body.currency ?? house.info.currency, parts.past)
      if (relabelled !== null && relabelCosts !== true) return refuseRelabelling(relabelled, refuse)
      const { quiet: before, ...info } = house.info
      house.setInfo({ ...info, ...changes, ...quietField(quiet === undefined ? before : quiet) }, cause)
      return { home: house.info }
    },
    'house.show': () => {
      const content = house.content()
      return {
        ...content,
        calendars: (content.calendars ?? []).map(({ id, name }) => ({ id, name })),
        units: content.units.map((unit) => ({ ...unit, reachable: parts.live.reachable(unit.id) })),
        unplaced: unplaced(house, parts.bus.units),
      }
    },
    'house.export': async () => ({ file: await writeHomeFile(parts) }),
    'house.import': (call) => importFile(call, parts),
    'house.place': ({ body, cause, by, refuse }) => {
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
      if (!by.fresh && showsMoreWith(placed.value, parts)) refuseStale(by)
      house.placeUnit(placed.value, cause)
      return { unit: placed.value }
    },
  }
}

/** True if an integration would show more devices after the placing of this unit. */
function showsMoreWith(placed: Unit, { house, integrations }: Pick<HouseParts, 'house' | 'integrations'>): boolean {
  const content = house.content()
  const others = content.units.filter(({ id }) => id !== placed.id)
  const after = house.hypothetical({ ...content, units: [...others, placed] })
  return integrations.list().some(({ exposure }) => showsMore(exposure, house, after))
}

/** Refuses a change of currency that has not been confirmed, because it would relabel all amounts. */
function refuseRelabelling(relabelled: string, refuse: Refuse): never {
  return refuse('validation', {
    message: `currency: ${relabelled} If that is right, confirm it with relabelCosts: true (on the command line --relabel-costs), then set a tariff in the new currency.`,
  })
}

type ImportAnswer = AdminContent<(typeof declared)['house.import']>

async function importFile(
  { body, cause, by, refuse }: AdminCall<(typeof declared)['house.import']>,
  parts: HouseParts,
): Promise<ImportAnswer> {
  const parsed = await parts.readFile(body.file)
  // The work for thousands of units is split over several turns, so that others do not wait.
  await nextTurn()
  const ready = (): unknown => by.holds() || refuse('unauthorized')
  ready()
  const read = parsed.ok ? checkedAgainstHome(parsed.value, parts) : parsed
  if (!read.ok) return refuse('validation', { message: read.error })
  const relabelled = relabelledCosts(parts.house.info.currency, read.value.house.info.currency, parts.past)
  if (relabelled !== null && !body.check && body.relabelCosts !== true) return refuseRelabelling(relabelled, refuse)
  const warnings = [
    ...(relabelled === null ? [] : [relabelled]),
    ...classConflicts(read.value.house.units, parts.bus.units).map((conflict) => conflictWords(conflict, 'file')),
    ...openingWarnings(read.value, parts.house, parts.opening),
  ]
  const removesMost = mostRemoved(read.value, parts)
  if (removesMost !== null && !body.check && !body.yes)
    refuse('validation', { message: unconfirmedRemoval(removesMost) })
  await nextTurn()
  const preview = body.check ? await previewOf(read.value, parts) : {}
  const backup = removesMost !== null && !body.check ? await backupBefore(by, parts, refuse) : null
  if (!body.check) await importHome(read.value, parts, cause, ready)
  const { floors, rooms, units, scenes, groups } = read.value.house
  const { automations, schedules } = read.value.rules
  return {
    checked: body.check,
    floors: floors.length,
    rooms: rooms.length,
    units: units.length,
    scenes: scenes.length,
    groups: groups.length,
    automations: automations.length,
    schedules: schedules.length,
    removesMost,
    backup,
    ...preview,
    warnings,
  }
}

const unconfirmedRemoval = (removesMost: string): string =>
  `This file would remove ${removesMost}, so nothing was imported. Check it with --dry-run, then import it with --yes (in the API \`"yes": true\`).`

/** Makes a backup before an import that removes most of the home. */
async function backupBefore(by: AdminCaller, { makeBackup }: HouseParts, refuse: Refuse): Promise<string> {
  try {
    return await makeBackup(by)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'validation') throw error
    return refuse('validation', {
      message: `The file was not imported, because no backup could be made first. ${error.message}`,
    })
  }
}

/** Preview of an import: its changes to the home, and the things that integrations would see afterwards. */
async function previewOf(
  file: HomeFile,
  { house, rules, integrations, past }: HouseParts,
): Promise<Pick<ImportAnswer, 'differences' | 'integrations' | 'leaving'>> {
  const { differences, after } = await previewImport(file, { house, rules })
  await nextTurn()
  const current = house.hypothetical(house.content())
  const now = { house: current, integrations, automations: rules.automations.list(), schedules: rules.schedules.list() }
  const then = { ...file.rules, integrations, house: current.hypothetical(after) }
  const changed: NonNullable<ImportAnswer['integrations']>[number][] = []
  for (const integration of integrations.list()) {
    await nextTurn()
    const visible = visibleDifferences([integration, now], [integration, then])
    if (visible.appears.length + visible.disappears.length > 0)
      changed.push({ id: integration.id, name: integration.name, ...visible })
  }
  return { differences, integrations: changed, leaving: await leavingDevices(current, then.house, past) }
}
