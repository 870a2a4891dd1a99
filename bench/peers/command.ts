import { spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { basename } from 'node:path'
import { pin, ALL_CORES } from '../processes.ts'

const LOOK_EVERY_MS = 20
const START_MS_MAX = 90_000
const OUTPUT_LINES = 2

/** A peer's own program. */
export interface Command extends AsyncDisposable {
  readonly pid: number
  /**
   * Resolves when the look succeeds, with the time since the start in milliseconds.
   * @throws Error with the command and its last output if it ends before or takes too long
   */
  until(look: () => Promise<boolean>): Promise<number>
}

export function runCommand(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Command {
  const begun = performance.now()
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()).once('error', () => resolve()))
  const pid = child.pid ?? 0
  pin(pid, ALL_CORES)
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      lines.push(...chunk.toString().split('\n').filter(Boolean))
      lines.splice(0, lines.length - OUTPUT_LINES)
    })
  const until = async (look: () => Promise<boolean>): Promise<number> => {
    const failed = (why: string): Error =>
      new Error(`\`${[basename(program), ...args].join(' ')}\` ${why}: ${lines.join(' / ')}`)
    while (!(await look().catch(() => false))) {
      if (child.exitCode !== null || pid === 0) throw failed('ended')
      if (performance.now() - begun > START_MS_MAX) throw failed(`was not ready within ${START_MS_MAX / 1_000} s`)
      await pause(LOOK_EVERY_MS)
    }
    return performance.now() - begun
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  return { pid, until, [Symbol.asyncDispose]: stop }
}
