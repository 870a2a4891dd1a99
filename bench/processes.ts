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

/** Processor time of the living threads by the scheduler's count, independent of other load; 0 without such a count. */
export function cpuNs(pid: number): number {
  return threadsOf(pid).reduce((sum, thread) => sum + Number(textOf(`${thread}/schedstat`).split(' ')[0]), 0)
}

/** Use of the machine by some processes. */
export interface Usage {
  readonly residentMiB: number
  /** Memory that no other process shares and no file holds. */
  readonly privateDirtyMiB: number
  /** Processor time with ended threads and child processes. */
  readonly cpuMs: number
  /** Number of times that a thread waited, and so was woken. */
  readonly wakeups: number
}

/** A process and its descendants, itself first. */
export function processTree(pid: number): readonly number[] {
  const children = threadsOf(pid).flatMap((thread) => textOf(`${thread}/children`).split(' ').filter(Boolean))
  return [pid, ...children.flatMap((child) => processTree(Number(child)))]
}

export function usageOf(pids: readonly number[]): Usage {
  const sum = (of: (pid: number) => number): number => pids.reduce((total, pid) => total + of(pid), 0)
  const mebibytes = (field: string): number =>
    Math.round(sum((pid) => fieldOf(`/proc/${pid}/smaps_rollup`, field)) / 1024)
  return {
    residentMiB: mebibytes('Rss'),
    privateDirtyMiB: mebibytes('Private_Dirty'),
    cpuMs: sum(ticksOf) * TICK_MS,
    wakeups: sum((pid) =>
      threadsOf(pid).reduce((total, thread) => total + fieldOf(`${thread}/status`, 'voluntary_ctxt_switches'), 0),
    ),
  }
}

/** Linux counts the time of a whole process in these. */
const TICK_MS = 10

/** Ticks of the process and its ended children, for user and system. */
function ticksOf(pid: number): number {
  // The name in `1234 (sh) S 1233 …` may contain blanks and brackets.
  const fields = textOf(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
}

function fieldOf(file: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(textOf(file))?.[1] ?? 0)
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`)
  } catch {
    return []
  }
}

/** The text of a file, empty after the end of its process. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
