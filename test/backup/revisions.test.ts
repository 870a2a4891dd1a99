// @module-tag repeated
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { type Clock } from '../../src/lib/clock.ts'
import { HOUR_MS } from '../../src/lib/durations.ts'
import { hm } from '#support/gateway/cli.ts'
import { TestHome, type TestIntegration } from '#support/gateway/harness.ts'
import { RuleCalls } from '#support/gateway/rule-calls.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { times } from '#support/long.ts'
import { tempFolder } from '#support/temp-folder.ts'

const KINDS = ['scene', 'automation', 'schedule'] as const
type Kind = (typeof KINDS)[number]
/** Edits of each object after the backup. */
const EDITS = times(8, 33)

/** A revision that a client has read, of one object. */
interface Read {
  readonly kind: Kind
  readonly id: string
  readonly revision: number
}

function draftOf(kind: Kind, steps: readonly object[]): object {
  if (kind === 'scene') return { name: kind, steps }
  return {
    name: kind,
    then: steps,
    ...(kind === 'schedule' ? { at: { time: '07:00' } } : { when: [{ time: '07:00' }] }),
  }
}

async function created(home: TestHome): Promise<readonly Read[]> {
  const steps = [{ device: home.id('study-light'), op: 'set_power', args: { on: true } }]
  return Promise.all(
    KINDS.map(async (kind) => {
      const { id, revision } = await new RuleCalls(home, kind).create(draftOf(kind, steps))
      return { kind, id, revision }
    }),
  )
}

const send = (home: TestHome, { kind, id, revision }: Read, name: string) =>
  new RuleCalls(home, kind).send('PATCH', id, { ifRevision: revision, name })

/** Edits an object several times. Answers all its revisions. */
async function edited(home: TestHome, read: Read, count: number): Promise<readonly Read[]> {
  const all = [read]
  for (let turn = 0; turn < count; turn++) {
    const { status, body } = await send(home, all.at(-1) ?? read, `edit ${turn}`)
    expect(status).toBe(200)
    all.push({ ...read, revision: (body as Record<Kind, { revision: number }>)[read.kind].revision })
  }
  return all
}

/** Number of edits that are refused because of an outdated revision. */
async function stale(home: TestHome, reads: readonly Read[]): Promise<number> {
  const answers = []
  for (const read of reads) answers.push(await send(home, read, 'stale'))
  return answers.filter(({ status, body }) => status === 409 && JSON.stringify(body).includes('revision_mismatch'))
    .length
}

const currentOf = (home: TestHome, { kind, id }: Read): Promise<Read> =>
  new RuleCalls(home, kind).get(id).then(({ revision }) => ({ kind, id, revision }))

/** A home with a backup. Later, every object was edited, and one was deleted. */
async function lived(): Promise<{ dataDir: string; file: string; who: TestIntegration; reads: readonly Read[] }> {
  const folder = tempFolder()
  await using running = await TestGateway.open({ dataDir: join(folder, 'data') })
  const home = await TestHome.at('http', running)
  const made = await created(home)
  const file = join(folder, 'home.hmb')
  await running.admin.call('POST', '/backups/write', { file })
  const reads = []
  for (const read of made) reads.push(...(await edited(home, read, EDITS)))
  const [scene] = made
  if (scene !== undefined) await new RuleCalls(home, 'scene').send('DELETE', scene.id)
  await running.stop()
  return { dataDir: join(folder, 'data'), file, who: home.main, reads }
}

async function restored({
  dataDir,
  file,
  who,
  clock,
}: {
  dataDir: string
  file: string
  who: TestIntegration
  clock?: Clock
}) {
  expect((await hm(dataDir, 'restore', file)).code).toBe(0)
  const running = await TestGateway.open({ dataDir, settled: false, ...(clock && { clock }) })
  onTestFinished(() => running[Symbol.asyncDispose]())
  return { running, home: await TestHome.at('http', running, who) }
}

proves(
  'backup.revisions',
  'edits with revisions from before a restore are refused, even after a second restore of the same backup',
  { tags: ['long'] },
  async () => {
    const { dataDir, file, who, reads } = await lived()
    const outdated = [...reads]
    const anotherDisk = { dataDir: join(tempFolder(), 'data'), clock: new PassingClock(Date.now() + HOUR_MS) }
    for (const where of [{ dataDir }, { dataDir }, anotherDisk]) {
      const { running, home } = await restored({ file, who, ...where })
      expect([outdated.length > KINDS.length * EDITS, await stale(home, outdated)]).toEqual([true, outdated.length])
      const objects = reads.filter(({ revision }) => revision === 1)
      for (const object of objects) outdated.push(...(await edited(home, await currentOf(home, object), 3)))
      await running.stop()
    }
  },
)

proves('backup.revisions', 'an edit of an integration with a revision from before the restore is refused', async () => {
  const folder = tempFolder()
  const dataDir = join(folder, 'data')
  const file = join(folder, 'home.hmb')
  const revisionIn = async (running: TestGateway, id: string): Promise<string> =>
    (await running.admin.call<{ integration: { revision: string } }>('GET', `/integrations/${id}`)).integration.revision
  await using before = await TestGateway.open({ dataDir })
  const home = await TestHome.at('http', before)
  const { id } = await home.integrate({})
  await before.admin.call('POST', '/backups/write', { file })
  const ifRevision = await revisionIn(before, id)
  await before.admin.call('PATCH', `/integrations/${id}`, { name: 'Another name' })
  await before.stop()
  const { running } = await restored({ dataDir, file, who: home.main })
  expect(await revisionIn(running, id)).not.toBe(ifRevision)
  await expect(running.admin.call('PATCH', `/integrations/${id}`, { ifRevision, enabled: true })).rejects.toThrow(
    'It was changed meanwhile',
  )
})
