// @module-tag long
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { COMPILED, GatewayProcess } from '#support/gateway/gateway-process.ts'
import { hmProcess } from '#support/gateway/hm-process.ts'
import { proves } from '#support/gateway/verifies.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { tempFolder } from '#support/temp-folder.ts'

const MAIN = ['--disable-warning=ExperimentalWarning', join(PROJECT_ROOT, 'src/cli/main.ts')]
const isRoot = process.getuid?.() === 0

/** `hm log --follow` with its output so far. */
class Follower {
  readonly child: ChildProcess
  out = ''
  err = ''

  constructor(dataDir: string) {
    this.child = spawn(process.execPath, [...MAIN, 'log', '--follow'], {
      env: { ...process.env, ...COMPILED, HM_DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.child.stdout?.on('data', (chunk: Buffer) => (this.out += chunk.toString('utf8')))
    this.child.stderr?.on('data', (chunk: Buffer) => (this.err += chunk.toString('utf8')))
    onTestFinished(async () => {
      const ended = once(this.child, 'exit')
      if (this.child.exitCode === null && this.child.kill('SIGKILL')) await ended
    })
  }

  async until(has: (follower: Follower) => boolean): Promise<void> {
    while (!has(this))
      await Promise.race([once(this.child.stdout!, 'data'), once(this.child.stderr!, 'data'), this.#ended()])
  }

  async #ended(): Promise<never> {
    await once(this.child, 'exit')
    throw new Error(`hm log --follow ended: ${this.err}`)
  }
}

const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '')
const countOf = (text: string, part: string): number => text.split(part).length - 1

proves('operations.attention', 'a gateway that hangs is broken after seconds, by both forms of hm status', async () => {
  await using running = await GatewayProcess.start({ dataDir: tempFolder(), env: { HM_LOG_LEVEL: 'silent' } })
  running.child.kill('SIGSTOP')
  onTestFinished(() => void running.child.kill('SIGCONT'))
  const [check, json, status] = await Promise.all([
    hmProcess(['status', '--check'], running.dataDir),
    hmProcess(['status', '--check', '--json'], running.dataDir),
    hmProcess(['status'], running.dataDir),
  ])
  expect(check).toMatchObject({ code: 2, stderr: '' })
  expect(check.stdout).toMatch(/^The gateway did not answer within 5 seconds: [^\n]+\n$/)
  expect(JSON.parse(json.stdout)).toEqual({
    state: 'broken',
    reasons: [{ kind: 'gateway', level: 'broken', what: check.stdout.trim() }],
  })
  expect([status.code, status.stderr]).toEqual([1, check.stdout])
  running.child.kill('SIGCONT')
  expect((await hmProcess(['status', '--check'], running.dataDir)).stdout).toBe('well\n')
})

test.skipIf(!isRoot)('another user of the machine gets unknown, which is 3 (needs root)', async () => {
  await using running = await GatewayProcess.start({ dataDir: tempFolder(), env: { HM_LOG_LEVEL: 'silent' } })
  chmodSync(running.dataDir, 0o700)
  const asNobody = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', process.execPath, ...MAIN]
  const { code, stdout } = await hmProcess(['status', '--check'], running.dataDir, asNobody)
  expect([code, stdout]).toEqual([3, expect.stringMatching(/belongs to another user: run this as the user/)])
})

proves('operations.log', 'following continues across a restart, with each line exactly once', async () => {
  const dataDir = tempFolder()
  const env = { HM_LOG_LEVEL: 'debug' }
  const first = await GatewayProcess.start({ dataDir, env })
  const follower = new Follower(dataDir)
  await follower.until(({ out }) => out.includes('\n'))
  await first.kill()
  await follower.until(({ err }) => err.includes('No gateway runs'))
  const before = follower.out

  await using second = await GatewayProcess.start({ dataDir, env })
  await follower.until(({ err }) => err.includes('was restarted'))
  const read = async (): Promise<readonly { readonly what: string }[]> =>
    (await second.admin.call<{ lines: readonly { readonly what: string }[] }>('GET', '/log?limit=2000')).lines
  const compared = async () => {
    const entries = await read()
    const printed = follower.out.slice(before.length)
    const entryCount = (what: string) => entries.filter((entry) => entry.what === what).length
    return {
      isAll: linesOf(printed).length >= entries.length,
      otherwise: entries.filter(({ what }) => countOf(printed, what) !== entryCount(what)),
    }
  }
  await expect.poll(compared).toEqual({ isAll: true, otherwise: [] })
  expect(countOf(follower.err, 'No gateway runs')).toBe(1)
})
