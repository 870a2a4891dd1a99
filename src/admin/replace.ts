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
import type { Requester, Target, UnitBus } from '../home/ports/unit-bus.ts'
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
  readonly integrations: Pick<IntegrationAdmin, 'goneGangs'>
  readonly confirmations: Pick<Confirmations, 'endingFor'>
  readonly log: Log
}

/** Everything that a replacement changes. */
interface WholePlan {
  readonly plan: ReplacementPlan
  readonly places: readonly MisfitPlace[]
  /** What changes beside the house and its rules, in the same transaction. */
  readonly parts: readonly ChangePart[]
  readonly settings: readonly (SharedSetting & { readonly device: DeviceKey })[]
  /** Ids of the units whose old settings are not known. */
  readonly unknownSettings: ReadonlySet<string>
}

export function replaceAdminHandlers(parts: ReplaceParts): AdminHandlersOf<Pick<AdminContract, 'house.replace'>> {
  return {
    'house.replace': async ({ body, cause, by, refuse }) => {
      planned(planReplacement({ ...parts, readingsAt: heardBy(parts) }, body), refuse)
      const answered = await parts.bus.ping(body.address, 'person')
      if (!answered.ok) return refuseFailure(answered.error, 'a sign of life', refuse)
      const heard = heardBy(parts, await readingsAt(body.address, parts, requesterOf(cause)))
      if (!by.holds()) return refuse('unauthorized')
      const whole = wholePlan(planned(planReplacement({ ...parts, readingsAt: heard }, body), refuse), parts)
      if (body.ifRevision !== undefined && body.ifRevision !== revisionOf(whole)) return refuse('revision_mismatch')
      if (!body.dryRun) {
        replaceUnits(whole.plan, parts, cause, whole.parts)
        void writeSettings(whole.settings, parts, cause)
      }
      return answerOf(whole, body)
    },
  }
}

/** Readings as units of the house reported them, or as a unit without a place in the house was asked for them. */
function heardBy({ house, live }: ReplaceParts, asked?: { readonly address: number; readonly readings: Readings }) {
  return ({ address, gang }: Target): Readings | undefined => {
    const unit = house.unitAt(address)
    const reported = unit && live.readings(deviceKey({ unit: unit.id, gang }))?.readings
    return reported ?? (asked?.address === address && gang === null ? asked.readings : undefined)
  }
}

/** Asks a sensor or meter for its readings: what it can sense is known by them alone. */
async function readingsAt(address: number, { bus }: ReplaceParts, asker: Requester) {
  const its = bus.units.get(address)?.class
  if (its !== 'sensor' && its !== 'meter') return undefined
  const read = await bus.readState({ address, gang: null }, 'person', asker)
  // The state of a sensor or meter is its readings.
  return read.ok ? { address, readings: read.value as Readings } : undefined
}

function planned(plan: Result<ReplacementPlan, WrongPlacing>, refuse: Refuse<'not_found'>): ReplacementPlan {
  if (plan.ok) return plan.value
  const { kind, message } = plan.error
  return refuse(kind === 'not_there' ? 'not_found' : 'validation', { message })
}

function wholePlan(plan: ReplacementPlan, parts: ReplaceParts): WholePlan {
  const gone = removedDevicesOf(plan.units)
  const picks = parts.integrations.goneGangs((device) => gone.has(device))
  const units = new Set(plan.units.map(({ before }) => before.id))
  const confirmations = parts.confirmations.endingFor(
    (subject) =>
      opensUnits(subject, units, parts.house) || plan.scenes.some(({ id }) => subject.startsWith(`scene:${id}@`)),
  )
  return {
    plan,
    places: [
      ...plan.places,
      ...picks.gone.map(({ integration, device }) => pickPlace(integration, device)),
      ...confirmations.ending.map(({ id, subject, what }) => callPlace(id, subject, what)),
    ],
    parts: [picks.part, confirmations.part],
    // Read now: with the change the house forgets what the old unit held.
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
  const problem = 'it would open another unit than the one it is about'
  const place = { kind: 'confirmation', id, name: id, part: 'call', position: null, device: subject } as const
  return { ...place, what, problem, proposal: 'end', becomes: null }
}

/** Devices of a replaced unit that have settings in common with the new one, and their present registers. */
function settingSources({ before, after }: ReplacedUnit, { bus, settings }: ReplaceParts) {
  const gangs = after.gangs.flatMap((gang) => {
    const old = before.gangs.find((previous) => previous.gang === gang.gang)
    return old === undefined ? [] : [{ gang: gang.gang, was: old.class, is: gang.class }]
  })
  const isKept = isListedAs(before, bus)
  return [{ gang: null, was: null, is: null }, ...gangs].flatMap(({ gang, was, is }) => {
    const from = contextOf(before.model, was)
    const to = contextOf(after.model, is)
    const device = deviceKey({ unit: before.id, gang })
    if (from === null || to === null || commonSettings(from, to).length === 0) return []
    return [{ from, to, device, cached: isKept ? settings.get(device) : new Map() }]
  })
}

/** False once the adapter lists another unit at the address: what is cached since then belongs to that one. */
function isListedAs(unit: Unit, { units }: Pick<UnitBus, 'units'>): boolean {
  const model = units.get(unit.address)?.model ?? unit.model
  return model === unit.model && classConflicts([unit], units).length === 0
}

function settingsOf(unit: ReplacedUnit, parts: ReplaceParts): WholePlan['settings'] {
  return settingSources(unit, parts).flatMap(({ from, to, device, cached }) =>
    sharedSettings(from, to, cached).map((setting) => ({ ...setting, device })),
  )
}

/** True also if the two units have no setting in common. */
function areSettingsKnown(unit: ReplacedUnit, parts: ReplaceParts): boolean {
  const sources = settingSources(unit, parts)
  return sources.length === 0 || sources.some(({ cached }) => cached.size > 0)
}

/** Writes one setting after the other; the activity has an entry of each, done or failed. */
async function writeSettings(
  list: WholePlan['settings'],
  { settings, log }: ReplaceParts,
  cause: Cause,
): Promise<void> {
  for (const { device, intent, values, what } of list) {
    try {
      await settings.write(device, { values, what, data: { intent } }, cause)
    } catch (error) {
      log.warn({ err: error, device, intent }, 'A setting of a replaced unit could not be written to the new one.')
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

function physicalOf({ address, model, class: its, gangs }: Unit) {
  return { address, model, class: its, gangs: gangs.map((gang) => ({ gang: gang.gang, class: gang.class })) }
}
