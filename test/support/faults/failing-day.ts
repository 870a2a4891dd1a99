import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { freePort } from '#support/free-port.ts'
import { type GatewayExit, GatewayProcess } from '#support/gateway/gateway-process.ts'
import { CALL_KINDS, type CallKind, type Fault, FailingCalls } from './failing-calls.ts'
import { type DayAnswer, type DayHome, ScriptedDay } from './scripted-day.ts'

const SOON_TIMERS = pathToFileURL(join(import.meta.dirname, 'soon-timers.mjs')).href
const RECOVERS_MS = 45_000
const STARTS_MS = 60_000
const LOOK_MS = 100
/** Length of the log excerpt in the report of a failed day. */
const QUOTED = 1_500

/** Names of databases that a start put aside as damaged. */
const PUT_ASIDE = /\.(?:corrupt|unusable|damaged)-/

/** The moment of the first failing call: the start of the process, or once it serves. */
export type FaultFrom = 'start' | 'serving'

export interface DayOutcome {
  /** Number of failed calls, and the last of them. */
  readonly failed: number
  readonly last: string
  readonly endedAtStart: boolean
  /** Sentences about broken guarantees; empty if the day went well. */
  readonly wrong: readonly string[]
  readonly answers: readonly DayAnswer[]
  /** Calls of each kind, failed or not. */
  readonly totals: Readonly<Record<CallKind, number>>
}

/** The data folder of a gateway that started without faults; each day uses a copy. */
export interface DayFolder extends DayHome {
  readonly folder: string
}

export async function dayFolder(): Promise<DayFolder> {
  const folder = mkdtempSync(join(tmpdir(), 'hm-day-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const first = await GatewayProcess.start({ dataDir: folder })
  const token = first.token!
  await first.kill('SIGTERM')
  const prefix = token
    .replace(/^hm_key_/, '')
    .split('.')
    .slice(0, 2)
    .join(':')
  return { folder, prefix, token }
}

/** Lives one day on a copy of the folder while calls fail, then starts again without faults. */
export async function failingDay(
  { folder, prefix, token }: DayFolder,
  fault: Fault | null,
  from: FaultFrom,
): Promise<DayOutcome> {
  const parent = mkdtempSync(join(tmpdir(), 'hm-day-'))
  const dataDir = join(parent, 'data')
  spawnSync('cp', ['-a', folder, dataDir])
  try {
    return await liveDay(new ScriptedDay({ prefix, token }), dataDir, fault, from)
  } finally {
    rmSync(parent, { recursive: true, force: true })
  }
}

/** Starts on a new folder while calls fail, then again without faults; both starts must have the same home. */
export async function failingFirstStart(fault: Fault): Promise<Pick<DayOutcome, 'failed' | 'last' | 'wrong'>> {
  const parent = mkdtempSync(join(tmpdir(), 'hm-day-'))
  const dataDir = join(parent, 'data')
  using calls = new FailingCalls(dataDir)
  const env = { ...calls.env, NODE_OPTIONS: `--import=${SOON_TIMERS}` }
  const serials: string[] = []
  const wrong: string[] = []
  try {
    calls.fail(fault)
    for (const variables of [env, {}]) {
      const started = await GatewayProcess.tryToStart({ dataDir, env: variables }, STARTS_MS)
      calls.heal()
      if (!(started instanceof GatewayProcess)) {
        wrong.push(
          ...(variables === env ? failedStart(started) : [`The restart failed: ${started.stderr.slice(-QUOTED)}`]),
        )
        continue
      }
      serials.push((await started.admin.call<{ gateway: string }>('GET', '/status')).gateway)
      wrong.push(...endOf(await started.kill('SIGTERM')))
    }
    if (new Set(serials).size > 1) wrong.push(`Two homes were created: ${serials.join()}`)
    return { failed: calls.failed, last: calls.last.replace(dataDir, ''), wrong }
  } finally {
    rmSync(parent, { recursive: true, force: true })
  }
}

async function liveDay(day: ScriptedDay, dataDir: string, fault: Fault | null, from: FaultFrom): Promise<DayOutcome> {
  using calls = new FailingCalls(dataDir)
  const env = { ...calls.env, HM_PORT: String(await freePort()), NODE_OPTIONS: `--import=${SOON_TIMERS}` }
  const wrong: string[] = []
  if (fault !== null && from === 'start') calls.fail(fault)
  const started = await GatewayProcess.tryToStart({ dataDir, env }, STARTS_MS)
  if (started instanceof GatewayProcess) {
    if (fault !== null && from === 'serving') calls.fail(fault)
    await day.live(started)
    calls.heal()
    for (const { what, status, body } of day.wrong)
      wrong.push(`${what} was answered ${status}: ${JSON.stringify(body)}`)
    if (!(await recovers(day, started))) wrong.push('The gateway does not recover.')
    wrong.push(...endOf(await started.kill('SIGTERM')))
  } else wrong.push(...failedStart(started))
  calls.heal()
  const again = await GatewayProcess.tryToStart({ dataDir }, STARTS_MS)
  if (again instanceof GatewayProcess) {
    for (const change of await day.lost(again)) wrong.push(`Lost: ${change}`)
    await again.kill('SIGTERM')
  } else wrong.push(`The restart failed: ${again.stderr.slice(-QUOTED)}`)
  for (const name of readdirSync(dataDir)) if (PUT_ASIDE.test(name)) wrong.push(`A sound file was put aside: ${name}`)
  const totals = Object.fromEntries(CALL_KINDS.map((kind) => [kind, calls.total(kind)])) as DayOutcome['totals']
  const endedAtStart = !(started instanceof GatewayProcess)
  return {
    failed: calls.failed,
    last: calls.last.replace(dataDir, ''),
    endedAtStart,
    wrong,
    totals,
    answers: day.answers,
  }
}

/** True once the gateway accepts changes again on the healed disk. */
async function recovers(day: ScriptedDay, gateway: GatewayProcess): Promise<boolean> {
  const until = performance.now() + RECOVERS_MS
  while (performance.now() < until) {
    if (gateway.child.exitCode !== null) return false
    if (await day.changes(gateway)) return true
    await pause(LOOK_MS)
  }
  return false
}

/** A failed start prints one sentence with the reason, besides its log lines. */
function failedStart({ code, signal, stderr }: GatewayExit): readonly string[] {
  const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
  const isSentence = lines.length === 1 && /^[A-Z].*\.$/.test(lines[0]!)
  return code === 1 && isSentence ? [] : [`The start ended with ${code ?? signal}: ${stderr.slice(-QUOTED)}`]
}

function endOf({ code, signal, stderr }: GatewayExit): readonly string[] {
  const defects = stderr.split('\n').filter((line) => /"level":60|A defect|A request failed/.test(line))
  return [...(code === 0 ? [] : [`It ended with ${code ?? signal}: ${stderr.slice(-QUOTED)}`]), ...defects]
}
