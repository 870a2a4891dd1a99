// @module-tag repeated
import { expect } from 'vitest'
import { verifies } from '#support/gateway/harness.ts'
import { power } from '#support/gateway/rule-calls.ts'
import { casesOf } from '#support/long.ts'

/** Characters that could disguise a name or break its line. */
const DISGUISES = ['Lights\u0000', 'Lights\nout', 'stop\u202ethgil', 'Li\u200bghts', 'Lights\ud83d', '\u3164']

verifies(
  'automations.plain-names',
  'names of rules and scenes, and icons, cannot disguise themselves',
  async (home) => {
    const then = [power(home, 'hall-light', true)]
    const drafts = {
      automation: { when: [{ time: '22:00' }], then },
      schedule: { at: { time: '22:00' }, then },
      scene: { steps: then },
    }
    const status = async (kind: keyof typeof drafts, more: object): Promise<number> =>
      (await home.call({ method: 'POST', path: `/v1/${kind}s`, body: { ...drafts[kind], ...more } })).status
    for (const kind of ['automation', 'schedule', 'scene'] as const) {
      for (const name of casesOf(DISGUISES, 2)) expect(await status(kind, { name }), JSON.stringify(name)).toBe(422)
      expect(await status(kind, { name: 'Grüße, 灯 💡' })).toBe(201)
    }
    expect(await status('scene', { name: 'Plain', icon: 'la\u202emp' })).toBe(422)
  },
)
