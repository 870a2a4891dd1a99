import { request } from 'node:https'
import { ConnectionError, HmError, TrustError } from '@hm-gateway/client/src/error.ts'
import { GatewayAgent } from '@hm-gateway/client/src/node-agent.ts'
import type { ClientContext } from '../home/client-context.ts'
import { checkAddress, isOwnCa } from '../doctor/address-check.ts'
import { type Broken, fault, type Finding, note, unreached, well, checkHome, refused } from '../doctor/home-check.ts'
import { EXIT_CODES, Failure } from '../home/failure.ts'
import { broken, faint, sound } from '../words/state-words.ts'
import { integrationOf, type Profile, UnusableFile } from '../home/profile.ts'
import { reached, type Reached, type Way, waysTo } from '../home/ways.ts'
/** Clocks that differ by more make times misleading, long before a certificate is refused. */
const CLOCK_MAX_MS = 60_000
const WAIT_MS = 5_000

/** `hm doctor`: checks every link from this machine to the units, and says how to repair the first broken one. */
export async function doctor(context: ClientContext, name: readonly string[]): Promise<void> {
  const profile = profileOf(context)
  if (profile instanceof UnusableFile)
    return printFindings(context, { name: context.named ?? null, house: null }, [loginFault(profile)])
  printFindings(context, profile, await examine(profile, name.length === 0 ? undefined : name.join(' ')))
}

/** The login, or the problem with the file of the logins. */
function profileOf(context: ClientContext): Profile | UnusableFile {
  try {
    return context.profile
  } catch (error) {
    if (error instanceof UnusableFile) return error
    throw error
  }
}

const loginFault = ({ what, todo }: UnusableFile): Broken =>
  fault('login', `${what}.`, `${todo.charAt(0).toUpperCase()}${todo.slice(1)}`, EXIT_CODES.login)

/** Prints the findings; the first broken link decides the exit code. */
function printFindings(
  context: ClientContext,
  profile: { readonly name: string | null; readonly house: string | null },
  found: readonly (Finding | Broken)[],
): void {
  const first = found.find(isBroken)
  const findings = found.map(({ link, state, what, todo }) => ({ link, state, what, todo }))
  const answer = { profile: profile.name, house: profile.house, state: first ? 'broken' : 'well', findings }
  context.show(answer, () => findings.map(lineOf).join('\n'))
  process.exitCode = first?.exitCode ?? 0
}

const isBroken = (finding: Finding): finding is Broken => finding.state === 'broken'

async function examine(profile: Profile, typed: string | undefined): Promise<readonly (Finding | Broken)[]> {
  if (!isOwnCa(profile)) return [damaged(profile)]
  const addresses = await Promise.all(profile.addresses.map((address) => checkAddress(address, profile)))
  const relay = profile.relay === null ? [] : [await checkRelay(profile)]
  const isHere = addresses.some(({ state }) => state === 'well')
  const isOutside = relay.some(({ state }) => state === 'well')
  const lines = isHere || isOutside ? addresses.map(asNote) : [...addresses].toSorted(mostSeriousFirst)
  if (!isHere && !isOutside) return [...lines, ...relay]
  const sound = profile.addresses.filter((_, at) => addresses[at]?.state === 'well')
  const clock = isHere ? await checkClock(sound[0] ?? '', profile) : []
  const ways = waysTo(profile).filter(({ kind, address }) => (isHere ? sound.includes(address) : kind === 'relay'))
  return [...lines, ...clock, ...relay, ...(await checkInside(profile, ways, typed))]
}

/** Order of findings: another CA is more serious than a name that does not resolve. */
const SERIOUSNESS: readonly string[] = ['ca', 'clock', 'address', 'name']
const mostSeriousFirst = (one: Finding, other: Finding): number =>
  SERIOUSNESS.indexOf(one.link) - SERIOUSNESS.indexOf(other.link)

/** A broken address is only a note if another address leads to the home. */
const asNote = (finding: Finding): Finding => (finding.state === 'broken' ? note(finding.link, finding.what) : finding)

function damaged({ name }: Profile): Broken {
  const what = `The CA of the login "${name}" does not match its fingerprint.`
  return fault('login', what, 'Log in again: hm login', EXIT_CODES.login)
}

async function checkInside(
  profile: Profile,
  ways: readonly Way[],
  typed: string | undefined,
): Promise<readonly (Finding | Broken)[]> {
  try {
    const { client } = await reached(ways, (home, options) => home.integration(options))
    return await checkHome(client, typed)
  } catch (error) {
    if (error instanceof HmError) return [refused(error, integrationOf(profile) ?? 'ID')]
    if (error instanceof Failure) return [fault('exposure', error.message, NOT_SEEN, EXIT_CODES.typed)]
    if (error instanceof TrustError) return [fault('ca', error.message, NEW_CODE, EXIT_CODES.trust)]
    if (error instanceof ConnectionError) return [fault('address', error.message, AGAIN, EXIT_CODES.unreached)]
    throw error
  }
}

const NEW_CODE =
  'Compare the CA with `bin/hm tls show` at the gateway, and only then log in with a new connection code.'
const AGAIN = 'It answered a moment ago and does not answer now: check that the gateway runs, and try again.'
const NOT_SEEN = 'A login sees only exposed things: an administrator can list them with bin/hm integration show.'

/** Checks that the relay leads to the gateway, independently of the addresses at home. */
async function checkRelay(profile: Profile): Promise<Finding | Broken> {
  const ways = waysTo(profile).filter(({ kind }) => kind === 'relay')
  const url = profile.relay?.url ?? ''
  const broke = (what: string, todo: string): Broken => unreached('relay', what, todo)
  try {
    const way: Reached<unknown> = await reached(ways, (home, options) => home.integration(options))
    return well('relay', `The relay ${way.way.address} leads to the gateway.`)
  } catch (error) {
    if (error instanceof TrustError) return broke(error.message, 'Ask the operator of the relay for its CA.')
    if (error instanceof ConnectionError)
      return broke(`The relay does not answer: ${error.message}`, 'Check that it runs, and check its address.')
    if (!(error instanceof HmError)) throw error
    if (error.code === 'gateway_offline')
      return broke(
        `The relay ${url} answers, but the gateway is not connected to it.`,
        'Run bin/hm relay status at the gateway.',
      )
    if (error.status === 401) return refused(error, integrationOf(profile) ?? 'ID')
    return broke(
      `The relay ${url} answers: ${error.message}`,
      `Allow requests from outside: bin/hm integration set ${integrationOf(profile) ?? 'ID'} cloud_access=on`,
    )
  }
}

/** Compares this machine's clock with the gateway's. */
async function checkClock(address: string, { ca }: Profile): Promise<readonly Finding[]> {
  const date = await new Promise<string | undefined>((resolve) => {
    const agent = new GatewayAgent(ca, null)
    const signal = AbortSignal.timeout(WAIT_MS)
    request(`${address}/v1/about`, { agent, signal, method: 'GET' }, (response) => {
      response.resume()
      response.on('close', () => agent.destroy())
      resolve(response.headers.date)
    })
      .on('error', () => resolve(undefined))
      .end()
  })
  const ahead = Date.now() - Date.parse(date ?? '')
  if (Number.isNaN(ahead) || Math.abs(ahead) < CLOCK_MAX_MS) return []
  const way = ahead > 0 ? 'ahead of' : 'behind'
  const what = `This machine's clock is ${Math.round(Math.abs(ahead) / 1000)} s ${way} the gateway's.`
  return [note('clock', what, 'Correct the wrong clock.')]
}

function lineOf({ link, state, what, todo }: Finding): string {
  const mark = { well: sound('ok   '), note: faint('note '), broken: broken('FAULT') }[state]
  return `${mark}  ${link.padEnd(8)}  ${what}${todo === null ? '' : `\n${' '.repeat(17)}${todo}`}`
}
