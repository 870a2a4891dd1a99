import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { TestHome } from '#support/gateway/harness.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'

const run = promisify(execFile)
const TSC = join(PROJECT_ROOT, 'node_modules/typescript/bin/tsc')
const readme = readFileSync(join(PROJECT_ROOT, 'client/README.md'), 'utf8')
const examples = [...readme.matchAll(/```js\n([\s\S]+?)```/g)].map(([, code = '']) => code)
const exampleWith = (text: string): string => examples.find((code) => code.includes(text)) ?? expect.fail(text)

/** A program's folder with the client installed in it, as it is built for Node 20. */
let program = ''

beforeAll(async () => {
  program = mkdtempSync(join(tmpdir(), 'hm-program-'))
  const installed = join(program, 'node_modules/@hm-gateway/client')
  mkdirSync(installed, { recursive: true })
  await run(process.execPath, [TSC, '--project', join(PROJECT_ROOT, 'client'), '--outDir', join(installed, 'dist')])
  cpSync(join(PROJECT_ROOT, 'client/package.json'), join(installed, 'package.json'))
  symlinkSync(join(PROJECT_ROOT, 'node_modules/ws'), join(program, 'node_modules/ws'))
})

afterAll(() => rmSync(program, { recursive: true, force: true }))

interface Running {
  readonly child: ChildProcess
  /** Waits for a line that fits; @throws with all that was said when the program ends before. */
  readonly says: (fits: RegExp) => Promise<string>
  readonly ended: Promise<number | null>
}

function started(code: string, env: NodeJS.ProcessEnv): Running {
  const file = join(program, `example-${Math.random()}.mjs`)
  writeFileSync(file, code)
  const child = spawn(process.execPath, [file], { cwd: program, env: { ...process.env, ...env } })
  onTestFinished(() => void child.kill())
  let said = ''
  const waiting = new Set<() => void>()
  const heard = (chunk: Buffer): void => {
    said += chunk.toString('utf8')
    for (const look of waiting) look()
  }
  child.stdout.on('data', heard)
  child.stderr.on('data', heard)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const says = (fits: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = said.split('\n').find((line) => fits.test(line))
        if (found === undefined) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      void ended.then(() => reject(new Error(`It ended without ${String(fits)}: ${said}`)))
      look()
    })
  return { child, says, ended }
}

async function home(): Promise<{ readonly home: TestHome; readonly env: NodeJS.ProcessEnv }> {
  const made = await TestHome.open('http', ONE_UNIT)
  onTestFinished(() => made[Symbol.asyncDispose]())
  const { connectionCode } = await made.running.admin.call<{ connectionCode: string }>('POST', '/keys', {
    integration: made.main.id,
  })
  return { home: made, env: { HM_CONNECTION: connectionCode } }
}

describe('the examples of client/README.md', () => {
  test('are all run here', () => {
    expect(examples).toHaveLength(5)
  })

  test('show the house, control a lamp, and ask why and how much', async () => {
    const { home: at, env } = await home()
    const shown = started(exampleWith('This is '), env)
    expect(await shown.says(/dimmer/)).toContain('(light_dimmer)')
    expect(await shown.ended).toBe(0)
    const controlled = started(exampleWith('setBrightness(40)\n'), env)
    expect(await at.running.hasten(controlled.says(/ is at /))).toMatch(/ is at 40 %\.$/)
    expect(await controlled.ended).toBe(0)
    const asked = started(exampleWith('home.explain'), env)
    await asked.says(/ Wh in the last day\./)
    await asked.says(/outside of floors: 0/)
    expect(await asked.ended).toBe(0)
  })

  test('follow, and keep a whole home, until the key is revoked', async () => {
    const { home: at, env } = await home()
    const { live } = at.running.gateway.home
    const shine = (bri: number): void =>
      live.confirm('dimmer', { on: true, bri, mode: 'manual' }, 'touch', { source: 'unit', name: 'test' })
    const following = started(exampleWith('for await'), env)
    const keeping = started(exampleWith('onChange'), env)
    await Promise.all([following.says(/^There\./), keeping.says(/ is .*"asOf"/)])
    shine(33)
    await Promise.all([following.says(/"bri":33/), keeping.says(/"bri":33/)])
    await at.running.admin.call('DELETE', `/integrations/${at.main.id}`)
    await following.says(/HmError/)
    expect([await following.ended, await keeping.ended]).toEqual([1, 0])
  })
})

test('the built package has types that a program in TypeScript can use, without those of Node or a browser', async () => {
  const file = join(program, 'program.ts')
  writeFileSync(
    file,
    `import { connect, type DimmerState } from '@hm-gateway/client/browser'
     export const state: Promise<DimmerState> = connect().device('light_dimmer', 'id').setBrightness(1).then((a) => a.state)
     // @ts-expect-error: there is no such path
     export const none = connect().call('get', '/v1/nothing')`,
  )
  const lib = ['--lib', 'es2023,dom', '--types', '', '--module', 'nodenext', '--target', 'es2022']
  const compiled = run(process.execPath, [TSC, '--ignoreConfig', '--noEmit', '--strict', ...lib, file], {
    cwd: program,
  })
  expect(await compiled).toMatchObject({ stdout: '' })
})

proves('client.browser', 'the client for browsers asks a running gateway, and follows it', async () => {
  const { home: at } = await home()
  const { url, token } = at.access(at.main.token)
  // A page would be the gateway's own; here the runtime has fetch and WebSocket of browsers, and is told the CA.
  const code = `
    import { connect } from '@hm-gateway/client/browser'
    const headers = () => ({ authorization: 'Bearer ' + process.env.HM_TOKEN })
    const client = connect({ base: process.env.HM_URL, stream: '/v1/stream?token=' + process.env.HM_TOKEN, headers })
    const home = await client.home()
    home.onChange(({ what, id }) => console.log(what, id, JSON.stringify(home.devices.get(id)?.state)))
    console.log('read', home.devices.size)
    const wrong = connect({ base: process.env.HM_URL, headers: () => ({ authorization: 'Bearer none' }) })
    await wrong.house().catch(({ name, code }) => console.log(name, code))
    await wrong.follow(['state']).next().catch(({ name, code }) => console.log('followed', name, code))
  `
  const env = { HM_URL: url, HM_TOKEN: token ?? '', NODE_EXTRA_CA_CERTS: at.running.gateway.caFile }
  const page = started(code, env)
  await page.says(/^read 1$/)
  await page.says(/^HmError unauthorized$/)
  await page.says(/^followed HmError unauthorized$/)
  at.running.gateway.home.live.confirm('dimmer', { on: true, bri: 12, mode: 'manual' }, 'touch', {
    source: 'unit',
    name: 'test',
  })
  expect(await page.says(/"bri":12/)).toContain('device')
})
