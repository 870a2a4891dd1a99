// @module-tag repeated
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { simulatedHome } from '../../src/gateway/simulated-home.ts'
import { agentToken, callTool, connectAgent, homeForAgents } from '#support/gateway/agents.ts'
import { proves } from '#support/gateway/verifies.ts'
import { LONG } from '#support/long.ts'

const LIST_TOKENS_MAX = 4_000
/** Limit for routine calls of a model. */
const HOUSE_TOKENS_MAX = 8_000

const tokensOf = (value: unknown): number => countTokens(JSON.stringify(value))

describe.each(LONG ? [30, 300, 3_000] : [300])('in a house of %d units', (units) => {
  proves('agents.mcp-budget', 'the list of tools and the contents of the house fit a conversation', async () => {
    const line = simulatedHome({ kind: 'sim', units, seed: 1, speed: 1 }, systemClock, 'Europe/Berlin')
    await using home = await homeForAgents({ firstHouse: line.newHome.house(), settled: false })
    await using client = await connectAgent(home, await agentToken(home), '2026-07-28')
    const list = tokensOf((await client.listTools()).tools)
    const house = (await callTool(client, 'house')).structuredContent as {
      rooms: { id: string }[]
      total: number
      nextCursor: string | null
    }
    const room = (await callTool(client, 'house', { room: house.rooms[0]?.id })).structuredContent
    const lights = (await callTool(client, 'house', { class: 'light_dimmer' })).structuredContent
    console.info(
      `${units} units: tools ${list} tokens, instructions ${tokensOf(client.getInstructions())}, house ${tokensOf(house)} (${house.rooms.length} rooms), one room ${tokensOf(room)}, dimmers ${tokensOf(lights)}`,
    )
    expect(list).toBeLessThan(LIST_TOKENS_MAX)
    expect(house.total).toBe(units)
    for (const answer of [house, room, lights]) expect(tokensOf(answer)).toBeLessThan(HOUSE_TOKENS_MAX)
  })
})
