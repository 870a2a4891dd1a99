import { readFileSync } from 'node:fs'
import { decodeConnectionCode } from '@hm-gateway/client/src/connection-code.ts'
import { caOf, trustedCa } from '@hm-gateway/client/src/node-trust.ts'
import { readText, ask, listed } from '../../shell/terminal.ts'
import type { ClientContext } from '../home/client-context.ts'
import { EXIT_CODES, Failure, failureOf } from '../home/failure.ts'
import { NameCache } from '../home/name-cache.ts'
import type { Profile, ProfileRelay } from '../home/profile.ts'
import { reached, waysTo } from '../home/ways.ts'

export interface LoginOptions {
  /** False: removes the stored relay. */
  readonly relay?: string | false
  readonly relayCa?: string
  readonly endToEnd: boolean
}

/** `hm login`: tries a connection code, and stores it as a profile after the home has answered. */
export async function login(context: ClientContext, code: string | undefined, options: LoginOptions): Promise<void> {
  const connection = decodeConnectionCode(await codeOf(code))
  if (!connection)
    throw typed('This is not a connection code. Copy the whole text that begins with hmc1_.', 'no_connection_code')
  const stored = context.profiles.all().profiles.find(isStoredProfileOf(context, connection))
  const relay = options.relay === false ? null : (relayOf(options) ?? stored?.relay ?? null)
  const profile = await connectedProfile(context, { ...connection, relay }, options.relay !== false)
  context.profiles.put(profile, true)
  const { name, house, gateway } = profile
  const answer = { profile: name, house, gateway, addresses: profile.addresses, relay: profile.relay?.url ?? null }
  context.show(answer, () => `You are logged in to ${house} ("${name}"). Try: hm devices`)
}

/** True for the stored profile of the same login; its other fields are kept. */
function isStoredProfileOf(
  { named }: ClientContext,
  { fingerprint }: Pick<Profile, 'fingerprint'>,
): (stored: Profile) => boolean {
  return (stored) => stored.fingerprint === fingerprint && (named === undefined || stored.name === named)
}

/** Connects to the home and returns its profile. */
async function connectedProfile(
  context: ClientContext,
  login: Pick<Profile, 'addresses' | 'fingerprint' | 'token' | 'relay'>,
  keepsRelay: boolean,
): Promise<Profile> {
  const ask: Profile = { ...login, name: '', house: '', gateway: '', ca: null }
  try {
    const { way, answer } = await reached(waysTo(ask), (client, signal) => client.house({}, signal))
    new NameCache().keep(answer)
    const { house, gateway } = answer
    // A relay does not have the gateway's CA, so the client fetches it at home later and compares it.
    const ca = way.kind === 'home' ? (await trustedCa([way.address], login.fingerprint)).ca.pem : null
    const name = nameFor(context, house, gateway)
    // After a change of the CA, the gateway's serial identifies it.
    const before = context.profiles
      .all()
      .profiles.find((profile) => profile.name === name && profile.gateway === gateway)
    const relay = login.relay ?? (keepsRelay ? (before?.relay ?? null) : null)
    return { ...ask, name, house, gateway, ca, relay }
  } catch (error) {
    throw failureOf(error)
  }
}

/** The given name, or the home's name as one word, with a number if another home has it. */
function nameFor(context: ClientContext, house: string, gateway: string): string {
  if (context.named !== undefined) return context.named
  const word = house.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-') || gateway
  const isFree = (name: string): boolean =>
    context.profiles.all().profiles.every((profile) => profile.name !== name || profile.gateway === gateway)
  let name = word
  for (let number = 2; !isFree(name); number += 1) name = `${word}-${number}`
  return name
}

/** `hm logout`: removes a profile; its credential stays valid until an administrator revokes it. */
export function logout(context: ClientContext): void {
  const { name, house } = context.profile
  context.profiles.remove(name)
  new NameCache().forget()
  context.show(
    { profile: name },
    () =>
      `This machine is logged out of ${house} ("${name}"). To revoke the key itself, run bin/hm key revoke at the gateway.`,
  )
}

/** `hm profiles`: lists the homes; with a name, makes that one the default. */
export function profiles(context: ClientContext, use: string | undefined): void {
  if (use !== undefined) context.profiles.use(use)
  const { current, profiles: stored } = context.profiles.all()
  const answer = stored.map(({ name, house, gateway, addresses, relay }) => ({
    name,
    current: name === current,
    house,
    gateway,
    addresses,
    relay: relay?.url ?? null,
  }))
  context.show({ profiles: answer }, () =>
    listed(answer, 'You are not logged in to a home. Log in with: hm login CODE', {
      '': (profile) => (profile.current ? '*' : ''),
      PROFILE: (profile) => profile.name,
      HOME: ({ house }) => house,
      ADDRESS: ({ addresses }) => addresses[0] ?? null,
      RELAY: ({ relay }) => relay,
    }),
  )
}

/** The code from the argument, the terminal or a pipe; the last two keep it out of shell history and process lists. */
async function codeOf(code: string | undefined): Promise<string> {
  if (code !== undefined && code !== '-') return code
  return process.stdin.isTTY ? ask('Connection code: ') : readFileSync(0, 'utf8')
}

function relayOf({ relay, relayCa, endToEnd }: LoginOptions): ProfileRelay | null {
  if (relay === undefined || relay === false) {
    if (relayCa === undefined && !endToEnd) return null
    throw typed('Name the relay too: --relay https://relay.example', 'no_relay')
  }
  const url = URL.parse(relay.includes('://') ? relay : `https://${relay}`)
  if (url?.protocol !== 'https:' || url.pathname !== '/')
    throw typed(`"${relay}" is not an address of a relay such as https://relay.example.`, 'no_relay')
  return { url: url.origin, ca: relayCa === undefined ? null : pemOf(relayCa), endToEnd }
}

function pemOf(file: string): string {
  const text = readText(file)
  try {
    return caOf(text).pem
  } catch {
    throw typed(`${file} has no CA certificate in PEM format.`, 'no_ca')
  }
}

const typed = (sentence: string, code: string): Failure => new Failure(sentence, EXIT_CODES.typed, { code })
