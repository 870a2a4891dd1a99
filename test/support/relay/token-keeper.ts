import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { CALLBACK } from './oauth-agent.ts'

type Stored<K extends keyof OAuthClientProvider> = Awaited<
  ReturnType<Extract<OAuthClientProvider[K], (...args: never[]) => unknown>>
>

/** What a program keeps that uses the official client. */
export class TokenKeeper implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK
  readonly clientMetadata = { client_name: 'Official client', redirect_uris: [CALLBACK] }
  kept: {
    client?: Stored<'clientInformation'>
    tokens?: Stored<'tokens'>
    discovery?: Stored<'discoveryState'>
    verifier?: string
    url?: URL
  } = {}

  clientInformation() {
    return this.kept.client
  }
  saveClientInformation(client: Stored<'clientInformation'>) {
    this.kept.client = client
  }
  tokens() {
    return this.kept.tokens
  }
  saveTokens(tokens: Stored<'tokens'>) {
    this.kept.tokens = tokens
  }
  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery') {
    if (scope === 'all') this.kept = {}
    else delete this.kept[scope]
  }
  redirectToAuthorization(url: URL) {
    this.kept.url = url
  }
  saveCodeVerifier(verifier: string) {
    this.kept.verifier = verifier
  }
  saveDiscoveryState(discovery: Stored<'discoveryState'>) {
    this.kept.discovery = discovery
  }
  discoveryState() {
    return this.kept.discovery
  }
  codeVerifier() {
    return this.kept.verifier ?? ''
  }
}
