// @module-tag long
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { tempFolder } from '#support/temp-folder.ts'

interface Bundles {
  bundle(options: { readonly root: string; readonly say: (line: string) => void }): Promise<string | null>
  currentBundle(root: string): string | null
}
const { bundle, currentBundle } = (await import(new URL('../../scripts/bundle.mjs', import.meta.url).href)) as Bundles

const JSON_FILE = '{ "type": "module", "packages": {} }'

/** A program of a few files with the bundle's rules, whose gateway prints a number. */
class Checkout {
  readonly root = tempFolder()
  readonly messages: string[] = []

  constructor() {
    const linked = ['node_modules/esbuild', 'tsconfig.json']
    const empty = ['package-lock.json', 'node_modules/.package-lock.json', 'src/cli/main.ts']
    const packages = ['', 'src/lib/', 'src/wire/', 'src/tls/', 'client/'].map((folder) => `${folder}package.json`)
    for (const path of [...empty, ...packages]) this.write(path, path.endsWith('.json') ? JSON_FILE : '')
    for (const path of linked) symlinkSync(join(PROJECT_ROOT, path), join(this.root, path))
    cpSync(join(PROJECT_ROOT, 'scripts'), join(this.root, 'scripts'), { recursive: true })
    this.write('console/build.mjs', 'export const consoleIsBuilt = () => true\nexport const buildConsole = null')
    const form = "process.argv[1]?.endsWith('.ts') ? 'from sources' : 'bundled'"
    this.write('src/main.ts', `import { number } from './number.ts'\nconsole.log(number, ${form})\n`)
    this.number = 1
  }

  set number(value: number) {
    this.write('src/number.ts', `export const number: number = ${value}\n`)
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    writeFileSync(join(this.root, path), text)
  }

  start(): Promise<string | null> {
    return bundle({ root: this.root, say: (line) => this.messages.push(line) })
  }

  /** Runs `npm start`. Returns its output. */
  npmStart(): string {
    return execFileSync(process.execPath, ['scripts/run.mjs', 'start'], { cwd: this.root, encoding: 'utf8' }).trim()
  }

  /** Returns the output of the bundle, which is built if necessary. */
  async printed(): Promise<string> {
    return execFileSync(process.execPath, [join((await this.start()) ?? '', 'gateway.mjs')], {
      encoding: 'utf8',
    }).trim()
  }
}

/** Files that change in the same tick as a build begins count as changed during it. */
async function settled(file: string): Promise<void> {
  const probe = join(tempFolder(), 'probe')
  do {
    await turn()
    writeFileSync(probe, '')
  } while (statSync(probe).ctimeMs <= statSync(file).ctimeMs)
}

test('unchanged sources are bundled once, also by two starts at the same moment', async () => {
  const checkout = new Checkout()
  await settled(join(checkout.root, 'src/number.ts'))
  const [first, second] = await Promise.all([checkout.start(), checkout.start()])
  expect([second, await checkout.start(), currentBundle(checkout.root)]).toEqual([first, first, first])
  expect(checkout.messages).toEqual(['Another command is setting up this checkout; waiting for it …'])
})

test('a start runs an edited file, even one of the same size and time of modification', async () => {
  const checkout = new Checkout()
  const file = join(checkout.root, 'src/number.ts')
  utimesSync(file, 1, 1)
  await settled(file)
  expect(await checkout.printed()).toBe('1 bundled')
  checkout.number = 2
  utimesSync(file, 1, 1)
  expect([currentBundle(checkout.root), await checkout.printed()]).toEqual([null, '2 bundled'])
})

test('a start from changed sources does not wait for the bundle, which the next start has', () => {
  const checkout = new Checkout()
  const starts = [checkout.npmStart(), checkout.npmStart()]
  checkout.number = 2
  starts.push(checkout.npmStart(), checkout.npmStart())
  expect(starts).toEqual(['1 bundled', '1 bundled', '2 from sources', '2 bundled'])
})

test('a start after the packages changed bundles again', async () => {
  const checkout = new Checkout()
  await settled(join(checkout.root, 'src/number.ts'))
  const first = await checkout.start()
  checkout.write('node_modules/.package-lock.json', `${JSON_FILE}\n`)
  expect([currentBundle(checkout.root), await checkout.start()]).not.toContain(first)
})

test('a file that changes during a build is bundled again by the next start', async () => {
  const checkout = new Checkout()
  await settled(join(checkout.root, 'src/number.ts'))
  const building = checkout.start()
  while (!existsSync(join(checkout.root, 'node_modules/.cache/gateway/1'))) await turn()
  checkout.number = 2
  await building
  expect([currentBundle(checkout.root), await checkout.printed()]).toEqual([null, '2 bundled'])
})

test('a removed file or a checkout without write access starts the sources, with a sentence', async () => {
  const checkout = new Checkout()
  await settled(join(checkout.root, 'src/number.ts'))
  await checkout.start()
  const file = join(checkout.root, 'src/number.ts')
  renameSync(file, `${file}.old`)
  expect([await checkout.start(), checkout.messages]).toEqual([
    null,
    [expect.stringMatching(/^The gateway starts from its sources, which takes longer: .*number\.ts/s)],
  ])
  const closed = new Checkout()
  symlinkSync('/nowhere/at/all', join(closed.root, '.node'))
  expect([await closed.start(), closed.messages]).toEqual([
    null,
    [expect.stringMatching(/^The gateway starts from its sources, which takes longer: The checkout is not writable/)],
  ])
})

test.runIf(process.platform === 'linux')('npm start leaves only the gateway of the bundle running', async () => {
  const folder = (await bundle({ root: PROJECT_ROOT, say: () => {} })) ?? ''
  const env = { ...process.env, HM_DATA_DIR: tempFolder(), HM_HOST: '127.0.0.1', HM_PORT: '0' }
  const started = spawn(process.execPath, ['scripts/run.mjs', 'start'], { cwd: PROJECT_ROOT, env })
  onTestFinished(() => void started.kill('SIGKILL'))
  for await (const line of createInterface(started.stdout)) if (line.includes('Ctrl-C')) break
  const factsOf = (name: string): string[] => readFileSync(`/proc/${started.pid}/${name}`, 'utf8').split('\0')
  expect(factsOf('cmdline')).toContain(join(folder, 'gateway.mjs'))
  expect(factsOf('environ')).toContain('MALLOC_ARENA_MAX=1')
  started.kill('SIGTERM')
  expect(await once(started, 'exit')).toEqual([0, null])
})
