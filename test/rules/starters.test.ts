// @module-tag repeated
import { expect } from 'vitest'
import { STARTERS } from '../../src/home/rules/starters.ts'
import { type TestHome, verifies } from '#support/gateway/harness.ts'
import { RuleCalls } from '#support/gateway/rule-calls.ts'
import { times } from '#support/long.ts'

interface Answer {
  readonly id: string
  readonly kind: string
  readonly draft: object
  readonly blanks: readonly { readonly name: string; readonly choices: readonly string[]; readonly more: boolean }[]
}

const startersOf = async (home: TestHome, token?: string): Promise<readonly Answer[]> =>
  ((await home.get('/v1/starters', token)) as { starters: Answer[] }).starters

/** The draft with these ids in its blanks. */
const filled = (draft: object, ids: Readonly<Record<string, string | undefined>>): object =>
  JSON.parse(JSON.stringify(draft), (_, value: unknown) =>
    typeof value === 'string' && value.startsWith('$') ? ids[value.slice(1)] : value,
  ) as object

verifies('automations.starters', 'every starter with its blanks filled is tried and saved', async (home) => {
  await home.change(home.main, { people: 'each' })
  await home.running.admin.call('POST', '/persons', { name: `Anna of ${home.transport}` })
  const then = [{ device: home.id('hall-light'), op: 'toggle' }]
  await new RuleCalls(home, 'schedule').create({ name: 'Porch', at: { time: '06:10' }, then })
  const starters = await startersOf(home)
  expect(starters.map(({ id }) => id)).toEqual(STARTERS.map(({ id }) => id))
  for (const { id, kind, draft, blanks } of starters) {
    expect(
      blanks.filter(({ choices }) => choices.length === 0),
      id,
    ).toEqual([])
    const most = Math.min(times(2, 10), Math.max(1, ...blanks.map(({ choices }) => choices.length)))
    for (let place = 0; place < most; place += 1) {
      const ids = Object.fromEntries(blanks.map(({ name, choices }) => [name, choices[place % choices.length]]))
      const body = filled(draft, ids)
      const tried = await home.call({ method: 'POST', path: `/v1/${kind}s/try`, body })
      expect(tried, `${id} ${tried.text}`).toMatchObject({ status: 200, body: { refused: null } })
      if (place > 0) continue
      expect(await home.call({ method: 'POST', path: `/v1/${kind}s`, body }), id).toMatchObject({ status: 201 })
    }
  }
})

verifies(
  'automations.starters',
  'a starter proposes only what an integration sees, and never nothing',
  async (home) => {
    const narrow = await home.integrate({ expose: ['unit:hall-light'] })
    const starters = await startersOf(home, narrow.token)
    const choices = starters.flatMap(({ blanks }) => blanks.flatMap((blank) => blank.choices))
    expect(new Set(choices)).toEqual(new Set([home.id('hall-light', narrow)]))
    expect(starters.flatMap(({ blanks }) => blanks.filter(({ more }) => more))).toEqual([])
    const listed = (await startersOf(home)).flatMap(({ blanks }) => blanks)
    const cut = listed.filter(({ more }) => more)
    expect(cut.length).toBeGreaterThan(0)
    for (const { choices: ten } of cut) expect(ten).toHaveLength(10)
    // Other starters name modes, persons, rooms or devices, which this integration does not see.
    expect(starters.map(({ id }) => id)).toEqual(['motion-light', 'low-battery'])
    const nobody = await home.integrate({ people: 'none' })
    const without = (await startersOf(home, nobody.token)).map(({ id }) => id)
    expect(without).toContain('motion-light')
    expect(without).not.toContain('somebody-leaves')
  },
)
