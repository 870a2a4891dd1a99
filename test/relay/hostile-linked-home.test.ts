// @module-tag repeated
import { describe, expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { times } from '#support/long.ts'
import { OAuthAgent } from '#support/relay/oauth-agent.ts'
import { HOME, olgasRelay } from '#support/relay/test-web.ts'
import { SeededRandom } from '../../src/sim/model/seeded-random.ts'

const SEED = Number(process.env['HM_TEST_SEED'] ?? Date.now() % 1e9)
const ORDERS = times(3, 100)
const HOSTILE = 'bcdefghjkmnp'
const THIRD = 'cdefghjkmnpq'
const RECORD = '0b6e9c1e-0000-4000-8000-000000000000'
const DOOR = `mcp/r/${RECORD}`

/** An account with these homes; one has the integration, and the hostile one claims every integration. */
async function world(homes: readonly string[]) {
  const relay = await olgasRelay({ homes })
  relay.homes.records.set(RECORD, HOME)
  relay.homes.hostile.set(HOSTILE, {})
  // The hostile home copies the name of the honest one.
  for (const serial of homes) relay.homes.houses.set(serial, `House of ${HOME}`)
  const agent = await OAuthAgent.register(relay.origin, relay.fetch, {}, DOOR)
  const url = await agent.authorizeUrl()
  const letIn = async (home: string): Promise<URLSearchParams> => {
    const page = await relay.olga.submit(await relay.olga.open(url), 'Ask the administrators', { home })
    relay.homes.decide('accepted')
    await relay.olga.wait(page)
    return agent.answerOf(relay.olga.left)
  }
  return { ...relay, agent, url, letIn }
}

describe(`an account that is linked to a hostile home, seed ${SEED}`, () => {
  proves('relay.picked-home', `leads the agent to the chosen home in ${ORDERS} of ${ORDERS} orders`, async () => {
    console.info(`HM_TEST_SEED=${SEED}`)
    const random = new SeededRandom(`orders ${SEED}`)
    for (let turn = 0; turn < ORDERS; turn += 1) {
      const homes = [HOME, HOSTILE, THIRD].sort(() => random.float() - 0.5)
      if (turn < 2) homes.splice(0, 3, ...(turn === 0 ? [HOME, HOSTILE] : [HOSTILE, HOME]))
      const { homes: gateways, agent, letIn, olga, url } = await world(homes)
      const choose = await olga.open(url)
      for (const serial of homes) expect(choose.text).toContain(serial)
      expect(choose.html).not.toContain('checked')
      // A parallel attempt goes to the hostile home, as its owner could choose it.
      const other = await olga.open(await agent.with().authorizeUrl())
      const [tokens] = await Promise.all([
        letIn(HOME).then((answer) => agent.redeemed(answer)),
        random.float() < 0.5 ? olga.submit(other, 'Ask the administrators', { home: HOSTILE }) : null,
      ])
      expect(tokens.access_token).toContain(`_${HOME}.`)
      const reached = [...gateways.requests.values()].filter(
        ({ status, redeemed }) => status === 'accepted' && redeemed,
      )
      expect(reached.map(({ gateway }) => gateway)).toEqual([HOME])
    }
  })

  proves('relay.picked-home', 'gets no token of another home or integration from the chosen one', async () => {
    const { homes, agent, letIn } = await world([HOSTILE, HOME])
    const refused = async (tokenResponse: Promise<Response>): Promise<void> => {
      const answer = await tokenResponse
      expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ error: 'invalid_grant' })])
    }
    const answer = await letIn(HOSTILE)
    homes.hostile.set(HOSTILE, { tokensOf: HOME })
    await refused(agent.redeem(answer))
    homes.hostile.set(HOSTILE, { door: 'mcp' })
    await refused(agent.redeem(await letIn(HOSTILE)))
    homes.hostile.set(HOSTILE, {})
    const { refresh_token: refresh = '' } = await agent.redeemed(await letIn(HOSTILE))
    homes.hostile.set(HOSTILE, { tokensOf: HOME })
    await refused(agent.refresh(refresh))
    homes.hostile.set(HOSTILE, { door: 'mcp' })
    await refused(agent.refresh(refresh, { resource: agent.resource }))
  })
})
