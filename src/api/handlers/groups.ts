import type { AccessChange } from '../../exposure/access-change.ts'
import type { ExposedHouse } from '../../exposure/exposed-house.ts'
import type { IntegrationAdmin } from '../../exposure/integration-admin.ts'
import type { House } from '../../home/house/house.ts'
import {
  editGroup,
  GROUP_MEMBERS_MAX,
  GROUPS_MAX,
  isMember,
  newGroup,
  RESERVED_GROUP_IDS,
} from '../../home/model/groups.ts'
import type { DeviceKey } from '../../home/model/device.ts'
import type { Group } from '../../home/model/house.ts'
import { readOnlyProblem } from '../../home/rules/problems.ts'
import type { Rules } from '../../home/rules/rules.ts'
import { usersOf, usersOff } from '../../home/rules/users.ts'
import { visibleRevision } from '../../home/rules/scenes/scene-edit.ts'
import type { Emitter } from '../../lib/emitter.ts'
import { type Random, randomId } from '../../lib/random.ts'
import type { groups } from '../contract/groups.ts'
import type { Refuse } from '../errors.ts'
import { isRuleShown, type ShownRules } from '../exposed-causes.ts'
import type { HandlersOf } from '../handler.ts'
import { originOf, refuseProblem, refuseStale } from './saving.ts'

export interface GroupParts {
  readonly house: House
  readonly integrations: Pick<IntegrationAdmin, 'addPick'>
  readonly random: Random
  readonly rules: ShownRules & Pick<Rules, 'automations' | 'schedules' | 'switches'>
  /** Notified that an integration sees the group that it created. */
  readonly accessChanges: Pick<Emitter<AccessChange>, 'emit'>
}

const ID_LENGTH = 12
/** Limit of groups that one integration created, so that none takes the room of others. */
const GROUPS_OF_ONE_MAX = 50

export function groupHandlers({
  house,
  integrations,
  random,
  rules,
  accessChanges,
}: GroupParts): HandlersOf<typeof groups> {
  return {
    'groups.list': ({ view }) => ({
      groups: view.groups.flatMap((group) => view.groupContent(group) ?? []).map((group) => detailOf(group, view)),
    }),
    'groups.get': ({ subject, view, refuse }) => ({
      group: detailOf(view.groupContent(subject) ?? refuse('not_found'), view),
    }),
    'groups.create': ({ body, view, identity, cause, refuse }) => {
      const members = keysOf(body.members, view, refuse)
      const { integration } = identity
      refuseWord(body.name, refuse)
      refuseFull(house, integration.id, refuse)
      const position = Math.max(-1, ...[...house.groups.values()].map((group) => group.position)) + 1
      const id = randomId(random, ID_LENGTH)
      const group = newGroup({ id, name: body.name, members, origin: originOf(identity), position })
      house.saveGroup(group, `created as ${group.name}`, cause, () =>
        integrations.addPick(integration, { kind: 'group', id }),
      )
      accessChanges.emit({ integration: integration.id, deleted: false })
      return {
        created: { group: detailOf(group, view) },
        location: `/v1/groups/${encodeURIComponent(view.ids.of('group', id))}`,
      }
    },
    'groups.edit': ({ subject, body, view, identity, cause, refuse }) => {
      const stored = view.groupContent(subject) ?? refuse('not_found')
      const named = body.members && keysOf(body.members, view, refuse)
      const { revision: current, ...before } = detailOf(stored, view)
      if (body.ifRevision !== current) refuseStale(current, refuse)
      const { id, hiddenMembers, origin } = before
      refuseProblem(readOnlyProblem(body, { id, hiddenMembers, origin }), refuse)
      const isHidden = (key: DeviceKey): boolean => view.byKey(key) === undefined
      const members = named && [...named, ...stored.members.filter(isHidden)]
      refuseCrowded(members, refuse)
      if (body.name !== undefined && body.name !== stored.name) refuseWord(body.name, refuse)
      const edited = editGroup(stored, { name: body.name, members }, originOf(identity))
      if (edited !== stored) house.saveGroup(edited, 'edited', cause)
      return { group: detailOf(edited, view) }
    },
    'groups.delete': ({ subject, query, view, cause, refuse }) => {
      const stored = view.groupContent(subject) ?? refuse('not_found')
      const { revision, hiddenMembers } = detailOf(stored, view)
      if (query.ifRevision !== revision) refuseStale(revision, refuse)
      if (hiddenMembers > 0)
        refuse('not_offered', { message: 'The group has members that you do not see: an administrator can delete it.' })
      refuseWhileUsed(subject.local, rules, view, refuse)
      house.removeGroup(subject.local, cause, usersOff(usersOf('groups', subject.local, rules), rules, cause))
      return { deleted: subject.id }
    },
  }
}

function detailOf(group: Group, view: ExposedHouse) {
  const { id, name, members, hiddenMembers } = view.showGroup(group)
  return {
    ...{ id, name, members: members.map((device) => device.id), hiddenMembers },
    revision: visibleRevision(group, (device) => view.byKey(device) !== undefined),
    origin: group.origin && { integration: group.origin.integration, link: group.origin.link },
  }
}

/** Device keys of named members: exposed ids (404) of units and gangs (422). */
function keysOf(ids: readonly string[], view: ExposedHouse, refuse: Refuse<'not_found'>): readonly DeviceKey[] {
  const devices = ids.map((id, index) => view.device(id) ?? refuse('not_found', { field: `members[${index}]` }))
  const module = devices.findIndex((device) => !isMember(device.class))
  if (module >= 0)
    refuse('validation', {
      message: `members[${module}]: must be a unit or gang; name the module's gangs.`,
      at: `/members/${module}`,
    })
  return devices.map(({ key }) => key)
}

/** Refuses to delete a group that a rule of this view uses. Hidden rules are turned off, without a word about them. */
function refuseWhileUsed(group: string, rules: ShownRules, view: ExposedHouse, refuse: Refuse): void {
  const users = usersOf('groups', group, rules)
    .filter(({ kind, id }) => isRuleShown(kind, id, view, rules))
    .map(({ kind, name }) => `the ${kind} ${name}`)
  if (users.length > 0)
    refuse('validation', { message: `The group is used by ${users.join(', ')}: change or delete that first.` })
}

function refuseCrowded(members: readonly DeviceKey[] | undefined, refuse: Refuse): void {
  if (members === undefined || members.length <= GROUP_MEMBERS_MAX) return
  refuse('validation', {
    at: '/members',
    message: `members: a group has ${GROUP_MEMBERS_MAX} members at most, including members that you do not see.`,
  })
}

/** Commands take words for devices before names of groups. */
function refuseWord(name: string, refuse: Refuse): void {
  if (!RESERVED_GROUP_IDS.has(name.toLowerCase())) return
  refuse('validation', { at: '/name', message: `name: ${name} is a word for devices: choose another name.` })
}

function refuseFull(house: House, integration: string, refuse: Refuse): void {
  const own = [...house.groups.values()].filter(({ origin }) => origin?.integration === integration).length
  const isFull = house.groups.size >= GROUPS_MAX
  if (!isFull && own < GROUPS_OF_ONE_MAX) return
  const [whose, limit] = isFull ? ['The home', GROUPS_MAX] : ['This integration', GROUPS_OF_ONE_MAX]
  refuse('validation', { message: `${whose} has reached its limit of ${limit} groups: delete one first.` })
}
