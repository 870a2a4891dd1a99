// @module-tag long
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { CHROMIUM, openCarelessBrowser } from '#support/console/browser.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'

const run = promisify(execFile)
const TSC = join(PROJECT_ROOT, 'node_modules/typescript/bin/tsc')
const readme = readFileSync(join(PROJECT_ROOT, 'client/README.md'), 'utf8')
const examples = [...readme.matchAll(/```js\n([\s\S]+?)```/g)].map(([, code = '']) => code)
const exampleWith = (text: string): string => examples.find((code) => code.includes(text)) ?? expect.fail(text)

/** A program's folder with the client installed in it, from the package that `npm pack` makes of an unbuilt client. */
let program = ''
let packed: readonly string[] = []

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hm-program-'))
  program = join(folder, 'program')
  const checkout = join(folder, 'checkout')
  mkdirSync(program)
  const isBuilt = (file: string): boolean => basename(file) === 'dist'
  cpSync(join(PROJECT_ROOT, 'client'), join(checkout, 'client'), { recursive: true, filter: (file) => !isBuilt(file) })
  cpSync(join(PROJECT_ROOT, 'tsconfig.json'), join(checkout, 'tsconfig.json'))
  symlinkSync(join(PROJECT_ROOT, 'node_modules'), join(checkout, 'node_modules'))
  // Offline: nothing may come from a registry.
  const npm = (cwd: string, ...args: readonly string[]) => run('npm', [...args, '--offline'], { cwd })
  const tarball = async (of: string): Promise<string> => {
    const { stdout } = await npm(checkout, 'pack', of, '--json', '--pack-destination', folder)
    // Scripts of the package print before the list.
    const [made] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as { filename: string; files: { path: string }[] }[]
    packed = made?.files.map(({ path }) => path) ?? []
    return join(folder, made?.filename ?? '')
  }
  // A program for Node in TypeScript has the types of Node.
  const others = await Promise.all(
    ['ws', '@types/node', 'undici-types'].map((name) => tarball(`./node_modules/${name}`)),
  )
  const client = await tarball('./client')
  writeFileSync(join(program, 'package.json'), '{ "name": "program", "private": true, "type": "module" }')
  await npm(program, 'install', '--ignore-scripts', '--no-audit', '--no-fund', ...others, client)
}, 60_000)

afterAll(() => rmSync(dirname(program), { recursive: true, force: true }))

proves('client.package', 'the package of an unbuilt client has its code, types, README and licence', () => {
  expect(packed).toEqual(
    expect.arrayContaining([
      'LICENSE',
      'README.md',
      'dist/node.js',
      'dist/node.d.ts',
      'dist/browser.js',
      'dist/browser.d.ts',
    ]),
  )
  expect(packed.filter((path) => path.startsWith('src/'))).toEqual([])
  const licence = (folder: string): string => readFileSync(join(folder, 'LICENSE'), 'utf8')
  expect(licence(join(program, 'node_modules/@hm-gateway/client'))).toBe(licence(PROJECT_ROOT))
})

interface Running {
  readonly child: ChildProcess
  /** Waits for a line that fits. @throws with the whole output if the program ends before. */
  readonly says: (fits: RegExp) => Promise<string>
  readonly ended: Promise<number | null>
}

function started(code: string, env: NodeJS.ProcessEnv): Running {
  const file = join(program, `example-${Math.random()}.mjs`)
  writeFileSync(file, code)
  const child = spawn(process.execPath, [file], { cwd: program, env: { ...process.env, ...env } })
  onTestFinished(() => void child.kill())
  let output = ''
  const waiting = new Set<() => void>()
  const take = (chunk: Buffer): void => {
    output += chunk.toString('utf8')
    for (const look of waiting) look()
  }
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const says = (fits: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = output.split('\n').find((line) => fits.test(line))
        if (found === undefined) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      void ended.then(() => reject(new Error(`It ended without ${String(fits)}: ${output}`)))
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
    const showing = started(exampleWith('This is '), env)
    expect(await showing.says(/dimmer/)).toContain('(light_dimmer)')
    expect(await showing.ended).toBe(0)
    const controlled = started(exampleWith('setBrightness(40)\n'), env)
    expect(await at.running.hasten(controlled.says(/ is at /))).toMatch(/ is at 40 %\.$/)
    expect(await controlled.ended).toBe(0)
    const explaining = started(exampleWith('home.explain'), env)
    await explaining.says(/ Wh in the last day\./)
    await explaining.says(/outside of floors: 0/)
    expect(await explaining.ended).toBe(0)
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

const BROWSER = ['--lib', 'es2023,dom', '--types', '', '--target', 'es2022']
const NODE = ['--lib', 'es2023', '--types', 'node', '--target', 'es2022', '--module', 'nodenext']
const BUNDLED = [...BROWSER, '--module', 'esnext', '--moduleResolution', 'bundler']

/** Errors of the compiler in a program; none where it compiles. */
async function errorsIn(code: string, flags: readonly string[]): Promise<readonly string[]> {
  const file = join(program, 'program.ts')
  writeFileSync(file, code)
  const { stdout } = await run(process.execPath, [TSC, '--ignoreConfig', '--noEmit', '--strict', ...flags, file], {
    cwd: program,
  }).catch((error: unknown) => error as { stdout: string })
  return stdout.match(/error TS\d+: .*/g) ?? []
}

test('a TypeScript program can use the types of the package without types of Node or a browser', async () => {
  const code = `import { connect, type DimmerState } from '@hm-gateway/client/browser'
     export const state: Promise<DimmerState> = connect().device('light_dimmer', 'id').setBrightness(1).then((a) => a.state)
     // @ts-expect-error: there is no such path
     export const none = connect().call('get', '/v1/nothing')`
  expect(await errorsIn(code, [...BROWSER, '--module', 'nodenext'])).toEqual([])
})

proves('client.package', 'all types that Node programs reach hold without the types of Node', async () => {
  const code = `import { connect, NodeTransport, trustedCa } from '@hm-gateway/client'
     export const home = connect('hmc1_code')
     export { NodeTransport, trustedCa }`
  const checked = ['--skipLibCheck', 'false']
  expect(await errorsIn(code, [...BROWSER, '--module', 'nodenext', ...checked])).toEqual([])
  expect(await errorsIn(code, [...NODE, ...checked])).toEqual([])
})

proves('client.package', 'types follow the condition: only a program for Node may use a connection code', async () => {
  const byCode = "import { connect } from '@hm-gateway/client'\nexport const home = await connect('hmc1_code')"
  const byHeaders = `import { connect } from '@hm-gateway/client'
     export const house = connect({ base: 'https://localhost:8490', headers: () => ({}) }).house()`
  const inBrowser = [...BUNDLED, '--customConditions', 'browser']
  expect(await errorsIn(byCode, NODE)).toEqual([])
  expect(await errorsIn(byCode, inBrowser)).toEqual([expect.stringContaining("'BrowserOptions'")])
  expect(await errorsIn(byHeaders, inBrowser)).toEqual([])
  expect(await errorsIn(byHeaders, NODE)).not.toEqual([])
})

/** The bundle of a program for browsers. */
async function bundled(code: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: program },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}

const BY_CODE = `import { connect } from '@hm-gateway/client'
  globalThis.found = ['hmc1_code', { url: 'https://localhost:8490', token: 't' }].map((target) => {
    try { return String(connect(target)) } catch (error) { return String(error) }
  })`
const REFUSED = [
  expect.stringContaining('TypeError: A browser does not take a connection code'),
  expect.stringContaining('TypeError: A browser does not take url, token'),
]

proves(
  'client.package',
  'a bundle for browsers refuses a connection code instead of calling its own origin',
  async () => {
    const program = await bundled(BY_CODE)
    const running = started(`${program}\nconsole.log(JSON.stringify(globalThis.found))`, {})
    expect(JSON.parse(await running.says(/^\[/))).toEqual(REFUSED)
  },
)

test.runIf(CHROMIUM !== null)('a real browser refuses a connection code as well', async () => {
  const code = await bundled(BY_CODE)
  const browser = await openCarelessBrowser(join(program, 'profile'))
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  await page.addScriptTag({ content: code, type: 'module' })
  expect(await page.evaluate('globalThis.found')).toEqual(REFUSED)
})

proves('client.browser', 'the client for browsers asks a running gateway, and follows it', async () => {
  const { home: at } = await home()
  const { url, token } = at.access(at.main.token)
  // A real page comes from the gateway. Here the runtime has the fetch and WebSocket of browsers, and gets the CA as a setting.
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
