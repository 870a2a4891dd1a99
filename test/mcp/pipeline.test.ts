// @module-tag relay
// @module-tag repeated
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { Client } from '@modelcontextprotocol/client'
import { agentToken, callTool, connectAgent, ERAS, homeForAgents, refusalOf } from '#support/gateway/agents.ts'
import type { TestHome, TestIntegration } from '#support/gateway/harness.ts'
import { proves } from '#support/gateway/verifies.ts'
import { casesOf } from '#support/long.ts'

let home: TestHome
beforeAll(async () => {
  home = await homeForAgents()
})
afterAll(async () => {
  await home[Symbol.asyncDispose]()
})

const ALLOWED = {
  agent_access: 'on',
  advanced_config: 'read_write',
  structural: 'on',
  automations: 'on',
  schedules: 'on',
}

/** An agent that sees only the study. */
async function inStudy(
  settings: Readonly<Record<string, string>>,
): Promise<{ client: Client & AsyncDisposable; who: TestIntegration }> {
  const who = await home.integrate({ expose: ['room:study'], settings })
  return { who, client: await connectAgent(home, await agentToken(home, who), '2026-07-28') }
}

/** Calls with the id of a thing in every place that takes one. */
const placesOf = (
  id: string,
  room: string,
  scene: string,
  rule: string,
): readonly (readonly [string, Record<string, unknown>])[] => [
  ['house', { room }],
  ['house', { floor: room }],
  ['state', { ids: [id] }],
  ['control', { device: id, op: 'set_power', args: { on: true } }],
  ['control', { device: scene, op: 'run' }],
  ['control', { room, op: 'set_power', args: { on: true } }],
  ['control', { floor: room, class: 'lock', op: 'open' }],
  ['intents', { device: id }],
  ['set_intent', { device: id, intent: 'led_mode', value: 'on' }],
  ['explain', { device: id }],
  ['activity', { device: id }],
  ['sensors', { device: id }],
  ['energy', { scope: `device:${id}` }],
  ['energy', { scope: `room:${room}` }],
  ['rules', { kind: 'scene', id: scene }],
  ['rules', { kind: 'automation', id: rule }],
  ['rules', { kind: 'schedule', id: rule }],
  ['rules', { kind: 'unit_schedules', id }],
  ['save_rule', { kind: 'scene', id: scene, ifRevision: 1, body: { name: 'Mine' } }],
  [
    'save_rule',
    { kind: 'scene', body: { name: 'Mine', steps: [{ device: id, op: 'set_power', args: { on: true } }] } },
  ],
  ['rename', { kind: 'device', id, name: 'Mine' }],
  ['rename', { kind: 'room', id: room, name: 'Mine' }],
]

describe('through tools', () => {
  proves(['agents.mcp-pipeline', 'agents.mcp-refusal'], 'hidden and invented ids get the same answer', async () => {
    const { client, who } = await inStudy(ALLOWED)
    await using _client = client
    const id = (local: string): string => home.id(local, who)
    const hidden = placesOf(id('hall-light'), id('room:hall'), id('scene:good-night'), id('automation:hidden'))
    const invented = placesOf(id('invented'), id('room:invented'), id('scene:invented'), id('automation:invented'))
    for (const [index, [name, args]] of hidden.entries()) {
      const answer = await callTool(client, name, args)
      const where = `${name} ${JSON.stringify(args)}`
      expect(refusalOf(answer).code, where).toBe('not_found')
      expect(answer, where).toEqual(await callTool(client, name, invented[index]?.[1]))
    }
    expect(JSON.stringify(await callTool(client, 'house'))).not.toMatch(/hall|Hall/)
    expect(await callTool(client, 'sensors', { room: id('room:hall') })).toEqual(
      await callTool(client, 'sensors', { room: id('room:invented') }),
    )
  })

  proves(
    ['agents.mcp-pipeline', 'agents.mcp-refusal'],
    'a knob that is off refuses with the same code as everywhere',
    async () => {
      const { client, who } = await inStudy({
        agent_access: 'on',
        advanced_config: 'off',
        structural: 'off',
        automations: 'off',
        schedules: 'off',
      })
      await using _client = client
      const device = home.id('study-light', who)
      const refused = async (name: string, args: Record<string, unknown>): Promise<string> =>
        refusalOf(await callTool(client, name, args)).code
      expect(await refused('intents', { device })).toBe('config_not_allowed')
      expect(await refused('set_intent', { device, intent: 'led_mode', value: 'on' })).toBe('config_not_allowed')
      expect(await refused('rename', { kind: 'device', id: device, name: 'Mine' })).toBe('structural_not_allowed')
      expect(await refused('rules', { kind: 'automation' })).toBe('automations_not_allowed')
      expect(await refused('rules', { kind: 'schedule' })).toBe('schedules_not_allowed')
      expect(await refused('rules', { kind: 'unit_schedules', id: device })).toBe('schedules_not_allowed')
      await home.change(who, { settings: { automations: 'on' } })
      expect(await callTool(client, 'rules', { kind: 'automation' })).toMatchObject({
        structuredContent: { rules: [] },
      })
    },
  )

  proves('agents.mcp-pipeline', 'every act of an agent is in the activity under its name, for all to see', async () => {
    await using client = await connectAgent(home, await agentToken(home), '2025-11-25')
    const device = home.id('study-light')
    const before = await home.get('/v1/activity')
    for (const on of [true, false]) await callTool(client, 'control', { device, op: 'set_power', args: { on } })
    const { entries } = (await home.get('/v1/activity')) as {
      entries: { id: string; device: string; cause: object }[]
    }
    const added = entries.filter(
      ({ id }) => !(before as typeof before & { entries: { id: string }[] }).entries.some((entry) => entry.id === id),
    )
    expect(added).toHaveLength(2)
    for (const entry of added)
      expect(entry).toMatchObject({ device, cause: { source: 'agent', name: 'Agent: Claude via Claude Code' } })
  })
})

describe.each(casesOf(ERAS, 2))('a refusal to a client of %s', (era) => {
  proves('agents.mcp-refusal', 'reveals no internals for an id with half a character', async () => {
    await using client = await connectAgent(home, await agentToken(home), era)
    const id = 'half \ud800 a character'
    for (const [name, args] of [
      ['control', { device: id, op: 'open' }],
      ['set_intent', { device: id, intent: id, value: 1 }],
      ['rules', { kind: 'scene', id }],
    ] as const) {
      expect(refusalOf(await callTool(client, name, args)).code).toMatch(/not_found|validation/)
    }
    await expect(client.readResource({ uri: 'hm://devices/%E0%A4%A' })).rejects.toThrow(/not found/i)
  })

  proves('agents.mcp-refusal', 'has the Error shape for every mistake', async () => {
    await using client = await connectAgent(home, await agentToken(home), era)
    const device = home.id('study-light')
    const wrong: readonly (readonly [string, Record<string, unknown>])[] = [
      ['control', {}],
      ['control', { op: 'open' }],
      ['control', { devices: [], op: 'open' }],
      ['control', { devices: Array.from({ length: 101 }, () => device), op: 'open' }],
      ['control', { device, room: home.id('room:study'), op: 'stop' }],
      ['control', { device, class: 'lock', op: 'open' }],
      ['control', { room: home.id('room:study'), op: 'run' }],
      ['control', { device, op: 'fly' }],
      ['control', { device, op: 'open' }],
      ['control', { device, op: 'set_power', args: { on: 'yes' } }],
      ['control', { device, op: 'set_power', args: { on: true }, confirmed: true }],
      ['house', { limit: 1_000 }],
      ['house', { cursor: 'bm9uZQ', class: 'lock' }],
      ['house', { cursor: 'bm9uZQ' }],
      ['activity', { from: 'yesterday' }],
      ['activity', { from: '2026-01-01T10:00' }],
      ['rules', { kind: 'unit_schedules' }],
      ['set_intent', { device, intent: 'led_mode' }],
      ['state', { ids: [] }],
    ]
    for (const [name, args] of wrong) {
      const { code, message } = refusalOf(await callTool(client, name, args))
      expect(code, `${name} ${JSON.stringify(args)}: ${message}`).toBe('validation')
    }
    await callTool(client, 'save_rule', {
      kind: 'schedule',
      body: { name: `Stale ${era}`, at: { time: '08:00' }, then: [{ device, op: 'set_power', args: { on: true } }] },
    })
    const { rules } = (await callTool(client, 'rules', { kind: 'schedule' })).structuredContent as {
      rules: { id: string; name: string }[]
    }
    const rule = rules.find(({ name }) => name === `Stale ${era}`)
    expect(
      refusalOf(
        await callTool(client, 'save_rule', { kind: 'schedule', id: rule?.id, ifRevision: 9, body: { name: 'Late' } }),
      ).code,
    ).toBe('revision_mismatch')
    expect(
      refusalOf(await callTool(client, 'save_rule', { kind: 'schedule', id: rule?.id, body: { name: 'Late' } })).code,
    ).toBe('validation')
  })
})
