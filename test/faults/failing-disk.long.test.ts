// @module-tag long
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { freePort } from '#support/free-port.ts'
import { callerOver } from '#support/gateway/caller-over.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'

const canTrace = spawnSync('strace', ['-qq', '-o', '/dev/null', 'true']).status === 0

const FAILS = 'The disk accepts no writes: changes are refused'

const SYNCS = 'fsync,fdatasync'

/** Traces the syncs of a process until disposed. */
class TracedSyncs implements AsyncDisposable {
  readonly #strace: ChildProcess
  /** It ends by itself if its traced process was killed. */
  readonly #ended: Promise<unknown>

  private constructor(strace: ChildProcess) {
    this.#strace = strace
    this.#ended = once(strace, 'exit')
  }

  /** Every sync fails with an I/O error. */
  static failing(pid: number): Promise<TracedSyncs> {
    return TracedSyncs.#of(pid, ['-f', '-o', '/dev/null', '-e', `inject=${SYNCS}:error=EIO`])
  }

  /** Syncs of the event loop's thread alone are lines of a file. */
  static ofLoop(pid: number, file: string): Promise<TracedSyncs> {
    return TracedSyncs.#of(pid, ['-o', file])
  }

  static async #of(pid: number, options: readonly string[]): Promise<TracedSyncs> {
    const args = ['-e', `trace=${SYNCS}`, ...options, '-p', String(pid)]
    const strace = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] })
    let output = ''
    while (!output.includes('attached')) output += String((await once(strace.stderr, 'data'))[0])
    return new TracedSyncs(strace)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#strace.kill('SIGINT')
    await this.#ended
  }
}

describe.skipIf(!canTrace)('a disk whose every sync fails (needs permission to trace a process)', () => {
  proves(
    'storage.failing-disk',
    'has nothing of the refused changes, even after a kill, and fills no log',
    async () => {
      const dataDir = tempFolder()
      const env = { HM_PORT: String(await freePort()) }
      const first = await GatewayProcess.start({ dataDir, env })
      const { token, ca, url } = first
      await using http = callerOver('http', { url, ca, token: token! })
      const create = () => http.call({ method: 'POST', path: '/v1/scenes', body: { name: 'Plain' } })
      const plain = async (): Promise<number> => {
        const { body } = await http.call({ method: 'GET', path: '/v1/scenes' })
        return (body as { scenes: { name: string }[] }).scenes.filter(({ name }) => name === 'Plain').length
      }
      {
        await using _ = await TracedSyncs.failing(first.child.pid!)
        // A commit that waits for the disk is rolled back at once.
        await expect(first.admin.call('POST', '/integrations', { name: 'Refused', expose: ['all'] })).rejects.toThrow(
          'disk',
        )
        const answers: number[] = []
        for (let turn = 0; turn < 100; turn += 1) answers.push((await create()).status)
        expect([new Set(answers), await plain()]).toEqual([new Set([503]), 0])
        expect(first.stderr.split(FAILS).length - 1).toBe(1)
        await first.kill()
      }
      await using again = await GatewayProcess.start({ dataDir, env })
      await using later = callerOver('http', { url, ca, token: token! })
      const { integrations } = await again.admin.call<{ integrations: { name: string }[] }>('GET', '/integrations')
      expect(integrations.map(({ name }) => name)).not.toContain('Refused')
      const { body } = await later.call({ method: 'GET', path: '/v1/scenes' })
      expect((body as { scenes: { name: string }[] }).scenes.map(({ name }) => name)).not.toContain('Plain')
    },
  )

  proves('storage.failing-disk', 'makes one change with an unknown outcome, and continues once it syncs', async () => {
    await using gateway = await GatewayProcess.start({ dataDir: tempFolder() })
    const { token, ca, url } = gateway
    await using http = callerOver('http', { url, ca, token: token! })
    const create = () => http.call({ method: 'POST', path: '/v1/scenes', body: { name: 'Plain' } })
    const plain = async (): Promise<number> => {
      const { body } = await http.call({ method: 'GET', path: '/v1/scenes' })
      return (body as { scenes: { name: string }[] }).scenes.filter(({ name }) => name === 'Plain').length
    }
    expect((await create()).status).toBe(201)
    {
      await using _ = await TracedSyncs.failing(gateway.child.pid!)
      const answers: string[] = []
      for (let turn = 0; turn < 100; turn += 1) {
        const { body } = await create()
        answers.push((body as { error: { code: string } }).error.code)
      }
      // The first one may follow a failed write of the gateway itself.
      const made = answers.filter((code) => code === 'outcome_unknown').length
      expect(answers.filter((code) => code === 'storage_unavailable')).toHaveLength(100 - made)
      expect([made <= 1, await plain()]).toEqual([true, 1 + made])
      expect(gateway.stderr.split(FAILS).length - 1).toBe(1)
      expect(gateway.stderr.split('The configuration can be changed again').length - 1).toBe(0)
    }
    expect((await create()).status).toBe(201)
  })
})

test.skipIf(!canTrace)('120 edits one after another make no sync on the event loop', async () => {
  const [dataDir, env] = [tempFolder(), { HM_PORT: String(await freePort()) }]
  // A first start checkpoints the long log of its past.
  const first = await GatewayProcess.start({ dataDir, env })
  const { token, ca, url } = first
  await first.kill('SIGTERM')
  await using gateway = await GatewayProcess.start({ dataDir, env })
  await using http = callerOver('http', { url, ca, token: token! })
  const { body } = await http.call({ method: 'POST', path: '/v1/scenes', body: { name: 'Edited' } })
  const { scene } = body as { scene: { id: string; revision: number } }
  const syncs = join(dataDir, 'syncs')
  {
    await using _ = await TracedSyncs.ofLoop(gateway.child.pid!, syncs)
    for (let edit = 0; edit < 120; edit += 1) {
      const change = { name: `Edited ${edit}`, ifRevision: scene.revision + edit }
      const answer = await http.call({ method: 'PATCH', path: `/v1/scenes/${scene.id}`, body: change })
      expect(answer.status).toBe(200)
    }
  }
  expect(readFileSync(syncs, 'utf8').match(/^f(data)?sync/gm)).toBeNull()
})

test.skipIf(canTrace)('a disk whose every sync fails is not tested: tracing a process needs permission', () => {
  expect(canTrace).toBe(false)
})
