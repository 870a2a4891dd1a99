import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { inCheckFolder } from '../../src/backup/restoring/check-folder.ts'
import { COMPILED } from '#support/gateway/gateway-process.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'

const CHILD = new URL('./check-child.ts', import.meta.url).pathname
const SWAP = new URL('../../src/backup/restoring/restore-swap.ts', import.meta.url).href
const FOLDER = new URL('../../src/settings/data-folder.ts', import.meta.url).href

/** A process that checks a backup, and its work folder. */
async function checking(dataDir: string): Promise<{ readonly child: ChildProcess; readonly folder: string }> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CHILD, dataDir], {
    env: { ...process.env, ...COMPILED },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('It ended before it had a folder.')))
  const [line] = await Promise.race([once(child.stdout, 'data') as Promise<[Buffer]>, ended])
  return { child, folder: line.toString().trim() }
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const exit = once(child, 'exit') as Promise<[number | null]>
  child.kill(signal)
  return (await exit)[0]
}

const nothing = (): Promise<void> => Promise.resolve()

proves(
  'backup.restore',
  'a check removes its work folder on Ctrl+C, and the next check removes the folder of a killed one',
  { tags: ['long'] },
  async () => {
    const dataDir = tempFolder()
    const [stopped, killed] = await Promise.all([checking(dataDir), checking(dataDir)])
    writeFileSync(join(killed.folder, 'core.db'), 'half of it')
    // A third check leaves both alone.
    await inCheckFolder(dataDir, nothing)
    expect([stopped, killed].map(({ folder }) => existsSync(folder))).toEqual([true, true])
    expect(await ended(stopped.child, 'SIGINT')).toBe(130)
    expect(existsSync(stopped.folder)).toBe(false)
    await ended(killed.child, 'SIGKILL')
    expect(readdirSync(dataDir)).toHaveLength(1)
    await inCheckFolder(dataDir, nothing)
    expect(readdirSync(dataDir)).toEqual([])
  },
)

proves(
  'backup.restore',
  'a check removes an abandoned work folder, although another process has its number now',
  async () => {
    const dataDir = tempFolder()
    // Earlier versions put the number of the process into the name.
    mkdirSync(join(dataDir, `.backup-check-${process.pid}-abc`))
    await inCheckFolder(dataDir, nothing)
    expect(readdirSync(dataDir)).toEqual([])
  },
)

/** The user `nobody` of most systems. */
const OTHER_USER = 65_534

describe.skipIf(process.getuid?.() !== 0)('a check of root (needs root)', () => {
  proves(
    'backup.restore',
    'in the data folder of a service does not prevent its start',
    { tags: ['long'] },
    async () => {
      const dataDir = tempFolder()
      chownSync(dataDir, OTHER_USER, OTHER_USER)
      const { child, folder } = await checking(dataDir)
      writeFileSync(join(folder, 'core.db'), 'half of it')
      const script = `import { finishSwap } from '${SWAP}'; import { prepareDataFolder } from '${FOLDER}'
    await finishSwap(prepareDataFolder(process.argv[1]))`
      const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script, dataDir]
      const { status, stderr } = spawnSync(process.execPath, args, { uid: OTHER_USER, encoding: 'utf8' })
      expect([status, stderr]).toEqual([0, ''])
      expect(existsSync(join(folder, 'core.db'))).toBe(true)
      await ended(child, 'SIGKILL')
      await inCheckFolder(dataDir, nothing)
      expect(readdirSync(dataDir)).toEqual([])
    },
  )
})
