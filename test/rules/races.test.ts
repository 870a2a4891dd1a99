// @module-tag repeated
import { expect } from 'vitest'
import { callerOver } from '#support/gateway/caller-over.ts'
import { verifiesOver } from '#support/gateway/harness.ts'
import { power, RuleCalls, type RuleObjectKind } from '#support/gateway/rule-calls.ts'
import { casesOf } from '#support/long.ts'

const verifies = verifiesOver('http')

const EDITORS = 12

verifies(
  'automations.atomic-revision',
  'of twelve editors of one revision one wins, eleven get 409, and nothing else has changed',
  async (home) => {
    const then = [power(home, 'hall-light', true)]
    const bodies: readonly (readonly [RuleObjectKind, object])[] = [
      ['scene', { steps: then }],
      ['automation', { when: [{ time: '07:00' }], then }],
      ['schedule', { at: { time: '07:00' }, then }],
    ]
    const callers = Array.from({ length: EDITORS }, () => callerOver(home.transport, home.access(home.main.token)))
    for (const [kind, body] of bodies) {
      const rules = new RuleCalls(home, kind)
      const { id, ...made } = await rules.create({ name: 'Raced', ...body })
      const others = (await rules.list()).filter((rule) => rule.id !== id)
      const path = `/v1/${kind}s/${encodeURIComponent(id)}`
      for (const revision of casesOf([1, 2, 3], 3)) {
        const answers = await Promise.all(
          callers.map((caller, index) =>
            caller.call({ method: 'PATCH', path, body: { name: `Editor ${revision} ${index}`, ifRevision: revision } }),
          ),
        )
        expect(answers.filter(({ status }) => status === 409)).toHaveLength(EDITORS - 1)
        const winner = answers.findIndex(({ status }) => status === 200)
        const { running: _, next: _next, ...after } = await rules.get(id)
        const { running: _before, next: _nextBefore, ...before } = made
        expect(after).toEqual({ ...before, id, name: `Editor ${revision} ${winner}`, revision: revision + 1 })
      }
      expect((await rules.list()).filter((rule) => rule.id !== id)).toEqual(others)
    }
    for (const caller of callers) await caller[Symbol.asyncDispose]()
  },
)
