import { hash } from 'node:crypto'
import { ExposedHouse } from '../exposure/exposed-house.ts'
import type { Exposure, HeldIntegration, Integration } from '../exposure/integration.ts'
import { changedBy, type IntegrationChange, isWider } from '../exposure/integration-admin.ts'
import { formatExposure, parseExposure } from '../exposure/pick-text.ts'
import type { LiveHome } from '../home/live/live-home.ts'
import { type Cause, subjectKey } from '../home/model/events.ts'
import type { RevisionMarks, Origin } from '../home/model/house.ts'
import type { ChangePart } from '../home/ports/activity-log.ts'
import type { Rules } from '../home/rules/rules.ts'
import { liveValues } from '../api/device-json.ts'
import type { Refuse } from '../api/errors.ts'
import { houseShape } from '../api/house-shape.ts'
import type {
  ChangeBody,
  CredentialView,
  IntegrationPreview,
  integrations,
  IntegrationView,
  keys,
  SeenHouse,
  ShownThing,
} from './contract/integrations.ts'
import {
  type CredentialParts,
  integrationBy,
  keyHandlers,
  keyOf,
  leaveEnds,
  stateOf,
  unlessStored,
} from './credentials.ts'
import { type AdminHandlersOf, refuseStale } from './dispatch.ts'
import { keysOf } from '../lib/keys.ts'
import { type Credential, credentialLabel } from '../auth/credentials/credentials.ts'
import { KNOB_MEANINGS, type KnobName, type Knobs } from '../exposure/knobs.ts'
import type { House } from '../home/house/house.ts'
import type { Referring } from '../home/model/rules.ts'
import { isRuleVisible } from '../exposure/visible-rules.ts'
import type { ActivityStore } from '../home/ports/history-store.ts'
import type { DeviceKey } from '../home/model/device.ts'
import type { Energy } from '../home/record/energy.ts'
import { nextTurn } from '../lib/next-turn.ts'

export interface AccessParts extends CredentialParts {
  readonly rules: Pick<Rules, 'openers' | 'automations' | 'schedules'>
  readonly live: LiveHome
  /** The serial, which device ids begin with. */
  readonly gateway: string
  readonly revisions: Pick<RevisionMarks, 'raisedTo'>
}

/** What a new integration exposes before it is made. */
const NOTHING: Exposure = { expose: 'Selected', picks: [] }

/** Integrations and credentials, as administrators handle them. */
export function accessHandlers(parts: AccessParts): AdminHandlersOf<typeof integrations & typeof keys> {
  return { ...integrationHandlers(parts), ...changeHandlers(parts), ...keyHandlers(parts) }
}

type Simple = 'integrations.list' | 'integrations.show' | 'integrations.create'

function integrationHandlers(parts: AccessParts): AdminHandlersOf<Pick<typeof integrations, Simple>> {
  return {
    'integrations.list': () => ({
      integrations: parts.integrations.list().map((integration) => integrationOf(integration, parts)),
    }),
    'integrations.show': ({ params, refuse }) => ({
      integration: integrationOf(integrationBy(params.id, parts, refuse), parts),
    }),
    'integrations.create': ({ body, cause, refuse }) => {
      const exposure = exposureOf(body.expose ?? ['all'], { ...parts, now: NOTHING }, refuse)
      const made = parts.integrations.create(body.name, exposure, body.settings ?? {}, cause)
      return made.ok ? { integration: integrationOf(made.value, parts) } : refuse('validation', { message: made.error })
    },
  }
}

function changeHandlers(parts: AccessParts): AdminHandlersOf<Omit<typeof integrations, Simple>> {
  const {
    rules: { openers },
    unstored,
  } = parts
  return {
    'integrations.change': ({ params, body: { ifRevision, ...body }, by, cause, refuse }) => {
      const { stored, change, now: wanted, whose, knobsOff } = planned(params.id, body, parts, refuse)
      if (isWider(stored, wanted)) refuseStale(by)
      if (ifRevision !== undefined && ifRevision !== revisionOf(stored, parts)) refuse('revision_mismatch')
      const told = leaveEnds(whose, parts)
      const isSame = revisionOf(wanted, parts) === revisionOf(stored, parts) && !parts.integrations.isHeld(stored.id)
      if (isSame && Object.keys(told).length === 0) return { integration: integrationOf(stored, parts) }
      const { now, isStored } = changedOrHeld({ stored, change, whose }, parts, cause, refuse)
      return { integration: integrationOf(now, parts), ...told, ...knobsOff, ...unlessStored(isStored) }
    },
    'integrations.preview': ({ params, body, refuse }) => {
      const { stored, now, whose, knobsOff } = planned(params.id, body, parts, refuse)
      const credentials = parts.credentials.list().filter((credential) => credential.integration === stored.id)
      const { automations, schedules } = parts.rules
      const home = { house: parts.house, automations: automations.list(), schedules: schedules.list() }
      return {
        integration: integrationOf(now, parts),
        ...differencesOf(stored, now, { home, credentials, stateOf: (changed, of) => stateOf(changed, of, parts) }),
        ...leaveEnds(whose, parts),
        ...knobsOff,
      }
    },
    'integrations.previewHouse': ({ params, body, refuse }) => {
      const { now } = planned(params.id, body, parts, refuse)
      const view = new ExposedHouse(parts.house, now, parts.gateway)
      return houseShape(view, liveValues(parts.live)) as SeenHouse
    },
    'integrations.delete': ({ params, cause, refuse }) => {
      const stored = integrationBy(params.id, parts, refuse)
      const { id } = stored
      const whose = byIntegration(id)
      const told = leaveEnds(whose, parts)
      const store = (): void => parts.integrations.remove(stored, cause, openers.switchOff(whose, cause))
      const hold = (): void => holdDeleted(stored, parts)
      return { deleted: id, ...told, ...unlessStored(unstored.revoke({ id, store, retry: store, hold })) }
    },
  }
}

function exposureOf(
  words: readonly string[],
  { house, now }: Pick<AccessParts, 'house'> & { readonly now: Exposure },
  refuse: Refuse,
): Exposure {
  const parsed = parseExposure(words, house, now)
  return parsed.ok ? parsed.value : refuse('validation', { message: parsed.error })
}

/** A change that an administrator asks for, and what comes of it. */
interface Planned {
  readonly stored: Integration
  readonly change: IntegrationChange
  readonly now: Integration
  /** Whose rules that open a lock or gate go off with it; null where nobody's do. */
  readonly whose: ((author: Origin) => boolean) | null
  readonly knobsOff: { readonly knobsOff?: string[] }
}

/** Changes it. What only takes leave away holds in memory where the disk does not take it. */
function changedOrHeld(
  { stored, change, whose }: Pick<Planned, 'stored' | 'change' | 'whose'>,
  { integrations, rules: { openers }, unstored }: Pick<AccessParts, 'integrations' | 'rules' | 'unstored'>,
  cause: Cause,
  refuse: Refuse,
): { readonly now: Integration; readonly isStored: boolean } {
  const { id } = stored
  let made: Integration | undefined
  const off = (by: typeof whose): readonly ChangePart[] => (by === null ? [] : openers.switchOff(by, cause))
  const less = takenAway(change)
  const store = (): void => {
    const changed = integrations.change(stored, change, cause, off(whose))
    made = changed.ok ? changed.value : refuse('validation', { message: changed.error })
  }
  const retry = (): void => integrations.storeHeld(id, cause, (now) => off(whoseLeaveEnds(now)))
  const hold = less === null ? null : () => integrations.hold(id, less)
  const isStored = unstored.revoke({ id, store, retry, hold })
  return { now: made ?? integrations.get(id) ?? stored, isStored }
}

/** Deletes it in memory alone: its credentials end with it. */
function holdDeleted({ id }: Integration, { credentials, integrations }: AccessParts): void {
  const own = credentials.list().filter(({ integration, revokedAt }) => integration === id && revokedAt === null)
  for (const credential of own) credentials.hold(credential)
  integrations.hold(id, { gone: true })
}

/** What a change takes away, where it does nothing else. */
function takenAway({ name, exposure, knobs = {}, enabled }: IntegrationChange): HeldIntegration | null {
  const isLess = enabled !== true && Object.values(knobs).every((value) => value === 'off')
  if (name !== undefined || exposure !== undefined || !isLess) return null
  return { ...(enabled === false && { enabled }), knobs }
}

/** What a change and its preview share: what is asked for, judged. */
function planned(id: string, body: ChangeBody, parts: AccessParts, refuse: Refuse<'not_found'>): Planned {
  const stored = integrationBy(id, parts, refuse)
  const exposure = body.expose && exposureOf(body.expose, { ...parts, now: stored.exposure }, refuse)
  const change = { name: body.name, exposure, knobs: body.settings, enabled: body.enabled }
  const changed = changedBy(change, stored)
  if (!changed.ok) return refuse('validation', { message: changed.error })
  const now = changed.value
  const lapsed = stored.knobs.structural === 'on' && now.knobs.structural === 'off'
  return {
    stored,
    change,
    now,
    whose: whoseLeaveEnds(now),
    knobsOff: lapsed && body.settings?.structural === undefined ? { knobsOff: ['structural'] } : {},
  }
}

function whoseLeaveEnds({ id, enabled, knobs }: Integration): Planned['whose'] {
  return enabled && knobs.allow_unlock === 'on' ? null : byIntegration(id)
}

function byIntegration(id: string): (author: Origin) => boolean {
  return ({ integration }) => integration === id
}

function integrationOf(integration: Integration, parts: AccessParts): IntegrationView {
  return {
    id: integration.id,
    name: integration.name,
    enabled: integration.enabled,
    expose: formatExposure(integration.exposure),
    settings: integration.knobs,
    createdAt: integration.createdAt,
    revision: revisionOf(integration, parts),
    credentials: parts.credentials
      .list()
      .filter((credential) => credential.integration === integration.id)
      .map((credential) => keyOf(credential, parts, integration)),
  }
}

/** Another text after each change by an administrator and after each restore: for `ifRevision`. */
function revisionOf({ name, enabled, exposure, knobs }: Integration, { revisions }: AccessParts): string {
  const restored = revisions.raisedTo === 0 ? [] : [revisions.raisedTo]
  const content = JSON.stringify([name, enabled, formatExposure(exposure), knobs, ...restored])
  return hash('sha256', content, 'base64url').slice(0, 16)
}

/** A home, or what would become of it. */
export interface ShownHome {
  readonly house: House
  readonly automations: readonly NamedRule[]
  readonly schedules: readonly NamedRule[]
}
type NamedRule = Referring & { readonly id: string; readonly name: string }

interface PreviewParts {
  readonly home: ShownHome
  readonly credentials: readonly Credential[]
  readonly stateOf: (credential: Credential, integration: Integration) => CredentialView['state']
}

type Differences = Pick<IntegrationPreview, 'appears' | 'disappears' | 'changes' | 'credentials'>

/** What the programs behind an integration would notice, were it changed from `before` to `after`. */
export function differencesOf(before: Integration, after: Integration, parts: PreviewParts): Differences {
  return {
    ...shownDifferences([before, parts.home], [after, parts.home]),
    changes: [...enabledChange(before, after), ...knobChanges(before.knobs, after.knobs)],
    credentials: parts.credentials
      .map((credential) => ({
        link: credential.link,
        label: credentialLabel(credential, after.name),
        from: parts.stateOf(credential, before),
        to: parts.stateOf(credential, after),
      }))
      .filter(({ from, to }) => from !== to),
  }
}

/** What appears and disappears for an integration when it, or the home, becomes another. */
export function shownDifferences(
  before: readonly [Integration, ShownHome],
  after: readonly [Integration, ShownHome],
): Pick<Differences, 'appears' | 'disappears'> {
  const [old, now] = [shownBy(...before), shownBy(...after)]
  return {
    appears: [...now].filter(([key]) => !old.has(key)).map(([, thing]) => thing),
    disappears: [...old].filter(([key]) => !now.has(key)).map(([, thing]) => thing),
  }
}

/** Everything that an integration shows, by kind and local id. */
function shownBy(integration: Integration, { house, ...rules }: ShownHome): ReadonlyMap<string, ShownThing> {
  // Only local ids are told, so the gateway that others begin with does not matter.
  const view = new ExposedHouse(house, integration, '')
  const { automations, schedules } = integration.knobs
  const visible = (knob: string, list: readonly NamedRule[]): readonly NamedRule[] =>
    knob === 'on' ? list.filter((rule) => isRuleVisible(rule, view)) : []
  const rooms = [...view.floors.flatMap((floor) => floor.rooms), ...view.rooms]
  const things: readonly ShownThing[] = [
    ...view.floors.map(({ local, name }) => ({ kind: 'floor' as const, id: local, name })),
    ...rooms.map(({ local, name }) => ({ kind: 'room' as const, id: local, name })),
    ...[...view.devices()].flatMap(({ key, name, gang, class: its, onlyGangs }): readonly ShownThing[] => {
      if (gang !== null) return [{ kind: 'gang', id: key, name }]
      if (its !== 'gang_module') return [{ kind: 'unit', id: key, name }]
      return [
        { kind: 'module', id: key, name },
        ...(onlyGangs ? [] : [{ kind: 'whole_module' as const, id: key, name }]),
      ]
    }),
    ...view.scenes.map(({ local, name }) => ({ kind: 'scene' as const, id: local, name })),
    ...visible(automations, rules.automations).map(({ id, name }) => ({
      kind: 'automation' as const,
      id,
      name,
    })),
    ...visible(schedules, rules.schedules).map(({ id, name }) => ({ kind: 'schedule' as const, id, name })),
  ]
  return new Map(things.map((thing) => [`${thing.kind} ${thing.id}`, thing]))
}

function enabledChange(before: Integration, after: Integration): IntegrationPreview['changes'] {
  if (before.enabled === after.enabled) return []
  const [from, to] = [before.enabled, after.enabled].map((enabled) => (enabled ? 'on' : 'off'))
  const means = after.enabled ? 'Its requests are served.' : 'All its requests are refused.'
  return [{ what: 'enabled', from: from ?? '', to: to ?? '', means }]
}

function knobChanges(before: Knobs, after: Knobs): IntegrationPreview['changes'] {
  return keysOf(KNOB_MEANINGS)
    .filter((knob) => before[knob] !== after[knob])
    .map((knob) => ({ what: knob, from: before[knob], to: after[knob], means: meaningOf(knob, after) }))
}

function meaningOf(knob: KnobName, knobs: Knobs): string {
  const meanings: Readonly<Record<string, string>> = KNOB_MEANINGS[knob]
  return meanings[knobs[knob]] ?? ''
}

export interface PastSources {
  readonly energy: Pick<Energy, 'total'>
  readonly activity: Pick<ActivityStore, 'page'>
}

/** A device with a past that leaves the house; `energy` is all that it took, in Wh. */
export interface LeavingDevice {
  readonly id: DeviceKey
  readonly name: string
  readonly energy: number
}

/** Devices with energy or activity that one house has and another has not; nobody waits for thousands of them. */
export async function leavingDevices(
  now: Pick<House, 'devices'>,
  then: Pick<House, 'devices'>,
  { energy, activity }: PastSources,
): Promise<LeavingDevice[]> {
  const leaving: LeavingDevice[] = []
  for (const { key, name } of now.devices.values()) {
    if (then.devices.has(key)) continue
    await nextTurn()
    const taken = energy.total(key)
    const subjects = { only: [subjectKey({ kind: 'device' as const, id: key })] }
    const { entries } = activity.page({ subjects, from: 0, to: Number.MAX_SAFE_INTEGER, limit: 1 })
    if (taken > 0 || entries.length > 0) leaving.push({ id: key, name, energy: taken })
  }
  return leaving
}
