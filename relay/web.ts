import type { IncomingMessage, ServerResponse } from 'node:http'
import { aboutRelay } from './disclosure.ts'
import { Accounts } from './accounts/accounts.ts'
import { Passkeys } from './accounts/passkeys.ts'
import { Passwords } from './accounts/passwords.ts'
import { refuse } from './edge/refusals.ts'
import { Enrolment, type EnrolmentParts } from './enrolment/enrolment.ts'
import type { Homes } from './tunnels/tunnel-homes.ts'
import type { RelaySettings } from './model/relay-settings.ts'
import { AgentSignIn } from './oauth/agent-sign-in.ts'
import { isPublicHost } from './oauth/clients.ts'
import { challengeOf, PROTECTED_RESOURCES, protectedResource } from './oauth/protected-resources.ts'
import { isEndpoint, OAUTH_ROUTES } from './oauth/methods.ts'
import { OAuthServer } from './oauth/server.ts'
import { SECURITY_TXT, securityText } from './security-text.ts'
import { PAGE_HEADERS, renderPage } from './pages/page.ts'
import type { PageParts } from './pages/http.ts'
import { isPage, errorPage, PAGE_ROUTES, servePage } from './pages/site.ts'
import type { RelayParts } from './store/relay-parts.ts'

export interface WebParts extends RelayParts, Pick<RelaySettings, 'signUp' | 'metadataDocuments' | 'securityContact'> {
  readonly homes: Homes
  readonly logsRequests: boolean
  /** Fetches clients' metadata documents. */
  readonly fetch: typeof fetch
  readonly peerOf: (request: IncomingMessage) => string
  readonly linkChanged: EnrolmentParts['linkChanged']
  /** Tests use cheaper hashes. */
  readonly passwords?: Passwords
}

const ABOUT_PATH = '/.well-known/hm-relay'
const DOCUMENT_METHODS: readonly string[] = ['GET', 'HEAD']
/** Static documents that clients of any origin may read. */
const DOCUMENT_HEADERS = {
  'cache-control': 'public, max-age=300',
  'access-control-allow-origin': '*',
}

/**
 * Sign-in of people and agents: accounts, pages, the authorization server and its documents. The edge passes requests
 * of these paths after it has checked host and rate.
 */
export class Web {
  readonly accounts: Accounts
  readonly enrolment: Enrolment
  readonly #parts: WebParts
  readonly #oauth: OAuthServer
  readonly #pages: PageParts

  constructor(parts: WebParts) {
    const { origin, homes, clock } = parts
    this.#parts = parts
    const onNotice = (gateway: string): void => void parts.linkChanged({ kind: 'noticed', gateway })
    this.accounts = new Accounts({ ...parts, onNotice, passwords: parts.passwords ?? new Passwords(parts.random) })
    this.enrolment = new Enrolment({
      ...parts,
      accounts: this.accounts,
      isConnected: (serial) => homes.isConnected(serial),
    })
    const passkeys = new Passkeys({ ...parts, accounts: this.accounts })
    this.#oauth = new OAuthServer({
      ...parts,
      metadataDocuments: parts.metadataDocuments ?? isPublicHost(new URL(origin).hostname),
      errorPage: (ctx, sentence) => {
        for (const [name, value] of Object.entries(PAGE_HEADERS)) ctx.set(name, String(value))
        ctx.body = renderPage(errorPage(sentence, ctx.status))
      },
    })
    const onApproved = (account: string, client: string): Promise<void> =>
      this.accounts.events.record('client_approved', account, client)
    const agents = new AgentSignIn({ origin, oauth: this.#oauth, enrolment: this.enrolment, homes, clock, onApproved })
    this.#pages = { ...parts, passkeys, accounts: this.accounts, enrolment: this.enrolment, agents }
  }

  /** Path patterns that are handled here. */
  get routes(): readonly string[] {
    return [...PAGE_ROUTES, ...OAUTH_ROUTES, ABOUT_PATH, SECURITY_TXT, ...PROTECTED_RESOURCES]
  }

  /** @param path of a request, without its query. */
  owns(path: string): boolean {
    return isPage(path) || isEndpoint(path) || this.#document(path) !== null
  }

  /** `WWW-Authenticate` of a 401 to an agent. @param audience `mcp` or `mcp/r/{integration}`. */
  challenge(audience: string, token: string | null): string {
    return challengeOf(this.#parts.origin, audience, token)
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.#parts.origin)
    const document = this.#document(pathname)
    if (document !== null) sendDocument(request, response, document)
    else if (isEndpoint(pathname)) await this.#oauth.handle(pathname, request, response)
    else await servePage(this.#pages, request, response)
  }

  #document(path: string): object | string | null {
    const { origin } = this.#parts
    if (path === SECURITY_TXT) return securityText(this.#parts)
    return path === ABOUT_PATH ? aboutRelay(this.#parts) : protectedResource(origin, path)
  }
}

function sendDocument({ method = '' }: IncomingMessage, response: ServerResponse, document: object | string): void {
  if (!DOCUMENT_METHODS.includes(method))
    return refuse(response, 'method_not_allowed', { headers: { allow: DOCUMENT_METHODS.join(', ') } })
  const [type, text] =
    typeof document === 'string' ? ['text/plain', document] : ['application/json', JSON.stringify(document)]
  response
    .writeHead(200, { ...DOCUMENT_HEADERS, 'content-type': `${type}; charset=utf-8` })
    .end(method === 'HEAD' ? undefined : text)
}
