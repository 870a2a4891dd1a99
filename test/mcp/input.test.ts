// @module-tag relay
// @module-tag repeated
import type { ElicitResult } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import {
  agentToken,
  callTool,
  connectAgent,
  ERAS,
  homeForAgents,
  refusalOf,
  type ToolAnswer,
} from '#support/gateway/agents.ts'
import type { TestHome } from '#support/gateway/harness.ts'
import { proves } from '#support/gateway/verifies.ts'
import { casesOf } from '#support/long.ts'

const FRONT_DOOR = 13

let home: TestHome
beforeAll(async () => {
  home = await homeForAgents()
})
afterAll(async () => {
  await home[Symbol.asyncDispose]()
})

interface Waiting {
  readonly id: string
  readonly code: string
  readonly state: string
}

async function waiting(): Promise<readonly Waiting[]> {
  const { confirmations } = await home.running.admin.call<{ confirmations: Waiting[] }>('GET', '/confirmations')
  return confirmations
}

function isLocked(): boolean | undefined {
  const state = home.running.sim.house.unit(FRONT_DOOR)?.device(null)?.state()
  return state && 'locked' in state ? state.locked : undefined
}

type Answer = (question: string) => Promise<ElicitResult> | ElicitResult

/** An agent with a user who answers every question in this way, and the list of questions. */
async function agentWhose(
  era: (typeof ERAS)[number],
  answer: Answer,
): Promise<{ open: (more?: object) => Promise<ToolAnswer>; questions: string[] } & AsyncDisposable> {
  const client = await connectAgent(home, await agentToken(home), era, { capabilities: { elicitation: {} } })
  const questions: string[] = []
  client.setRequestHandler('elicitation/create', (request) => {
    questions.push(request.params.message)
    return answer(request.params.message)
  })
  return {
    questions,
    open: (more = {}) => callTool(client, 'control', { device: home.id('front-door'), op: 'open', ...more }),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

async function lock(): Promise<void> {
  await home.call({ method: 'POST', path: home.at('front-door', '/control'), body: { op: 'close' } })
  expect(isLocked()).toBe(true)
}

const codeOf = async (question: string): Promise<string> =>
  (await waiting()).find(({ id }) => question.includes(id))?.code ?? ''

/** Six digits that are not the code. */
const otherThan = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

describe.each(casesOf(ERAS, 2))('a client of %s that takes questions', (era) => {
  const wrong: readonly (readonly [string, Answer])[] = [
    ['nothing at all', () => ({ action: 'accept', content: {} })],
    ['an empty code', () => ({ action: 'accept', content: { code: '' } })],
    ['a wrong code', async (question) => ({ action: 'accept', content: { code: otherThan(await codeOf(question)) } })],
    [
      'the id of the confirmation',
      (question) => ({ action: 'accept', content: { code: /[A-Z]{4}/.exec(question)?.[0] ?? 'none' } }),
    ],
    [
      'yes, and every flag it can think of',
      () => ({ action: 'accept', content: { code: 'yes', confirm: true, confirmed: true, allow_unlock: 'on' } }),
    ],
    ['a no', () => ({ action: 'decline' })],
    ['a cancel', () => ({ action: 'cancel' })],
  ]
  for (const [what, answer] of wrong) {
    proves('agents.mcp-input', `opens nothing with ${what}`, async () => {
      await lock()
      await using agent = await agentWhose(era, answer)
      expect(['confirmation_required', 'validation']).toContain(refusalOf(await agent.open()).code)
      expect(agent.questions).toHaveLength(1)
      expect(isLocked()).toBe(true)
    })
  }

  proves('agents.mcp-input', 'opens once with the code from the administrator’s screen', async () => {
    await lock()
    let answer: Answer = async (question) => ({ action: 'accept', content: { code: await codeOf(question) } })
    await using agent = await agentWhose(era, (question) => answer(question))
    expect(await agent.open()).toMatchObject({ structuredContent: { state: { locked: false } } })
    expect(agent.questions[0]).toMatch(/administrator/)
    await lock()
    const used = await codeOf(agent.questions[0] ?? '')
    answer = () => ({ action: 'accept', content: { code: used } })
    expect(refusalOf(await agent.open()).code).toMatch(/confirmation_required|validation/)
    expect(agent.questions).toHaveLength(2)
    expect(isLocked()).toBe(true)
  })

  proves(
    'agents.mcp-input',
    'opens once after the administrator confirmed, and never after the user said no',
    async () => {
      await lock()
      const confirm = async (question: string): Promise<void> => {
        const id = (await waiting()).find((confirmation) => question.includes(confirmation.id))?.id ?? ''
        await home.running.admin.call('POST', `/confirmations/${id}`, { confirm: true })
      }
      let action: 'accept' | 'decline' = 'accept'
      await using agent = await agentWhose(era, async (question) => {
        await confirm(question)
        return { action, ...(action === 'accept' ? { content: { code: '' } } : {}) }
      })
      expect(await agent.open()).toMatchObject({ structuredContent: { state: { locked: false } } })
      await lock()
      action = 'decline'
      expect(refusalOf(await agent.open())).toMatchObject({
        code: 'confirmation_required',
        message: expect.stringContaining('declined'),
      })
      expect(isLocked()).toBe(true)
    },
  )

  proves('agents.mcp-input', 'gets no further question after an administrator has declined', async () => {
    await lock()
    await using agent = await agentWhose(era, async (question) => {
      const id = (await waiting()).find((confirmation) => question.includes(confirmation.id))?.id ?? ''
      await home.running.admin.call('POST', `/confirmations/${id}`, { confirm: false })
      return { action: 'accept', content: {} }
    })
    for (const questions of [1, 1]) {
      const { code, retryAfter } = refusalOf(await agent.open())
      expect({ code, later: retryAfter !== undefined, questions: agent.questions.length }).toEqual({
        code: 'confirmation_required',
        later: true,
        questions,
      })
    }
    expect(isLocked()).toBe(true)
  })

  proves('agents.mcp-input', 'cannot confirm by a flag in its call', async () => {
    await lock()
    await using agent = await agentWhose(era, () => ({ action: 'accept', content: {} }))
    for (const more of [{ confirmed: true }, { code: '123456' }, { args: { confirm: true } }, { inputResponses: {} }]) {
      expect(refusalOf(await agent.open(more)).code).toMatch(/validation|confirmation_required/)
    }
    expect(isLocked()).toBe(true)
  })
})

describe.each(casesOf(ERAS, 2))('a client of %s that takes no questions', (era) => {
  proves('agents.mcp-input', 'has to wait for the administrator, whose confirmation opens once', async () => {
    await lock()
    await using client = await connectAgent(home, await agentToken(home), era)
    const open = (): Promise<ToolAnswer> => callTool(client, 'control', { device: home.id('front-door'), op: 'open' })
    const { code, message } = refusalOf(await open())
    expect(code).toBe('confirmation_required')
    const { id } = (await waiting()).find((confirmation) => message.includes(confirmation.id))!
    expect(refusalOf(await open()).code).toBe('confirmation_required')
    await home.running.admin.call('POST', `/confirmations/${id}`, { confirm: true })
    expect(await open()).toMatchObject({ structuredContent: { state: { locked: false } } })
    await lock()
    expect(refusalOf(await open()).code).toBe('confirmation_required')
    expect(isLocked()).toBe(true)
  })
})
