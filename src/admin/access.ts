import { hash } from 'node:crypto'
import { ExposedHouse } from '../exposure/exposed-house.ts'
import { GroupMembers } from '../exposure/group-members.ts'
import type { Exposure, HeldIntegration, Integration } from '../exposure/integration.ts'
import { hoursWords } from '../exposure/hours.ts'
import type { RecordTimes } from '../exposure/record-times.ts'
import { type IntegrationChange, isWider } from '../exposure/integration-admin.ts'
import { formatExposure, parseExposure } from '../exposure/pick-text.ts'
import type { LiveHome } from '../home/live/live-home.ts'
import type { Cause } from '../home/model/events.ts'
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
} from './contract/integrations.ts'
import {
  type CredentialParts,
  integrationBy,
  keyHandlers,
  keyOf,
  groupRulesOf,
  lostPermissions,
  refuseMember,
  stateOf,
  unlessStored,
} from './credentials.ts'
import { type AdminHandlersOf, refuseStale } from './dispatch.ts'
import { keysOf } from '../lib/keys-of.ts'
import { type Credential, credentialLabel } from '../auth/credentials/credentials.ts'
import type { ConsoleSessions } from '../auth/persons/console-sessions.ts'
import type { Persons } from '../auth/persons/persons.ts'
import { KNOB_MEANINGS, type KnobName, type Knobs } from '../exposure/knobs.ts'
import type { House } from '../home/house/house.ts'
import { type ShownHome, visibleDifferences } from './shown-things.ts'

export interface AccessHandlerParts extends CredentialParts {
  readonly rules: Pick<Rules, 'openers' | 'automations' | 'schedules'>
  readonly live: LiveHome
  readonly times: RecordTimes
  /** Serial of the gateway, the prefix of device ids. */
  readonly gateway: string
  readonly revisions: Pick<RevisionMarks, 'raisedTo'>
  readonly persons: Pick<Persons, 'list'>
  readonly sessions: ConsoleSessions
}

/** Exposure of a new integration before its creation. */
const EMPTY_EXPOSURE: Exposure = { expose: 'Selected', picks: [] }

/** Handlers for integrations and credentials. */
export function accessHandlers(parts: AccessHandlerParts): AdminHandlersOf<typeof integrations & typeof keys> {
  return { ...integrationHandlers(parts), ...changeHandlers(parts), ...keyHandlers(parts) }
}

type Simple = 'integrations.list' | 'integrations.show' | 'integrations.create'

function integrationHandlers(parts: AccessHandlerParts): AdminHandlersOf<Pick<typeof integrations, Simple>> {
  return {
    'integrations.list': () => ({
      integrations: parts.integrations.list().map((integration) => integrationOf(integration, parts)),
    }),
    'integrations.show': ({ params, refuse }) => ({
      integration: integrationOf(integrationBy(params.id, parts, refuse), parts),
    }),
    'integrations.create': ({ body, cause, refuse }) => {
      const exposure = exposureOf(body.expose ?? ['all'], { ...parts, now: EMPTY_EXPOSURE }, refuse)
      const { name, settings = {}, people, opening, until, hours } = body
      const reports = body.reports && known(body.reports, [], parts, refuse)
      const more = { people, reports, opening, until, hours }
      const made = parts.integrations.create({ name, exposure, knobs: settings, ...more }, cause)
      return made.ok ? { integration: integrationOf(made.value, parts) } : refuse('validation', { message: made.error })
    },
  }
}

function changeHandlers(parts: AccessHandlerParts): AdminHandlersOf<Omit<typeof integrations, Simple>> {
  const {
    rules: { openers },
    unstored,
  } = parts
  return {
    'integrations.change': ({ params, body: { ifRevision, ...body }, by, cause, refuse }) => {
      const { stored, change, now: planned, authors, knobsOff } = plannedChange(params.id, body, parts, refuse)
      if (isWider(stored, planned)) refuseStale(by)
      if (ifRevision !== undefined && ifRevision !== revisionOf(stored, parts)) refuse('revision_mismatch')
      const ending = lostPermissions(authors, parts)
      const isSame = revisionOf(planned, parts) === revisionOf(stored, parts) && !parts.integrations.isHeld(stored.id)
      if (isSame && Object.keys(ending).length === 0) return { integration: integrationOf(stored, parts) }
      const { now, isStored } = changedOrHeld({ stored, change, authors }, parts, cause, refuse)
      return { integration: integrationOf(now, parts), ...ending, ...knobsOff, ...unlessStored(isStored) }
    },
    'integrations.preview': ({ params, body, refuse }) => {
      const { stored, now, authors, knobsOff } = plannedChange(params.id, body, parts, refuse)
      const credentials = parts.credentials.list().filter((credential) => credential.integration === stored.id)
      const { house, integrations, rules } = parts
      const home = { house, integrations, automations: rules.automations.list(), schedules: rules.schedules.list() }
      return {
        integration: integrationOf(now, parts),
        ...differencesOf(stored, now, {
          ...{ home, credentials, times: parts.times },
          stateOf: (changed, of) => stateOf(changed, of, parts),
        }),
        ...lostPermissions(authors, parts),
        ...groupRulesOf(byIntegration(stored.id), parts),
        ...knobsOff,
      }
    },
    'integrations.previewHouse': ({ params, body, refuse }) => {
      const { now } = plannedChange(params.id, body, parts, refuse)
      const view = new ExposedHouse(parts.house, now, parts.gateway, new GroupMembers(parts.house, parts.integrations))
      return houseShape(view, liveValues(parts.live)) as SeenHouse
    },
    'integrations.delete': ({ params: { id }, cause, refuse }) => {
      const stored = integrationBy(id, parts, refuse)
      refuseMember(stored, 'delete', refuse)
      parts.sessions.rememberDeletion(stored)
      const authors = byIntegration(id)
      const ending = { ...lostPermissions(authors, parts), ...groupRulesOf(authors, parts) }
      const store = (): void => parts.integrations.remove(stored, cause, openers.switchOffDeleted(authors, cause))
      const hold = (): void => holdDeleted(stored, parts)
      return { deleted: id, ...ending, ...unlessStored(unstored.revoke({ id, store, retry: store, hold })) }
    },
  }
}

export function exposureOf(
  words: readonly string[],
  { house, now }: Pick<AccessHandlerParts, 'house'> & { readonly now: Exposure },
  refuse: Refuse,
): Exposure {
  const parsed = parseExposure(words, house, now)
  return parsed.ok ? parsed.value : refuse('validation', { message: parsed.error })
}

/** Ids of persons; those of `now` may have been removed. */
function known(
  persons: readonly string[],
  now: readonly string[],
  { house: { people } }: Pick<AccessHandlerParts, 'house'>,
  refuse: Refuse,
): readonly string[] {
  const unknown = persons.find((id) => !people.has(id) && !now.includes(id))
  if (unknown === undefined) return [...new Set(persons)]
  return refuse('validation', {
    message: `reports: there is no person ${unknown}; \`bin/hm presence list\` lists them.`,
  })
}

/** A requested change with its effects. */
interface Planned {
  readonly stored: Integration
  readonly change: IntegrationChange
  readonly now: Integration
  /** Matches the authors authors opening rules go off with the change; null for none. */
  readonly authors: ((author: Origin) => boolean) | null
  readonly knobsOff: { readonly knobsOff?: string[] }
}

type ChangingParts = Pick<AccessHandlerParts, 'integrations' | 'times' | 'rules' | 'unstored'>

/** Applies a change. A change that only removes permissions takes effect in memory if the disk refuses it. */
function changedOrHeld(
  { stored, change, authors }: Pick<Planned, 'stored' | 'change' | 'authors'>,
  { integrations, times, rules: { openers }, unstored }: ChangingParts,
  cause: Cause,
  refuse: Refuse,
): { readonly now: Integration; readonly isStored: boolean } {
  const { id } = stored
  let made: Integration | undefined
  const off = (by: typeof authors): readonly ChangePart[] => (by === null ? [] : openers.switchOff(by, cause))
  const less = takenAway(change)
  const store = (): void => {
    const changed = integrations.change(stored, change, cause, off(authors))
    made = changed.ok ? changed.value : refuse('validation', { message: changed.error })
  }
  const retry = (): void => integrations.storeHeld(id, cause, (now) => off(losingAuthors(now, { times })))
  const hold = less === null ? null : () => integrations.hold(id, less)
  const isStored = unstored.revoke({ id, store, retry, hold })
  return { now: made ?? integrations.get(id) ?? stored, isStored }
}

/** Deletes an integration in memory only; its credentials end with it. */
export function holdDeleted(
  { id }: Integration,
  { credentials, integrations }: Pick<CredentialParts, 'credentials' | 'integrations'>,
): void {
  const own = credentials.list().filter(({ integration, revokedAt }) => integration === id && revokedAt === null)
  for (const credential of own) credentials.hold(credential)
  integrations.hold(id, { deleted: true })
}

/** The permissions that a change removes; null if it does anything else. */
function takenAway({ knobs = {}, enabled, opening, ...rest }: IntegrationChange): HeldIntegration | null {
  if (opening === 'yes' || Object.values(rest).some((value) => value !== undefined)) return null
  const isLess = enabled !== true && Object.values(knobs).every((value) => value === 'off')
  if (!isLess) return null
  return { ...(enabled === false && { enabled }), ...(opening && { opening }), knobs }
}

/** Checks a requested change, for the change itself and its preview. */
function plannedChange(id: string, body: ChangeBody, parts: AccessHandlerParts, refuse: Refuse<'not_found'>): Planned {
  const stored = integrationBy(id, parts, refuse)
  if (body.name !== undefined && body.name !== stored.name) refuseMember(stored, 'rename', refuse)
  const exposure = body.expose && exposureOf(body.expose, { ...parts, now: stored.exposure }, refuse)
  const reports = body.reports && known(body.reports, stored.reports ?? [], parts, refuse)
  const change = {
    name: body.name,
    exposure,
    knobs: body.settings,
    enabled: body.enabled,
    people: body.people,
    reports,
    until: body.until,
    hours: body.hours,
    opening: body.opening,
  }
  const changed = parts.integrations.planned(change, stored)
  if (!changed.ok) return refuse('validation', { message: changed.error })
  const now = changed.value
  const lapsed = stored.knobs.structural === 'on' && now.knobs.structural === 'off'
  return {
    stored,
    change,
    now,
    authors: losingAuthors(now, parts),
    knobsOff: lapsed && body.settings?.structural === undefined ? { knobsOff: ['structural'] } : {},
  }
}

function losingAuthors(integration: Integration, { times }: Pick<AccessHandlerParts, 'times'>): Planned['authors'] {
  const { id, enabled, knobs, opening } = integration
  const mayOpen = enabled && knobs.allow_unlock === 'on' && opening !== 'ask'
  return mayOpen && times.closedNow(integration)?.closed !== 'ended' ? null : byIntegration(id)
}

/** Matches authors of an integration. */
export function byIntegration(id: string): (author: Origin) => boolean {
  return ({ integration }) => integration === id
}

export function integrationOf(integration: Integration, parts: AccessHandlerParts): IntegrationView {
  return {
    id: integration.id,
    name: integration.name,
    enabled: integration.enabled,
    expose: formatExposure(integration.exposure),
    settings: integration.knobs,
    people: integration.people ?? 'none',
    reports: [...(integration.reports ?? [])],
    until: integration.until ?? null,
    hours: [...(integration.hours ?? [])],
    ...servedState(integration, parts),
    kind: integration.kind ?? 'programs',
    person: personOf(integration, parts),
    opening: integration.opening ?? 'yes',
    createdAt: integration.createdAt,
    revision: revisionOf(integration, parts),
    credentials: parts.credentials
      .list()
      .filter((credential) => credential.integration === integration.id)
      .map((credential) => keyOf(credential, parts, integration)),
  }
}

/** Whether an integration is served now, and the beginning of its next hours. */
function servedState(
  integration: Integration,
  { times }: Pick<AccessHandlerParts, 'times'>,
): Pick<IntegrationView, 'state' | 'opensAt'> {
  const closed = times.closedNow(integration)
  if (!integration.enabled) return { state: 'disabled', opensAt: null }
  return { state: closed?.closed ?? 'served', opensAt: closed?.closed === 'outside_hours' ? closed.opensAt : null }
}

/** Id of the member whose record it is, or null. */
function personOf({ id }: Integration, { persons }: Pick<AccessHandlerParts, 'persons'>): string | null {
  return persons.list().find(({ integration }) => integration === id)?.id ?? null
}

/** Revision text for `ifRevision`: it differs after each change by an administrator and after each restore. */
function revisionOf(
  { name, enabled, exposure, knobs, people = 'none', reports = [], ...rest }: Integration,
  { revisions }: AccessHandlerParts,
): string {
  const restored = revisions.raisedTo === 0 ? [] : [revisions.raisedTo]
  const { until = null, hours = [], opening = 'yes' } = rest
  const more = [until, hours, opening]
  const content = JSON.stringify([name, enabled, formatExposure(exposure), knobs, people, reports, more, ...restored])
  return hash('sha256', content, 'base64url').slice(0, 16)
}

interface PreviewParts {
  readonly home: ShownHome
  readonly credentials: readonly Credential[]
  readonly times: Pick<RecordTimes, 'words'>
  readonly stateOf: (credential: Credential, integration: Integration) => CredentialView['state']
}

type Differences = Pick<IntegrationPreview, 'appears' | 'disappears' | 'changes' | 'credentials'>

/** Differences that the programs of an integration would notice. */
export function differencesOf(before: Integration, after: Integration, parts: PreviewParts): Differences {
  return {
    ...visibleDifferences([before, parts.home], [after, parts.home]),
    changes: [
      ...enabledChange(before, after),
      ...knobChanges(before.knobs, after.knobs),
      ...reportsChange(before, after, parts.home.house),
      ...timeChanges(before, after, parts),
      ...openingChange(before, after),
    ],
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

function enabledChange(before: Integration, after: Integration): IntegrationPreview['changes'] {
  if (before.enabled === after.enabled) return []
  const [from, to] = [before.enabled, after.enabled].map((enabled) => (enabled ? 'on' : 'off'))
  const means = after.enabled ? 'Its requests are served.' : 'All its requests are refused.'
  return [{ what: 'enabled', from: from ?? '', to: to ?? '', means }]
}

function reportsChange(before: Integration, after: Integration, { people }: House): IntegrationPreview['changes'] {
  const [from = '', to = ''] = [before, after].map(({ reports = [] }) =>
    reports.map((id) => people.get(id)?.name ?? id).join(', '),
  )
  if (from === to) return []
  const means = to === '' ? 'It can report nobody’s presence.' : `It can report the presence of ${to}.`
  return [{ what: 'reports', from, to, means }]
}

function timeChanges(
  before: Integration,
  after: Integration,
  { times }: Pick<PreviewParts, 'times'>,
): IntegrationPreview['changes'] {
  const endOf = ({ until = null }: Integration): string => (until === null ? 'no end' : times.words(until))
  const hoursOf = ({ hours = [] }: Integration): string => hoursWords(hours)
  const changes = [
    { what: 'until', from: endOf(before), to: endOf(after), means: endMeaning(endOf(after)) },
    { what: 'hours', from: hoursOf(before), to: hoursOf(after), means: hoursMeaning(hoursOf(after)) },
  ]
  return changes.filter(({ from, to }) => from !== to)
}

const endMeaning = (end: string): string =>
  end === 'no end'
    ? 'Its requests are served without an end.'
    : `Its requests are refused from ${end} on, and its automations and schedules that open are turned off then.`

const hoursMeaning = (hours: string): string =>
  hours === 'always'
    ? 'Its requests are served at all hours.'
    : `Its requests are served ${hours}, and its automations and schedules open nothing at other times.`

function openingChange(
  { opening: from = 'yes' }: Integration,
  { opening: to = 'yes' }: Integration,
): IntegrationPreview['changes'] {
  if (from === to) return []
  const means = to === 'ask' ? 'An administrator confirms each opening.' : 'It opens by itself; its agents ask.'
  return [{ what: 'opening', from, to, means }]
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
