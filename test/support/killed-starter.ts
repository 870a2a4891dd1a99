import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { tempFolder } from '#support/temp-folder.ts'

/**
 * Starts a relay or a gateway, kills its parent process once it runs, and resolves to its output when its last process has ended.
 */
export async function killedStarter(program: string, ...args: readonly string[]): Promise<string> {
  const started = spawn(program, args, {
    cwd: PROJECT_ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...process.env,
      ...{ HM_RELAY_DATA_DIR: tempFolder(), HM_RELAY_PORT: '0', HM_RELAY_LOG_LEVEL: 'silent' },
      ...{ HM_DATA_DIR: tempFolder(), HM_HOST: '127.0.0.1', HM_PORT: '0' },
    },
  })
  onTestFinished(() => void started.kill('SIGKILL'))
  // The pipe closes when the last process that could write to it has ended.
  const over = once(started.stdout, 'close')
  const runs = Promise.withResolvers<string>()
  createInterface(started.stdout).on('line', (line) => {
    if (line.includes('Ctrl-C')) runs.resolve(line.trim())
  })
  const last = await runs.promise
  started.kill('SIGKILL')
  await over
  return last
}
