import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { caOf, servedCa } from '@hm-gateway/client/src/node-trust.ts'
import { errorCode } from '../../../lib/files.ts'
import { EXIT_CODES } from '../home/failure.ts'
import type { Profile } from '../home/profile.ts'
import { type Broken, fault, type Finding, unreached, well } from './home-check.ts'

const WAIT_MS = 5_000
const EXPIRED_CODES: readonly string[] = ['CERT_NOT_YET_VALID', 'CERT_HAS_EXPIRED']
/** Errors of an unused or unreachable address. */
const UNREACHABLE_CODES: readonly string[] = ['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'EADDRNOTAVAIL']

/** Checks an address up to a gateway with the trusted CA, and returns the first fault. */
export async function checkAddress(address: string, profile: Profile): Promise<Finding | Broken> {
  if (!URL.canParse(address))
    return unreached('address', `"${address}" is not an address.`, 'The file of the logins was edited: log in again.')
  const { hostname, port } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) === 0) {
    const unknown = await nameFault(host)
    if (unknown) return unknown
  }
  const line = await opened(host, Number(port || 443), profile.ca)
  if ('code' in line) return connectionFault(address, line.code)
  try {
    return (await trustFault(address, line.socket, profile)) ?? well('address', `${address} is the gateway.`)
  } finally {
    line.socket.destroy()
  }
}

/** Fault of a name that does not resolve; null if it does. */
async function nameFault(host: string): Promise<Broken | null> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('late')), WAIT_MS).unref()
  })
  try {
    await Promise.race([lookup(host), late])
    return null
  } catch {
    const todo = host.endsWith('.local')
      ? 'Names that end with .local need mDNS on this machine (on Linux: libnss-mdns), and the same network as the gateway. Log in with a code that has its address, or reach it through a relay.'
      : 'Check the spelling of the name and the name server of this network.'
    return unreached('name', `The name ${host} does not resolve on this machine.`, todo)
  }
}

type Opened = { readonly socket: TLSSocket } | { readonly code: string }

/** Opens a connection without verification; its certificate is checked afterwards. */
function opened(host: string, port: number, ca: string | null): Promise<Opened> {
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.3',
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(ca === null ? {} : { ca }),
    })
    const failed = (code: string): void => {
      socket.destroy()
      resolve({ code })
    }
    const timer = setTimeout(() => failed('ETIMEDOUT'), WAIT_MS)
    socket.on('error', (error) => failed(errorCode(error) ?? ''))
    socket.on('secureConnect', () => {
      clearTimeout(timer)
      resolve({ socket })
    })
    socket.on('close', () => clearTimeout(timer))
  })
}

function connectionFault(address: string, code: string): Broken {
  if (code === 'ECONNREFUSED')
    return unreached(
      'address',
      `The machine at ${address} answers, but no gateway listens at that port.`,
      'Start the gateway (npm start, or its service), or log in with a code that has its port.',
    )
  if (UNREACHABLE_CODES.includes(code))
    return unreached(
      'address',
      `There is no answer from ${address}.`,
      'The gateway has another address now, is switched off, or this machine is in another network: compare the address with `bin/hm status` at the gateway.',
    )
  return unreached(
    'address',
    `The server at ${address} is not a gateway (${code || 'it closed the connection'}).`,
    'Another program has this address or port now: log in with a new connection code.',
  )
}

/** Fault of the server's trust; null for the trusted gateway with an accepted certificate. */
async function trustFault(address: string, socket: TLSSocket, profile: Profile): Promise<Broken | null> {
  const { fingerprint, ca } = profile
  // Node's types say `Error`, but the value is its code.
  const refused = socket.authorizationError as unknown as string | Error | null | undefined
  const code = refused instanceof Error ? (errorCode(refused) ?? '') : (refused ?? '')
  if (code === '' && ca !== null) return null
  const found = await servedCa(address, null).catch(() => null)
  if (found === null)
    return unreached(
      'address',
      `The server at ${address} is not a gateway: it presents no CA.`,
      'Another program has this address or port now: log in with a new connection code.',
    )
  if (found.fingerprint !== fingerprint) return otherCa(address, fingerprint, found.fingerprint)
  if (EXPIRED_CODES.includes(code)) return clockFault(socket)
  if (code !== 'ERR_TLS_CERT_ALTNAME_INVALID')
    // A login from outside has no stored CA, so the check repeats with the presented one.
    return ca === null ? await presentedTrustFault(address, { ...profile, ca: found.pem }) : impostor(address, code)
  return unreached(
    'address',
    `The gateway's certificate does not name ${new URL(address).hostname}.`,
    'After a change of address the gateway corrects this within minutes; use its name hm-….local meanwhile.',
  )
}

async function presentedTrustFault(address: string, profile: Profile): Promise<Broken | null> {
  const { hostname, port } = new URL(address)
  const line = await opened(hostname.replace(/^\[|\]$/g, ''), Number(port || 443), profile.ca)
  if ('code' in line) return connectionFault(address, line.code)
  try {
    return await trustFault(address, line.socket, profile)
  } finally {
    line.socket.destroy()
  }
}

/** The CA's certificate is public, so any server can present it. */
function impostor(address: string, code: string): Broken {
  return fault(
    'ca',
    `The server at ${address} presents the gateway's CA, but no certificate signed by it (${code}).`,
    'Another server answers in place of the gateway: compare the address with `bin/hm status` at the gateway.',
    EXIT_CODES.trust,
  )
}

function otherCa(address: string, expected: string, found: string): Broken {
  return fault(
    'ca',
    `The gateway at ${address} does not have the trusted CA: its CA is ${found} instead of ${expected}.`,
    'Either an administrator created a new CA, or another server answers in its place: compare it with `bin/hm tls show` at the gateway, and only then log in with a new connection code.',
    EXIT_CODES.trust,
  )
}

function clockFault(socket: TLSSocket): Broken {
  const certificate = socket.getPeerX509Certificate()
  const now = new Date().toISOString()
  return unreached(
    'clock',
    `A clock is wrong: it is ${now} on this machine, and the gateway's certificate is valid from ${iso(certificate?.validFrom)} to ${iso(certificate?.validTo)}.`,
    'If this is not the present time, set the clock of this machine, otherwise the clock of the gateway.',
  )
}

const iso = (date: string | undefined): string =>
  date === undefined ? 'an unknown time' : new Date(date).toISOString()

/** True if a profile's CA matches its fingerprint; an edited file may not. */
export function isOwnCa({ ca, fingerprint }: Profile): boolean {
  if (ca === null) return true
  try {
    return caOf(ca).fingerprint === fingerprint
  } catch {
    return false
  }
}
