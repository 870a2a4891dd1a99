import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openBrowser } from '../test/support/console/browser.ts'
import { atMost } from './report.ts'
import { scratch } from './scratch.ts'

const ROOT = join(import.meta.dirname, '..')
const PORT = 18_732
const LINK_MS = 30_000
const LAMP_MS = 60_000
/** Time limit of each step. */
const WAIT_MS = 600_000

/**
 * The first minute of a new user: a clean clone, `npm start`, a click on the printed link, a lamp. The figures include
 * the registry and the machine's npm cache.
 */
export async function firstStart(): Promise<void> {
  using folder = scratch()
  const clone = join(folder.path, 'clone')
  let started: ChildProcess | null = null
  try {
    const { status, stderr } = spawnSync('git', ['clone', '--quiet', '--no-hardlinks', ROOT, clone])
    if (status !== 0) throw new Error(`git clone: ${String(stderr)}`)
    const begun = performance.now()
    started = startAtTerminal(clone)
    const link = await printedLink(started)
    tell('first start: the link is printed', performance.now() - begun, LINK_MS)
    await switchLamp(link, clone, join(folder.path, 'browser'))
    tell('first start: a lamp is switched', performance.now() - begun, LAMP_MS)
  } finally {
    if (started?.pid !== undefined) process.kill(-started.pid, 'SIGTERM')
  }
}

/** Runs `npm start` at a terminal, because it prints the link only there. It leads its own process group. */
function startAtTerminal(cwd: string): ChildProcess {
  const plain = Object.entries(process.env).filter(([name]) => !name.startsWith('HM_') && !name.startsWith('NODE_'))
  const env = { ...Object.fromEntries(plain), HM_PORT: String(PORT), HM_HOST: '127.0.0.1' }
  return spawn('script', ['--quiet', '--return', '--command', 'npm start', '/dev/null'], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

function printedLink(started: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = ''
    const late = setTimeout(() => reject(new Error(`no link was printed:\n${printed}`)), WAIT_MS)
    started.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString('utf8')
      const [link] = /https:\/\/localhost:\d+\/console\/#[\w-]+/.exec(printed) ?? []
      if (link === undefined) return
      clearTimeout(late)
      resolve(link)
    })
    started.once('error', reject)
    started.once('exit', (code) => reject(new Error(`npm start ended with ${String(code)}:\n${printed}`)))
  })
}

/** Opens the link and switches the first lamp of the page. Resolves after the lamp has confirmed it. */
async function switchLamp(link: string, clone: string, profile: string): Promise<void> {
  const ca = readFileSync(join(clone, 'data/tls/ca.pem'), 'utf8')
  await using browser = await openBrowser({ port: PORT, ca }, profile)
  const page = await browser.newPage()
  await page.goto(link)
  const lamp = page.getByRole('switch').first()
  const before = await lamp.getAttribute('aria-checked', { timeout: WAIT_MS })
  const name = await lamp.getAttribute('aria-label')
  await lamp.click()
  const after = before === 'true' ? 'false' : 'true'
  await page.locator(`[role=switch][aria-label="${name}"][aria-checked=${after}]`).waitFor({ timeout: WAIT_MS })
}

function tell(work: string, ms: number, most: number): void {
  atMost(work, ms / 1_000, { most: most / 1_000, unit: 's', digits: 1, detail: 'from a clean clone' })
}
