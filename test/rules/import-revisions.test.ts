// @module-tag repeated
import * as fc from 'fast-check'
import { describe, expect } from 'vitest'
import { type TestHome, type TestIntegration, verifiesAlone } from '#support/gateway/harness.ts'
import { power, RuleCalls } from '#support/gateway/rule-calls.ts'
import { casesOf, times } from '#support/long.ts'

const KINDS = ['scene', 'automation', 'schedule'] as const
type Kind = (typeof KINDS)[number]

const verifies = verifiesAlone(() => ({}), { over: 'http' })

interface Act {
  readonly kind: 'edit' | 'export' | 'import' | 'delete' | 'create'
  readonly of: Kind
  /** Index of an item, modulo the number of items. */
  readonly which: number
}
const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom('edit', 'edit', 'export', 'import', 'import', 'delete', 'create'),
  of: fc.constantFrom(...KINDS),
  which: fc.nat(2),
})

const draftOf = (home: TestHome, kind: Kind, name: string): object => {
  const steps = [power(home, 'study-light', true)]
  if (kind === 'scene') return { name, steps }
  return {
    name,
    then: steps,
    ...(kind === 'schedule' ? { at: { time: '07:00' } } : { when: [{ time: '07:00' }] }),
  }
}

/** Revisions that a client has read of each object, with their content. */
class Client {
  readonly #home: TestHome
  readonly #who: TestIntegration
  readonly #read = new Map<string, Map<number, string>>()

  constructor(home: TestHome, who: TestIntegration) {
    this.#home = home
    this.#who = who
  }

  calls(kind: Kind): RuleCalls {
    return new RuleCalls(this.#home, kind, this.#who)
  }

  /** Reads everything. No revision may have two contents. */
  async reads(): Promise<void> {
    for (const kind of KINDS)
      for (const { id } of await this.calls(kind).list()) {
        const { revision, running: _, next: __, paused: ___, ...content } = await this.calls(kind).get(id)
        const known = this.#read.get(id) ?? new Map<number, string>()
        this.#read.set(id, known)
        const text = JSON.stringify(content)
        expect(known.get(revision) ?? text).toBe(text)
        known.set(revision, text)
      }
  }

  /** Edits with every revision except the present one: responses other than 409, and the number of edits. */
  async stale(): Promise<{ readonly tried: number; readonly taken: readonly unknown[] }> {
    const taken: unknown[] = []
    let tried = 0
    for (const kind of KINDS)
      for (const { id, revision: now } of await this.calls(kind).list())
        for (const revision of this.#read.get(id)?.keys() ?? []) {
          if (revision === now) continue
          tried += 1
          const answer = await this.calls(kind).send('PATCH', id, { ifRevision: revision, name: 'stale' })
          if (answer.status !== 409) taken.push([id, revision, now, answer.status])
        }
    return { tried, taken }
  }
}

const exported = async (home: TestHome): Promise<string> =>
  (await home.running.admin.call<{ file: string }>('GET', '/house/file')).file

/** Plays a sequence of acts; returns the number of outdated edits. All were refused. */
async function played(home: TestHome, client: Client, acts: readonly Act[]): Promise<number> {
  const { admin } = home.running
  const first = await exported(home)
  const files = [first]
  let named = 0
  for (const { kind, of, which } of acts) {
    const calls = client.calls(of)
    const all = await calls.list()
    const one = all[which % Math.max(1, all.length)]
    if (kind === 'export') files.push(await exported(home))
    else if (kind === 'import') await admin.call('PUT', '/house/file', { file: files[which % files.length], yes: true })
    else if (kind === 'create') await calls.create(draftOf(home, of, `made ${named++}`))
    else if (one && kind === 'edit') await calls.edit(one.id, { ifRevision: one.revision, name: `edit ${named++}` })
    else if (one)
      await admin.call('DELETE', `/${of}s/${one.id.split(':').at(-1)}${of === 'scene' ? '?force=true' : ''}`)
    await client.reads()
  }
  // Each object comes once more in its oldest file, and the first file has those whose revisions the client has read.
  for (const file of [...files, first]) {
    await admin.call('PUT', '/house/file', { file, yes: true })
    await client.reads()
  }
  const { tried, taken } = await client.stale()
  expect(taken).toEqual([])
  return tried
}

describe('after any edits, exports, imports and deletions', () => {
  verifies(
    'automations.import-revisions',
    'an edit from an earlier revision gets 409',
    { tags: ['long'], timeout: 300_000 },
    async (home) => {
      const client = new Client(home, home.main)
      for (const kind of KINDS) {
        const { id } = await client.calls(kind).create(draftOf(home, kind, 'first'))
        for (const ifRevision of [1, 2, 3, 4]) {
          await client.reads()
          await client.calls(kind).edit(id, { ifRevision, name: `first ${ifRevision}` })
        }
      }
      let tried = 0
      await fc.assert(
        fc.asyncProperty(fc.array(act, { minLength: 12, maxLength: 16 }), async (acts) => {
          tried += await played(home, client, acts)
        }),
        { numRuns: times(3, 40), endOnFailure: true },
      )
      expect(tried).toBeGreaterThanOrEqual(times(20, 100))
    },
  )

  verifies('automations.import-revisions', 'an old export does not restore a revision', async (home) => {
    const { admin } = home.running
    const put = (file: string) => admin.call('PUT', '/house/file', { file, yes: true })
    for (const kind of casesOf(KINDS, 2)) {
      const calls = new RuleCalls(home, kind)
      const without = await exported(home)
      const { id } = await calls.create(draftOf(home, kind, 'A'))
      const file = await exported(home)
      for (const [index, name] of ['B', 'C', 'D'].entries()) await calls.edit(id, { ifRevision: index + 1, name })
      await put(file)
      expect(await calls.get(id)).toMatchObject({ name: 'A', revision: 5 })
      await put(file)
      expect((await calls.get(id)).revision).toBe(5)
      await put(without)
      await put(file)
      const { revision, name } = await calls.get(id)
      expect(name).toBe('A')
      expect(revision).toBeGreaterThan(5)
    }
  })
})
