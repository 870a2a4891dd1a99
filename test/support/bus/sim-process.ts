import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { COMPILED } from '#support/gateway/gateway-process.ts'

const CLI = join(import.meta.dirname, '../../../src/cli/main.ts')

/** The simulated, uninhabited house as a process of its own; lines on its standard input are commands. */
export class SimProcess implements AsyncDisposable {
  readonly port: number
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>

  private constructor(child: ChildProcess, lines: AsyncIterator<string>, port: number) {
    this.#child = child
    this.#lines = lines
    this.port = port
  }

  static async start(port = 0, ...options: readonly string[]): Promise<SimProcess> {
    const args = ['--disable-warning=ExperimentalWarning', CLI, 'sim', '--tcp', String(port), '--no-people', ...options]
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...COMPILED },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const first = await lines.next()
    const listening = first.done === true ? null : /tcp:\/\/127\.0\.0\.1:(\d+)$/.exec(first.value)
    if (listening === null) throw new Error(`The simulator did not start: ${String(first.value)}`)
    return new SimProcess(child, lines, Number(listening[1]))
  }

  /** Sends a command that prints nothing. */
  tell(line: string): void {
    this.#child.stdin?.write(`${line}\n`)
  }

  /** Sends a command and returns the one line that the simulator prints. */
  async ask(line: string): Promise<string> {
    this.tell(line)
    const answer = await this.#lines.next()
    if (answer.done === true) throw new Error('The simulator has ended.')
    return answer.value
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill()
  }
}

/** Creates a pseudo-terminal at `path` as the adapter's serial line; socat connects it to the simulator. */
export function plugIn(path: string, port: number): ChildProcess {
  return spawn('socat', [`PTY,link=${path},raw,echo=0`, `TCP:127.0.0.1:${port},nodelay`], { stdio: 'ignore' })
}

export async function pullOut(socat: ChildProcess): Promise<void> {
  if (socat.exitCode !== null || socat.signalCode !== null) return
  const exited = once(socat, 'exit')
  socat.kill('SIGKILL')
  await exited
}
