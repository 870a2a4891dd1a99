import { hash } from 'node:crypto'
import type { Confirmations } from '../auth/agents/confirmations.ts'
import type { IntegrationAdmin } from '../exposure/integration-admin.ts'
import { classConflicts, type ReplacedUnit, type Replacing, type WrongPlacing } from '../home/house/placing.ts'
import type { House } from '../home/house/house.ts'
import type { LiveHome } from '../home/live/live-home.ts'
import { type Cause, requesterOf } from '../home/model/events.ts'
import { type DeviceKey, deviceKey, type Readings } from '../home/model/device.ts'
import type { Unit } from '../home/model/house.ts'
import type { ChangePart } from '../home/ports/activity-log.ts'
import type { Requester, UnitTarget, UnitBus } from '../home/ports/unit-bus.ts'
import {
  removedDevicesOf,
  type MisfitPlace,
  planReplacement,
  type ReplacementPlan,
  replaceUnits,
} from '../home/replacement.ts'
import type { Rules } from '../home/rules/rules.ts'
import type { UnitSettings } from '../home/settings/unit-settings.ts'
import { contextOf, commonSettings, type SharedSetting, sharedSettings } from '../intents/index.ts'
import type { Log } from '../lib/log.ts'
import type { Result } from '../lib/result.ts'
import { type Refuse, refuseFailure } from '../api/errors.ts'
import { opensUnits } from '../api/unlocking.ts'
import type { AdminContract } from './contract/index.ts'
import type { AdminContent, AdminHandlersOf } from './dispatch.ts'

export interface ReplaceParts {
  readonly house: House
  readonly bus: Pick<UnitBus, 'units' | 'ping' | 'readState'>
  readonly live: Pick<LiveHome, 'readings'>
  readonly rules: Pick<Rules, 'automations' | 'schedules'>
  readonly settings: Pick<UnitSettings, 'get' | 'write'>
  readonly integrations: Pick<IntegrationAdmin, 'removedGangs'>
  readonly confirmations: Pick<Confirmations, 'endingFor'>
  readonly log: Log
}

/** All changes of a replacement. */
interface WholePlan {
  readonly plan: ReplacementPlan
  readonly places: readonly MisfitPlace[]
  /** Further changes in the same transaction, outside the house and its rules. */
  readonly parts: readonly ChangePart[]
  readonly settings: readonly (SharedSetting & { readonly device: DeviceKey })[]
  /** Ids of units with unknown old settings. */
  readonly unknownSettings: ReadonlySet<string>
}

export function replaceAdminHandlers(parts: ReplaceParts): AdminHandlersOf<Pick<AdminContract, 'house.replace'>> {
  return {
    'house.replace': async ({ body, cause, by, refuse }) => {
      planned(planReplacement({ ...parts, readingsAt: readingsOf(parts) }, body), refuse)
      const answered = await parts.bus.ping(body.address, 'person')
      if (!answered.ok) return refuseFailure(answered.error, 'a sign of life', refuse)
      const readings = readingsOf(parts, await readingsAt(body.address, parts, requesterOf(cause)))
      if (!by.holds()) return refuse('unauthorized')
      const whole = wholePlan(planned(planReplacement({ ...parts, readingsAt: readings }, body), refuse), parts)
      if (body.ifRevision !== undefined && body.ifRevision !== revisionOf(whole)) return refuse('revision_mismatch')
      if (!body.dryRun) {
        replaceUnits(whole.plan, parts, cause, whole.parts)
        void writeSettings(whole.settings, parts, cause)
      }
      return answerOf(whole, body)
    },
  }
}

/** Readings that units of the house reported, or that a unit outside the house sent on request. */
function readingsOf(
  { house, live }: ReplaceParts,
  requested?: { readonly address: number; readonly readings: Readings },
) {
  return ({ address, gang }: UnitTarget): Readings | undefined => {
    const unit = house.unitAt(address)
    const reported = unit && live.readings(deviceKey({ unit: unit.id, gang }))?.readings
    return reported ?? (requested?.address === address && gang === null ? requested.readings : undefined)
  }
}

/** Requests the readings of a sensor or meter, because they alone show its senses. */
async function readingsAt(address: number, { bus }: ReplaceParts, asker: Requester) {
  const unitClass = bus.units.get(address)?.class
  if (unitClass !== 'sensor' && unitClass !== 'meter') return undefined
  const read = await bus.readState({ address, gang: null }, 'person', asker)
  // A sensor's or meter's state consists of its readings.
  return read.ok ? { address, readings: read.value as Readings } : undefined
}

function planned(plan: Result<ReplacementPlan, WrongPlacing>, refuse: Refuse<'not_found'>): ReplacementPlan {
  if (plan.ok) return plan.value
  const { kind, message } = plan.error
  return refuse(kind === 'not_there' ? 'not_found' : 'validation', { message })
}

function wholePlan(plan: ReplacementPlan, parts: ReplaceParts): WholePlan {
  const removed = removedDevicesOf(plan.units)
  const picks = parts.integrations.removedGangs((device) => removed.has(device))
  const units = new Set(plan.units.map(({ before }) => before.id))
  const confirmations = parts.confirmations.endingFor(
    (subject) =>
      opensUnits(subject, units, parts.house) || plan.scenes.some(({ id }) => subject.startsWith(`scene:${id}@`)),
  )
  return {
    plan,
    places: [
      ...plan.places,
      ...picks.removed.map(({ integration, device }) => pickPlace(integration, device)),
      ...confirmations.ending.map(({ id, subject, what }) => callPlace(id, subject, what)),
    ],
    parts: [picks.part, confirmations.part],
    // Read before the change, because the house then forgets the old unit's settings.
    settings: plan.units.flatMap((unit) => settingsOf(unit, parts)),
    unknownSettings: new Set(
      plan.units.filter((unit) => !areSettingsKnown(unit, parts)).map(({ before }) => before.id),
    ),
  }
}

function pickPlace({ id, name }: { readonly id: string; readonly name: string }, device: DeviceKey): MisfitPlace {
  return {
    kind: 'integration',
    id,
    name,
    part: 'expose',
    position: null,
    device,
    what: `exposes gang:${device}`,
    problem: 'the unit no longer has this gang',
    proposal: 'leave_out',
    becomes: null,
  }
}

function callPlace(id: string, subject: string, what: string): MisfitPlace {
  const problem = 'it would open a different unit'
  const place = { kind: 'confirmation', id, name: id, part: 'call', position: null, device: subject } as const
  return { ...place, what, problem, proposal: 'end', becomes: null }
}

/** Devices of a replaced unit that share settings with the new unit, and their present registers. */
function settingSources({ before, after }: ReplacedUnit, { bus, settings }: ReplaceParts) {
  const gangs = after.gangs.flatMap((gang) => {
    const old = before.gangs.find((previous) => previous.gang === gang.gang)
    return old === undefined ? [] : [{ gang: gang.gang, was: old.class, is: gang.class }]
  })
  const isUnchanged = isListedAs(before, bus)
  return [{ gang: null, was: null, is: null }, ...gangs].flatMap(({ gang, was, is }) => {
    const from = contextOf(before.model, was)
    const to = contextOf(after.model, is)
    const device = deviceKey({ unit: before.id, gang })
    if (from === null || to === null || commonSettings(from, to).length === 0) return []
    return [{ from, to, device, cached: isUnchanged ? settings.get(device) : new Map() }]
  })
}

/** False if the adapter lists another unit at the address; the cached settings then belong to that unit. */
function isListedAs(unit: Unit, { units }: Pick<UnitBus, 'units'>): boolean {
  const model = units.get(unit.address)?.model ?? unit.model
  return model === unit.model && classConflicts([unit], units).length === 0
}

function settingsOf(unit: ReplacedUnit, parts: ReplaceParts): WholePlan['settings'] {
  return settingSources(unit, parts).flatMap(({ from, to, device, cached }) =>
    sharedSettings(from, to, cached).map((setting) => ({ ...setting, device })),
  )
}

/** True also if the two units share no setting. */
function areSettingsKnown(unit: ReplacedUnit, parts: ReplaceParts): boolean {
  const sources = settingSources(unit, parts)
  return sources.length === 0 || sources.some(({ cached }) => cached.size > 0)
}

/** Writes the settings one after the other; the activity has an entry for each, written or failed. */
async function writeSettings(
  list: WholePlan['settings'],
  { settings, log }: ReplaceParts,
  cause: Cause,
): Promise<void> {
  for (const { device, intent, values, what } of list) {
    try {
      await settings.write(device, { values, what, data: { intent } }, cause)
    } catch (error) {
      log.warn({ err: error, device, intent }, 'A setting of a replaced unit could not be written to the new unit.')
    }
  }
}

function answerOf(whole: WholePlan, { dryRun }: Replacing & { readonly dryRun: boolean }) {
  const { plan, places, settings, unknownSettings } = whole
  return {
    dryRun,
    revision: revisionOf(whole),
    units: plan.units.map(({ before, after }) => ({
      id: before.id,
      name: before.name,
      before: physicalOf(before),
      after: physicalOf(after),
      settingsKnown: !unknownSettings.has(before.id),
      readingsKnown: !plan.unreadSensors.has(before.id),
    })),
    places: [...places],
    settings: settings.map(({ device, intent, what }) => ({ device, intent, what })),
  } satisfies AdminContent<AdminContract['house.replace']>
}

function revisionOf({ plan, places }: WholePlan): string {
  return hash('sha256', JSON.stringify([plan.units, places]), 'base64url').slice(0, 16)
}

function physicalOf({ address, model, class: unitClass, gangs }: Unit) {
  return { address, model, class: unitClass, gangs: gangs.map((gang) => ({ gang: gang.gang, class: gang.class })) }
}
