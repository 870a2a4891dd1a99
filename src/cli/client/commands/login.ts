import { readFileSync } from 'node:fs'
import { decodeConnectionCode } from '@hm-gateway/client/src/connection-code.ts'
import { caOf, trustedCa } from '@hm-gateway/client/src/node-trust.ts'
import { readText, asked, listed } from '../../shell/terminal.ts'
import type { ClientContext } from '../home/client-context.ts'
import { EXIT_CODES, Failure, failureOf } from '../home/failure.ts'
import { NameCache } from '../home/name-cache.ts'
import type { Profile, ProfileRelay } from '../home/profile.ts'
import { reached, waysTo } from '../home/ways.ts'

export interface LoginOptions {
  /** False: without the way from outside that was kept. */
  readonly relay?: string | false
  readonly relayCa?: string
  readonly endToEnd: boolean
}

/** `hm login`: tries a connection code, and keeps it as a profile once the home has answered. */
export async function login(context: ClientContext, code: string | undefined, options: LoginOptions): Promise<void> {
  const connection = decodeConnectionCode(await codeOf(code))
  if (!connection)
    throw typed('This is no connection code: it begins with hmc1_ and is copied as a whole.', 'no_connection_code')
  const kept = context.profiles.all().profiles.find(isSame(context, connection))
  const relay = options.relay === false ? null : (relayOf(options) ?? kept?.relay ?? null)
  const profile = await answered(context, { ...connection, relay }, options.relay !== false)
  context.profiles.put(profile, true)
  const { name, house, gateway } = profile
  const shown = { profile: name, house, gateway, addresses: profile.addresses, relay: profile.relay?.url ?? null }
  context.show(shown, () => `You are logged in to ${house} ("${name}"). Try: hm devices`)
}

/** Whether a login is one that is made again: what else was told it stays. */
function isSame({ named }: ClientContext, { fingerprint }: Pick<Profile, 'fingerprint'>): (kept: Profile) => boolean {
  return (kept) => kept.fingerprint === fingerprint && (named === undefined || kept.name === named)
}

/** The profile of a home that answers to what was given. */
async function answered(
  context: ClientContext,
  given: Pick<Profile, 'addresses' | 'fingerprint' | 'token' | 'relay'>,
  keepsRelay: boolean,
): Promise<Profile> {
  const asked: Profile = { ...given, name: '', house: '', gateway: '', ca: null }
  try {
    const { way, answer } = await reached(waysTo(asked), (client, signal) => client.house({}, signal))
    new NameCache().keep(answer)
    const { house, gateway } = answer
    // A relay has no CA of the gateway to give: it is fetched at home then, each time, and compared.
    const ca = way.kind === 'home' ? (await trustedCa([way.address], given.fingerprint)).ca.pem : null
    const name = nameFor(context, house, gateway)
    // After a new CA only the gateway that has answered says that it is the same.
    const before = context.profiles
      .all()
      .profiles.find((profile) => profile.name === name && profile.gateway === gateway)
    const relay = given.relay ?? (keepsRelay ? (before?.relay ?? null) : null)
    return { ...asked, name, house, gateway, ca, relay }
  } catch (error) {
    throw failureOf(error)
  }
}

/** The name that was given, or the home's as one word, with a number where another home has that. */
function nameFor(context: ClientContext, house: string, gateway: string): string {
  if (context.named !== undefined) return context.named
  const word = house.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-') || gateway
  const isFree = (name: string): boolean =>
    context.profiles.all().profiles.every((profile) => profile.name !== name || profile.gateway === gateway)
  let name = word
  for (let number = 2; !isFree(name); number += 1) name = `${word}-${number}`
  return name
}

/** `hm logout`: forgets a profile; what it came in with stays valid until an administrator revokes it. */
export function logout(context: ClientContext): void {
  const { name, house } = context.profile
  context.profiles.remove(name)
  new NameCache().forget()
  context.show(
    { profile: name },
    () =>
      `This machine is logged out of ${house} ("${name}"). The key itself ends with: bin/hm key revoke, at the gateway.`,
  )
}

/** `hm profiles`: which homes there are, and with a name, which is meant from now on. */
export function profiles(context: ClientContext, use: string | undefined): void {
  if (use !== undefined) context.profiles.use(use)
  const { current, profiles: kept } = context.profiles.all()
  const shown = kept.map(({ name, house, gateway, addresses, relay }) => ({
    name,
    current: name === current,
    house,
    gateway,
    addresses,
    relay: relay?.url ?? null,
  }))
  context.show({ profiles: shown }, () =>
    listed(shown, 'You are logged in to no home: hm login CODE.', {
      '': (profile) => (profile.current ? '*' : ''),
      PROFILE: (profile) => profile.name,
      HOME: ({ house }) => house,
      ADDRESS: ({ addresses }) => addresses[0] ?? null,
      RELAY: ({ relay }) => relay,
    }),
  )
}

/** The code that was given; or typed or piped in, which no history of a shell and no list of processes shows. */
async function codeOf(code: string | undefined): Promise<string> {
  if (code !== undefined && code !== '-') return code
  return process.stdin.isTTY ? asked('Connection code: ') : readFileSync(0, 'utf8')
}

function relayOf({ relay, relayCa, endToEnd }: LoginOptions): ProfileRelay | null {
  if (relay === undefined || relay === false) {
    if (relayCa === undefined && !endToEnd) return null
    throw typed('Name the relay too: --relay https://relay.example', 'no_relay')
  }
  const url = URL.parse(relay.includes('://') ? relay : `https://${relay}`)
  if (url?.protocol !== 'https:' || url.pathname !== '/')
    throw typed(`"${relay}" is no address of a relay such as https://relay.example.`, 'no_relay')
  return { url: url.origin, ca: relayCa === undefined ? null : pemOf(relayCa), endToEnd }
}

function pemOf(file: string): string {
  const text = readText(file)
  try {
    return caOf(text).pem
  } catch {
    throw typed(`${file} has no certificate of a CA, PEM.`, 'no_ca')
  }
}

const typed = (sentence: string, code: string): Failure => new Failure(sentence, EXIT_CODES.typed, { code })
