import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { CALLBACK } from './oauth-agent.ts'

type Stored<K extends keyof OAuthClientProvider> = Awaited<
  ReturnType<Extract<OAuthClientProvider[K], (...args: never[]) => unknown>>
>

/** Storage of a program that uses the official client. */
export class TokenKeeper implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK
  readonly clientMetadata = { client_name: 'Official client', redirect_uris: [CALLBACK] }
  stored: {
    client?: Stored<'clientInformation'>
    tokens?: Stored<'tokens'>
    discovery?: Stored<'discoveryState'>
    verifier?: string
    url?: URL
  } = {}

  clientInformation() {
    return this.stored.client
  }
  saveClientInformation(client: Stored<'clientInformation'>) {
    this.stored.client = client
  }
  tokens() {
    return this.stored.tokens
  }
  saveTokens(tokens: Stored<'tokens'>) {
    this.stored.tokens = tokens
  }
  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery') {
    if (scope === 'all') this.stored = {}
    else delete this.stored[scope]
  }
  redirectToAuthorization(url: URL) {
    this.stored.url = url
  }
  saveCodeVerifier(verifier: string) {
    this.stored.verifier = verifier
  }
  saveDiscoveryState(discovery: Stored<'discoveryState'>) {
    this.stored.discovery = discovery
  }
  discoveryState() {
    return this.stored.discovery
  }
  codeVerifier() {
    return this.stored.verifier ?? ''
  }
}
