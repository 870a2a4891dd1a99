import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { GATEWAY_FLAGS } from '../scripts/gateway-flags.mjs'

/** A server in a separate process, pinned to the first core if possible. The load runs on the second. */
export interface ServerProcess<Facts> extends AsyncDisposable {
  readonly pid: number
  readonly facts: Facts
  /** Sends a question to the process, which replies by message. */
  ask<T>(question: object): Promise<T>
  /** Nanoseconds of processor time of all its threads so far. */
  cpuNs(): number
  stop(): Promise<void>
}

export interface StartOptions {
  readonly core?: string
  /** A program that runs the server, with that program's own arguments. */
  readonly under?: readonly string[]
  /** Flags of Node; the gateway's by default. */
  readonly flags?: readonly string[]
}

const canPin = spawnSync('taskset', ['--version']).status === 0
const SERVER_CORE = '0'
export const LOAD_CORE = '1'
/** For measurements without a load. */
export const ALL_CORES = `0-${cpus().length - 1}`

/** Starts `file`. Resolves with its first message. */
export async function startServer<Facts>(
  file: string,
  args: readonly string[],
  { core = SERVER_CORE, under = [], flags = GATEWAY_FLAGS }: StartOptions = {},
): Promise<ServerProcess<Facts>> {
  const command = [...under, process.execPath, ...flags, join(import.meta.dirname, file), ...args]
  const [program = '', ...rest] = command
  const child = spawn(program, rest, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const pid = child.pid ?? 0
  pin(pid, core)
  const facts = await nextMessage<Facts>(child)
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      // A process that has ended gets no signal.
      if (child.exitCode !== null || child.signalCode !== null) return resolve()
      child.once('exit', () => resolve())
      child.disconnect()
    })
  return {
    pid,
    facts,
    ask: (question) => {
      child.send(question)
      return nextMessage(child)
    },
    cpuNs: () => cpuNs(pid),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

export function pinLoad(): boolean {
  pin(process.pid, LOAD_CORE)
  return canPin
}

/** Pins a process and its children to cores. */
export function pin(pid: number, core: string): void {
  if (canPin) spawnSync('taskset', ['-a', '-c', '-p', core, String(pid)])
}

/** Pins a server with its descendants. */
export function pinServer(pid: number): void {
  for (const process of processTree(pid)) pin(process, SERVER_CORE)
}

function nextMessage<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const failed = (code: number | null): void =>
      reject(new Error(`a server of the benchmark ended with ${String(code)}`))
    child.once('exit', failed)
    child.once('message', (message) => {
      child.off('exit', failed)
      resolve(message as T)
    })
  })
}

/** Processor time by the scheduler's count, independent of other load; 0 without such a count. */
export function cpuNs(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce(
      (sum, thread) => sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
      0,
    )
  } catch {
    return 0
  }
}

/** Use of the machine by some processes. */
export interface Usage {
  readonly residentMiB: number
  /** Memory that no other process shares and no file holds. */
  readonly privateDirtyMiB: number
  readonly cpuNs: number
  /** Number of times that a thread waited, and so was woken. */
  readonly wakeups: number
}

/** A process and its descendants, itself first. */
export function processTree(pid: number): readonly number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  )
  return [pid, ...children.flatMap((child) => processTree(Number(child)))]
}

export function usageOf(pids: readonly number[]): Usage {
  const sum = (of: (pid: number) => number): number => pids.reduce((total, pid) => total + of(pid), 0)
  const kibibytes = (field: string) => (pid: number) => fieldOf(`/proc/${pid}/smaps_rollup`, field)
  return {
    residentMiB: Math.round(sum(kibibytes('Rss')) / 1024),
    privateDirtyMiB: Math.round(sum(kibibytes('Private_Dirty')) / 1024),
    cpuNs: sum(cpuNs),
    wakeups: sum((pid) =>
      readdirSync(`/proc/${pid}/task`).reduce(
        (total, thread) => total + fieldOf(`/proc/${pid}/task/${thread}/status`, 'voluntary_ctxt_switches'),
        0,
      ),
    ),
  }
}

function fieldOf(file: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(file, 'utf8'))?.[1] ?? 0)
}
