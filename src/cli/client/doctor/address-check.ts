import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { caOf, servedCa } from '@hm-gateway/client/src/node-trust.ts'
import { errorCode } from '../../../lib/files.ts'
import { EXIT_CODES } from '../home/failure.ts'
import type { Profile } from '../home/profile.ts'
import { type Broken, fault, type Finding, unreached, well } from './home-check.ts'

const WAIT_MS = 5_000
const NOT_IN_TIME: readonly string[] = ['CERT_NOT_YET_VALID', 'CERT_HAS_EXPIRED']
/** Nobody has the address, or no way leads there from this network. */
const NOBODY: readonly string[] = ['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'EADDRNOTAVAIL']

/** Where the chain to an address breaks, or that it holds as far as to a gateway with the CA that is trusted. */
export async function checkAddress(address: string, profile: Profile): Promise<Finding | Broken> {
  if (!URL.canParse(address))
    return unreached('address', `"${address}" is no address.`, 'The file of the logins was changed: log in again.')
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

/** Why a name leads to no address; null where it does. */
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
      : 'Look for a mistake in the name, or at the name server of this network.'
    return unreached('name', `The name ${host} does not resolve on this machine.`, todo)
  }
}

type Opened = { readonly socket: TLSSocket } | { readonly code: string }

/** A connection on which nothing was verified yet: what is wrong with its certificate is looked at afterwards. */
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
      `The machine at ${address} is there, and no gateway listens at that port.`,
      'Start the gateway (npm start, or its service), or log in with a code that has its port.',
    )
  if (NOBODY.includes(code))
    return unreached(
      'address',
      `Nobody answers at ${address}.`,
      'The gateway has another address now, is switched off, or this machine is in another network: compare it with `bin/hm status` at the gateway.',
    )
  return unreached(
    'address',
    `What answers at ${address} is no gateway (${code || 'it closed the connection'}).`,
    'Something else has this address or port now: log in with a new connection code.',
  )
}

/** What is wrong with who answers; null where it is the gateway that is trusted, and its certificate is accepted. */
async function trustFault(address: string, socket: TLSSocket, its: Profile): Promise<Broken | null> {
  const { fingerprint, ca } = its
  // What Node's types say is an error is its code.
  const refused = socket.authorizationError as unknown as string | Error | null | undefined
  const code = refused instanceof Error ? (errorCode(refused) ?? '') : (refused ?? '')
  if (code === '' && ca !== null) return null
  const found = await servedCa(address, null).catch(() => null)
  if (found === null)
    return unreached(
      'address',
      `What answers at ${address} is no gateway: it has no CA to show.`,
      'Something else has this address or port now: log in with a new connection code.',
    )
  if (found.fingerprint !== fingerprint) return otherCa(address, fingerprint, found.fingerprint)
  if (NOT_IN_TIME.includes(code)) return clockFault(socket)
  if (code !== 'ERR_TLS_CERT_ALTNAME_INVALID')
    // A login from outside has not kept the CA: it is asked again by the one that is shown here.
    return ca === null ? await shownTrustFault(address, { ...its, ca: found.pem }) : impostor(address, code)
  return unreached(
    'address',
    `The gateway's certificate does not name ${new URL(address).hostname}.`,
    'After a change of address that heals within minutes; its name hm-….local is good meanwhile.',
  )
}

async function shownTrustFault(address: string, its: Profile): Promise<Broken | null> {
  const { hostname, port } = new URL(address)
  const line = await opened(hostname.replace(/^\[|\]$/g, ''), Number(port || 443), its.ca)
  if ('code' in line) return connectionFault(address, line.code)
  try {
    return await trustFault(address, line.socket, its)
  } finally {
    line.socket.destroy()
  }
}

/** Anybody can show the CA's certificate: it is public. */
function impostor(address: string, code: string): Broken {
  return fault(
    'ca',
    `What answers at ${address} shows the gateway's CA, and no certificate that it signed (${code}).`,
    'Something else answers in the place of the gateway: compare the address with `bin/hm status` at the gateway.',
    EXIT_CODES.trust,
  )
}

function otherCa(address: string, expected: string, found: string): Broken {
  return fault(
    'ca',
    `The gateway at ${address} has another CA than the one that is trusted: ${found} instead of ${expected}.`,
    'Either an administrator made a new one, or something else answers in its place: compare it with `bin/hm tls show` at the gateway, and only then log in with a new connection code.',
    EXIT_CODES.trust,
  )
}

function clockFault(socket: TLSSocket): Broken {
  const certificate = socket.getPeerX509Certificate()
  const now = new Date().toISOString()
  return unreached(
    'clock',
    `A clock is wrong: this machine's says ${now}, and the gateway's certificate is valid from ${iso(certificate?.validFrom)} to ${iso(certificate?.validTo)}.`,
    'Set the clock of this machine where that is not the time now, otherwise the clock of the gateway.',
  )
}

const iso = (date: string | undefined): string =>
  date === undefined ? 'an unknown time' : new Date(date).toISOString()

/** Whether a profile's CA is what its fingerprint says; a file that was edited may have another. */
export function isOwnCa({ ca, fingerprint }: Profile): boolean {
  if (ca === null) return true
  try {
    return caOf(ca).fingerprint === fingerprint
  } catch {
    return false
  }
}
