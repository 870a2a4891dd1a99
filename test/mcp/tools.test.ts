import { describe, expect } from 'vitest'
import { agentToken, connectAgent, ERAS, homeForAgents } from '../support/agents.ts'
import { proves } from '../support/verifies.ts'

describe('the official client', () => {
  for (const era of ERAS) {
    proves(['D10.eras', 'D10.tools', '1.7.agents'], `of ${era} lists the tools and switches a light`, async () => {
      await using home = await homeForAgents()
      await using client = await connectAgent(home, agentToken(home), era)
      const { tools } = await client.listTools()
      expect(tools.length).toBeLessThanOrEqual(12)
      const answer = await client.callTool({ name: 'control', arguments: { device: home.id('hall-light'), op: 'set_power', args: { on: true } } })
      expect(answer).toMatchObject({ structuredContent: { device: home.id('hall-light'), state: { on: true } } })
    })
  }
})
