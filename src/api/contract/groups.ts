import { z } from 'zod'
import { GROUP_MEMBERS_MAX } from '../../home/model/groups.ts'
import { originSchema } from '../../home/model/device.ts'
import { noRevisionYet } from '../../home/rules/schema.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'
import { endpoint } from './endpoint.ts'
import { count, named, text, wholeNumber } from './fields.ts'
import { Group, Id, OriginShape, PlainName, Revision } from './shapes.ts'

const GroupDetail = named('GroupDetail', 'A named group as this integration sees it.', () => ({
  ...Group.shape,
  hiddenMembers: count('Number of further members that this integration does not show.'),
  revision: Revision,
  origin: OriginShape,
}))

const members = z
  .array(Id)
  .max(GROUP_MEMBERS_MAX)
  .refine((ids) => new Set(ids).size === ids.length, 'must not name a device twice')
  .meta({ uniqueItems: true, description: 'Its exposed devices: units and gangs.' })
const asRead = { description: 'The value of the last read.' }

const GroupCreate = strictObject(() => ({
  name: PlainName,
  members: members.default([]),
  ifRevision: noRevisionYet,
})).meta({ id: 'GroupCreate', description: 'A new group.' })

const GroupEdit = strictObject(() => ({
  name: PlainName.optional(),
  members: members.optional(),
  id: z.string().optional().meta(asRead),
  hiddenMembers: z.int().optional().meta(asRead),
  revision: Revision.optional().meta(asRead),
  origin: originSchema.optional(),
  ifRevision: Revision.describe('The revision of the last read.'),
})).meta({ id: 'GroupEdit', description: 'Fields to change; missing fields stay as they are.' })

/** Named groups; like scenes, they need no knob (docs/devices.md#named-groups). */
export const groups = {
  'groups.list': endpoint('GET', '/v1/groups', {
    summary: 'The exposed named groups with their members',
    spec: 'docs/devices.md',
    tagged: true,
    answer: looseObject(() => ({ groups: z.array(GroupDetail) })),
  }),
  'groups.get': endpoint('GET', '/v1/groups/{id}', {
    summary: 'One named group',
    spec: 'docs/devices.md',
    subject: 'group',
    tagged: true,
    answer: looseObject(() => ({ group: GroupDetail })),
  }),
  'groups.create': endpoint('POST', '/v1/groups', {
    configures: true,
    summary: 'Create a named group; on a Selected integration it joins the selection',
    spec: 'docs/devices.md',
    body: GroupCreate,
    status: 201,
    answer: looseObject(() => ({ group: GroupDetail })),
    errors: ['not_found'],
  }),
  'groups.edit': endpoint('PATCH', '/v1/groups/{id}', {
    configures: true,
    summary: 'Edit a named group; members that this integration cannot see stay',
    spec: 'docs/devices.md',
    subject: 'group',
    body: GroupEdit,
    answer: looseObject(() => ({ group: GroupDetail })),
    errors: ['revision_mismatch'],
  }),
  'groups.delete': endpoint('DELETE', '/v1/groups/{id}', {
    configures: true,
    summary: 'Delete a named group of which this integration sees every member',
    spec: 'docs/devices.md',
    subject: 'group',
    query: strictObject(() => ({
      ifRevision: wholeNumber(1, Number.MAX_SAFE_INTEGER, 'The revision of the last read.'),
    })),
    answer: looseObject(() => ({ deleted: text('The id of the deleted group.') })),
    errors: ['revision_mismatch', 'not_offered'],
  }),
} as const
