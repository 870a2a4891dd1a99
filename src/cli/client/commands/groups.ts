import type { GroupDetail } from '@hm-gateway/client/src/contract.ts'
import { listed, visible } from '../../shell/terminal.ts'
import type { ClientContext, OpenHome } from '../home/client-context.ts'
import { fullName, theOne } from '../home/name-match.ts'

/** `hm groups`: the named groups with their members. */
export async function groups(context: ClientContext): Promise<void> {
  const home = await context.open()
  const { groups: found, house } = await home.ask((client) => client.call('get', '/v1/groups'))
  context.show({ house, groups: found }, () =>
    listed(found, 'This login sees no groups.', {
      NAME: ({ name }) => visible(name),
      DEVICES: (group) => membersOf(group, home),
    }),
  )
}

/** `hm groups create NAME [DEVICE…]`. */
export async function create(context: ClientContext, name: string, devices: readonly string[]): Promise<void> {
  const home = await context.open()
  const body = { name, members: idsOf(devices, home) }
  const { group } = await home.ask((client) => client.call('post', '/v1/groups', { body }))
  show(context, home, group)
}

interface Edit {
  readonly name?: string
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
}

/** `hm groups rename`, `add` and `remove`. */
export async function edit(
  context: ClientContext,
  typed: string,
  { name, add = [], remove = [] }: Edit,
): Promise<void> {
  const home = await context.open()
  const before = await named(typed, home)
  const removed = idsOf(remove, home)
  const members = [...new Set([...before.members, ...idsOf(add, home)])].filter((id) => !removed.includes(id))
  const body = { ...(name === undefined ? { members } : { name }), ifRevision: before.revision }
  const { id } = before
  const { group } = await home.ask((client) => client.call('patch', '/v1/groups/{id}', { path: { id }, body }))
  show(context, home, group)
}

/** `hm groups delete NAME`. */
export async function remove(context: ClientContext, typed: string): Promise<void> {
  const home = await context.open()
  const { id, name, revision: ifRevision } = await named(typed, home)
  const path = '/v1/groups/{id}'
  const { house, deleted } = await home.ask((client) =>
    client.call('delete', path, { path: { id }, query: { ifRevision } }),
  )
  context.show({ house, deleted }, () => `Deleted the group ${visible(name)}.`)
}

async function named(typed: string, home: OpenHome): Promise<GroupDetail> {
  const { id } = theOne(typed, home.groups, 'group')
  return (await home.ask((client) => client.call('get', '/v1/groups/{id}', { path: { id } }))).group
}

function idsOf(devices: readonly string[], home: OpenHome): string[] {
  return devices.map((typed) => theOne(typed, home.things, 'device', ({ kind }) => kind !== 'module').id)
}

function show(context: ClientContext, home: OpenHome, group: GroupDetail): void {
  const { house } = home.house
  context.show({ house, group }, () => `${visible(group.name)}: ${membersOf(group, home)}.`)
}

function membersOf({ members, hiddenMembers }: GroupDetail, { things }: OpenHome): string {
  const names = members
    .map((id) => things.find((thing) => thing.id === id))
    .flatMap((thing) => (thing ? [fullName(thing)] : []))
  const others = hiddenMembers === 0 ? [] : [`${hiddenMembers} that this login does not see`]
  return [...names.map(visible), ...others].join(', ') || 'no devices'
}
