import { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { z } from 'zod'
import { AddressLimits } from '@hm-gateway/lib/address-limits.ts'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import { isObject, parseJson } from '@hm-gateway/lib/json.ts'
import { readUpTo } from '../limits/read-up-to.ts'
import type { Store } from '../store/store.ts'
import { hashedId, Table } from '../store/table.ts'
import { supportedMetadata } from './client-metadata.ts'
import { isPublicHost } from './clients.ts'

/** Bytes of a client's metadata document. */
export const DOCUMENT_BYTES_MAX = 32 * 1024
/** Documents that the relay fetches for one address. */
export const DOCUMENT_FETCHES = { perSecond: 20 / 60, burst: 20 }
const CLIENT_ID_LENGTH_MAX = 2_000
/** A client that is used is written anew this often. */
const KEPT_EACH_MS = 86_400_000

const Kept = z.object({ document: z.string().max(DOCUMENT_BYTES_MAX), at: z.int() })
type Kept = z.infer<typeof Kept>

/**
 * Clients that are known by a document at their own address (client metadata documents). What was approved is kept, so
 * that an agent goes on while its site is away; an address of a home or of this computer is never asked.
 */
export class MetadataDocuments {
  readonly #clock: Clock
  readonly #fetch: typeof fetch
  readonly #kept: Table<Kept>
  readonly #fetches: AddressLimits
  /** Those of the last fetches, which are kept once they are approved. */
  readonly #latest = new Map<string, string>()

  constructor(parts: { readonly store: Store; readonly clock: Clock; readonly fetch: typeof fetch }) {
    this.#clock = parts.clock
    this.#fetch = parts.fetch
    this.#kept = new Table(parts.store, 'clients', Kept)
    this.#fetches = new AddressLimits(parts.clock, DOCUMENT_FETCHES)
  }

  /** Whether the document of this client may be asked for now, for someone at this address. */
  mayFetch(clientId: string, peer: string): boolean {
    const url = clientId.length > CLIENT_ID_LENGTH_MAX ? null : URL.parse(clientId)
    if (url === null || url.port !== '' || !isPublicHost(url.hostname)) return false
    return this.#fetches.take(peer) === 0
  }

  /** As `fetch`: the document of the site itself, or else the one that was kept. */
  readonly fetch: typeof fetch = async (input, init) => {
    const clientId = input instanceof Request ? input.url : String(input)
    try {
      return await this.#fresh(clientId, input, init)
    } catch (error) {
      const kept = await this.#kept.get(documentId(clientId))
      if (kept === null) throw error
      return new Response(supportedDocument(kept.document), { headers: { 'content-type': 'application/json' } })
    }
  }

  /** Whether the administrators of some home let this client in. */
  async isApproved(clientId: string): Promise<boolean> {
    return (await this.#kept.get(documentId(clientId))) !== null
  }

  /** The client was approved for a home, or used what it was given. */
  async keep(clientId: string): Promise<void> {
    const id = documentId(clientId)
    const kept = await this.#kept.get(id)
    const document = this.#latest.get(clientId) ?? kept?.document
    if (document === undefined) return
    const now = this.#clock.now()
    if (kept?.document === document && now - kept.at < KEPT_EACH_MS) return
    await this.#kept.put(id, { document, at: now })
  }

  async #fresh(clientId: string, ...request: Parameters<typeof fetch>): Promise<Response> {
    const response = await this.#fetch(...request)
    if (response.status >= 500) throw new Error(`The site answers ${response.status}.`)
    if (response.status !== 200) return response
    const bytes = await readUpTo(Readable.fromWeb(response.body ?? new ReadableStream()), DOCUMENT_BYTES_MAX)
    if (bytes === null) throw new Error('The document is too large.')
    const document = bytes.toString('utf8')
    this.#remember(clientId, document)
    return new Response(supportedDocument(document), { headers: cachingOf(response) })
  }

  #remember(clientId: string, document: string): void {
    this.#latest.delete(clientId)
    this.#latest.set(clientId, document)
    const [oldest] = this.#latest.keys()
    if (this.#latest.size > LATEST_MAX && oldest !== undefined) this.#latest.delete(oldest)
  }
}

/** Documents that wait for their approval in memory. */
export const LATEST_MAX = 100

/** Members with a secret, which no document may have: the engine refuses them. */
const SECRETS = /^client_secret/

/** The supported part of a document, as of a client that registers; the engine judges anything else. */
function supportedDocument(text: string): string {
  const read = parseJson(text)
  if (!read.ok || !isObject(read.value)) return text
  const members = Object.entries(read.value).filter(([, value]) => value !== null && value !== '')
  const supported = supportedMetadata(read.value)
  // The engine finds the unsupported list, or else that no address is left.
  if ('error' in supported) return JSON.stringify({ ...Object.fromEntries(members), redirect_uris: [] })
  const kept = members.filter(
    ([name, value]) =>
      name === 'client_id' ||
      SECRETS.test(name) ||
      (name === 'token_endpoint_auth_method' && SECRETS.test(String(value))),
  )
  return JSON.stringify({ ...supported, ...Object.fromEntries(kept) })
}

/** What says how long a document is good; it is read and decoded already. */
function cachingOf(response: Response): Headers {
  const headers = new Headers({ 'content-type': 'application/json' })
  for (const name of ['cache-control', 'expires']) {
    const value = response.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  return headers
}

const documentId = (clientId: string): string => hashedId(`document ${clientId}`)
