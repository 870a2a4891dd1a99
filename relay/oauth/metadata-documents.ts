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

/** Size of a client's metadata document. */
export const DOCUMENT_BYTES_MAX = 32 * 1024
/** Rate of documents that the relay fetches for one address. */
export const DOCUMENT_FETCHES = { perSecond: 20 / 60, burst: 20 }
const CLIENT_ID_LENGTH_MAX = 2_000
/** The entry of a client in use is renewed at this interval. */
const RENEW_INTERVAL_MS = 86_400_000

const StoredDocument = z.object({ document: z.string().max(DOCUMENT_BYTES_MAX), at: z.int() })
type StoredDocument = z.infer<typeof StoredDocument>

/**
 * Metadata documents of clients, whose id is the document's address. Documents of approved clients are stored, so that
 * an agent works while its site is down. The relay never fetches from local addresses.
 */
export class MetadataDocuments {
  readonly #clock: Clock
  readonly #fetch: typeof fetch
  readonly #stored: Table<StoredDocument>
  readonly #fetches: AddressLimits
  /** Recently fetched documents, which are stored once their clients are approved. */
  readonly #latest = new Map<string, string>()

  constructor(parts: { readonly store: Store; readonly clock: Clock; readonly fetch: typeof fetch }) {
    this.#clock = parts.clock
    this.#fetch = parts.fetch
    this.#stored = new Table(parts.store, 'clients', StoredDocument)
    this.#fetches = new AddressLimits(parts.clock, DOCUMENT_FETCHES)
  }

  /** True if the document of this client may be fetched now, for a visitor at this address. */
  mayFetch(clientId: string, peer: string): boolean {
    const url = clientId.length > CLIENT_ID_LENGTH_MAX ? null : URL.parse(clientId)
    if (url === null || url.port !== '' || !isPublicHost(url.hostname)) return false
    return this.#fetches.take(peer) === 0
  }

  /** A `fetch` that falls back to the stored document if the site fails. */
  readonly fetch: typeof fetch = async (input, init) => {
    const clientId = input instanceof Request ? input.url : String(input)
    try {
      return await this.#fresh(clientId, input, init)
    } catch (error) {
      const stored = await this.#stored.get(documentId(clientId))
      if (stored === null) throw error
      return new Response(supportedDocument(stored.document), { headers: { 'content-type': 'application/json' } })
    }
  }

  /** True if the administrators of any home have approved this client. */
  async isApproved(clientId: string): Promise<boolean> {
    return (await this.#stored.get(documentId(clientId))) !== null
  }

  /** Stores the document of an approved client, or renews its lifetime. */
  async keep(clientId: string): Promise<void> {
    const id = documentId(clientId)
    const stored = await this.#stored.get(id)
    const document = this.#latest.get(clientId) ?? stored?.document
    if (document === undefined) return
    const now = this.#clock.now()
    if (stored?.document === document && now - stored.at < RENEW_INTERVAL_MS) return
    await this.#stored.put(id, { document, at: now })
  }

  async #fresh(clientId: string, ...request: Parameters<typeof fetch>): Promise<Response> {
    const response = await this.#fetch(...request)
    if (response.status >= 500) throw new Error(`The site responds with status ${response.status}.`)
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

/** Fetched documents in memory, which await their approval. */
export const LATEST_MAX = 100

/** Members with a secret, because of which the engine refuses a document. */
const SECRETS = /^client_secret/

/** Reduces a document to its supported part, as for registered clients. The engine rejects invalid documents. */
function supportedDocument(text: string): string {
  const read = parseJson(text)
  if (!read.ok || !isObject(read.value)) return text
  const members = Object.entries(read.value).filter(([, value]) => value !== null && value !== '')
  const supported = supportedMetadata(read.value)
  // The engine rejects the document for the unsupported list or for the missing redirect address.
  if ('error' in supported) return JSON.stringify({ ...Object.fromEntries(members), redirect_uris: [] })
  const checkedByEngine = members.filter(
    ([name, value]) =>
      name === 'client_id' ||
      SECRETS.test(name) ||
      (name === 'token_endpoint_auth_method' && SECRETS.test(String(value))),
  )
  return JSON.stringify({ ...supported, ...Object.fromEntries(checkedByEngine) })
}

/** Caching headers of a response whose body is already decoded. */
function cachingOf(response: Response): Headers {
  const headers = new Headers({ 'content-type': 'application/json' })
  for (const name of ['cache-control', 'expires']) {
    const value = response.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  return headers
}

const documentId = (clientId: string): string => hashedId(`document ${clientId}`)
