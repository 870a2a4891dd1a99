import { describe, expect } from 'vitest'
import { batch, batchResults, localsOf } from '#support/gateway/batches.ts'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { type TestHome, type TestIntegration, verifies } from '#support/gateway/harness.ts'

interface Group {
  readonly id: string
  readonly name: string
  readonly members: readonly string[]
  readonly hiddenMembers: number
  readonly revision: number
}

const ON = { op: 'set_power', args: { on: true } }
const OFF = { op: 'set_power', args: { on: false } }

function ids(home: TestHome, locals: readonly string[], who: TestIntegration = home.main): string[] {
  return locals.map((local) => home.id(local, who))
}

function create(home: TestHome, body: object, who: TestIntegration = home.main): Promise<RawAnswer> {
  return home.call({ method: 'POST', path: '/v1/groups', body, token: who.token })
}

async function created(
  home: TestHome,
  name: string,
  locals: readonly string[],
  who: TestIntegration = home.main,
): Promise<Group> {
  const answer = await create(home, { name, members: ids(home, locals, who) }, who)
  expect(answer.status, answer.text).toBe(201)
  return (answer.body as { group: Group }).group
}

const at = ({ id }: Pick<Group, 'id'>): string => `/v1/groups/${encodeURIComponent(id)}`

function edit(home: TestHome, group: Group, body: object, who: TestIntegration = home.main): Promise<RawAnswer> {
  const whole = { ifRevision: group.revision, ...body }
  return home.call({ method: 'PATCH', path: at(group), body: whole, token: who.token })
}

function remove(home: TestHome, group: Group, who: TestIntegration = home.main): Promise<RawAnswer> {
  return home.call({
    method: 'DELETE',
    path: at(group),
    query: { ifRevision: String(group.revision) },
    token: who.token,
  })
}

/** Another integration that sees the group of the first and two of its members. */
async function neighbour(home: TestHome, { id }: Group): Promise<{ who: TestIntegration; seen: Group }> {
  const local = id.split(':').at(-1) ?? ''
  const who = await home.integrate({ expose: [`group:${local}`, 'unit:living-lamp', 'unit:study-light'] })
  const { group } = (await home.get(at({ id: home.id(`group:${local}`, who) }), who.token)) as { group: Group }
  return { who, seen: group }
}

describe('named groups', () => {
  verifies(['devices.groups'], 'are created, listed in the house, edited and deleted', async (home) => {
    const group = await created(home, 'Reading lights', ['study-light', 'living-lamp'])
    expect(group).toMatchObject({
      ...{ name: 'Reading lights', hiddenMembers: 0, revision: 1 },
      members: ids(home, ['living-lamp', 'study-light']),
      origin: { integration: home.main.id },
    })
    expect(await home.get('/v1/groups')).toMatchObject({ groups: [group] })
    expect(await home.get(at(group))).toMatchObject({ group })
    const { id, name, members } = group
    expect((await home.get('/v1/house'))['groups']).toEqual([{ id, name, members }])
    expect((await home.get('/v1/house?class=group'))['groups']).toEqual([{ id, name, members }])
    const { group: edited } = (await edit(home, group, { name: 'Desk', members: ids(home, ['study-desk']) })).body as {
      group: Group
    }
    expect(edited).toMatchObject({ name: 'Desk', members: ids(home, ['study-desk']), revision: 2 })
    const { group: same } = (await edit(home, edited, edited)).body as { group: Group }
    expect(same).toEqual(edited)
    expect((await edit(home, group, { name: 'Late' })).status).toBe(409)
    expect((await remove(home, group)).status).toBe(409)
    expect((await remove(home, edited)).body).toMatchObject({ deleted: group.id })
    expect(await home.get('/v1/groups')).toMatchObject({ groups: [] })
    expect((await edit(home, edited, {})).status).toBe(404)
  })

  verifies(['devices.groups'], 'refuse wrong bodies by their field', async (home) => {
    const invented = home.id('invented')
    expect((await create(home, { name: 'X', members: [home.id('living-lamp'), invented] })).status).toBe(404)
    for (const [body, words] of [
      [{ name: 'X', members: ids(home, ['kitchen-panel']) }, 'members[0]'],
      [{ name: 'X', members: ids(home, ['living-lamp', 'living-lamp']) }, 'twice'],
      [{ name: 'X', ifRevision: 1 }, 'ifRevision'],
      [{ members: [] }, 'name'],
      [{ name: 'Light' }, 'name: Light is a word for devices'],
      [{ name: 'X', room: null }, 'room'],
    ] as const) {
      const answer = await create(home, body)
      expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(words)])
    }
    const group = await created(home, 'X', [])
    expect((await edit(home, group, { ifRevision: undefined })).status).toBe(422)
    expect((await edit(home, group, { hiddenMembers: 3 })).status).toBe(422)
    expect((await edit(home, group, { name: 'any' })).text).toContain('a word for devices')
    await remove(home, group)
  })

  verifies(['devices.groups'], 'join the selection of their integration', async (home) => {
    const who = await home.integrate({ expose: ['unit:living-lamp'] })
    const group = await created(home, 'Mine', ['living-lamp'], who)
    expect(await home.get('/v1/groups', who.token)).toMatchObject({ groups: [{ id: group.id, name: 'Mine' }] })
    const other = await home.integrate({ expose: ['unit:living-lamp'] })
    expect(await home.get('/v1/groups', other.token)).toMatchObject({ groups: [] })
    await remove(home, group, who)
  })

  verifies(['devices.groups-hidden'], 'count hidden members, which stay in an edit', async (home) => {
    const whole = await created(home, 'Evening', ['living-lamp', 'study-light', 'hall-light', 'dishwasher'])
    const { who, seen } = await neighbour(home, whole)
    expect(seen).toMatchObject({ members: ids(home, ['living-lamp', 'study-light'], who), hiddenMembers: 2 })
    expect(JSON.stringify(await home.get('/v1/house', who.token))).not.toContain('hall-light')
    const changed = (await edit(home, seen, { members: ids(home, ['living-lamp'], who) }, who)).body
    expect(changed).toMatchObject({ group: { hiddenMembers: 2, revision: 2 } })
    const { group } = (await home.get(at(whole))) as { group: Group }
    expect(group.members.toSorted()).toEqual(ids(home, ['dishwasher', 'hall-light', 'living-lamp']))
    // An edit of hidden members is no edit for this viewer.
    await edit(home, group, { members: ids(home, ['hall-light', 'living-lamp']) })
    const after = (await home.get(at(seen), who.token)) as { group: Group }
    expect(after.group).toMatchObject({ hiddenMembers: 1, revision: 2 })
    expect(await remove(home, after.group, who)).toMatchObject({
      status: 403,
      body: { error: { code: 'not_offered' } },
    })
    const activity = (await home.get(`/v1/activity?device=${encodeURIComponent(whole.id)}`)) as {
      entries: { subject: string; what: string; cause: { name: string } }[]
    }
    expect(activity.entries.map(({ what }) => what)).toEqual(['edited', 'edited', 'created as Evening'])
    expect(activity.entries[0]).toMatchObject({ subject: 'group', cause: { source: 'integration' } })
    const entries = (await home.get('/v1/activity', who.token))['entries'] as { subject: string }[]
    expect(entries.filter(({ subject }) => subject === 'group')).toEqual([])
    await remove(home, ((await home.get(at(whole))) as { group: Group }).group)
  })

  verifies(['devices.groups-control'], 'are controlled in one call, also narrowed to a room', async (home) => {
    const group = await created(home, 'Mixed', ['living-lamp', 'study-light', 'study-desk', 'landing-sensor'])
    const body = { group: group.id, ...ON }
    expect(localsOf(await batchResults(home, body))).toEqual(['living-lamp', 'study-desk', 'study-light'])
    const room = home.id('room:study')
    expect(localsOf(await batchResults(home, { ...body, room, ...OFF }))).toEqual(['study-desk', 'study-light'])
    expect((await batch(home, { group: home.id('group:invented'), ...ON })).status).toBe(404)
    expect((await batch(home, { group: 'lamps', ...ON })).status).toBe(404)
    expect((await batch(home, { group: group.id, op: 'open' })).status).toBe(422)
    await remove(home, group)
  })

  verifies(['devices.groups-control'], 'never open a lock or gate', async (home) => {
    const group = await created(home, 'Everything', ['front-door', 'driveway-gate', 'living-shutter'])
    const who = await home.integrate({ settings: { allow_unlock: 'on' } })
    const answers = await batchResults(
      home,
      { group: home.id(group.id.split(':').slice(2).join(':'), who), op: 'open' },
      who,
    )
    const open = answers.flatMap(({ device, error }) => (error === undefined ? [String(device).split(':').at(-1)] : []))
    expect(open).toEqual(['living-shutter'])
    expect(localsOf(await batchResults(home, { group: group.id, op: 'close' }))).toHaveLength(3)
    await remove(home, group)
  })
})
