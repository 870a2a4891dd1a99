import * as oauth from 'oauth4webapi'
import type { Browser, PageSnapshot } from './browser.ts'

export const CALLBACK = 'https://agents.example/callback'

/** An agent's platform as an OAuth client, based on a library. */
export class OAuthAgent {
  readonly server: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly redirect: string
  readonly resource: string
  readonly options: { readonly [oauth.customFetch]: typeof fetch }
  readonly verifier = oauth.generateRandomCodeVerifier()
  readonly state = oauth.generateRandomState()

  private constructor(
    server: oauth.AuthorizationServer,
    client: oauth.Client,
    { redirect, resource }: { readonly redirect: string; readonly resource: string },
    options: OAuthAgent['options'],
  ) {
    this.server = server
    this.client = client
    this.redirect = redirect
    this.resource = resource
    this.options = options
  }

  /** Discovers the relay's server and registers. */
  static async register(
    origin: string,
    trusting: typeof fetch,
    metadata: Partial<oauth.OmitSymbolProperties<oauth.Client>> = {},
    door = 'mcp',
  ): Promise<OAuthAgent> {
    const options = { [oauth.customFetch]: trusting }
    const server = await oauth.processDiscoveryResponse(
      new URL(origin),
      await oauth.discoveryRequest(new URL(origin), { ...options, algorithm: 'oauth2' }),
    )
    const redirect = (metadata['redirect_uris'] as string[] | undefined)?.[0] ?? CALLBACK
    const metadataSent = {
      client_name: 'Claude',
      redirect_uris: [redirect],
      token_endpoint_auth_method: 'none',
      ...metadata,
    }
    const client = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(server, metadataSent, options),
    )
    return new OAuthAgent(server, client, { redirect, resource: `${origin}/${door}` }, options)
  }

  /** Another client of the same server, or another attempt of the same one. */
  with(client: oauth.Client = this.client, redirect: string = this.redirect): OAuthAgent {
    return new OAuthAgent(this.server, client, { redirect, resource: this.resource }, this.options)
  }

  /** Address for the person's browser; null omits a parameter. */
  async authorizeUrl(changed: Readonly<Record<string, string | null>> = {}): Promise<URL> {
    const url = new URL(this.server.authorization_endpoint!)
    const parameters: Record<string, string | null> = {
      client_id: this.client.client_id,
      redirect_uri: this.redirect,
      response_type: 'code',
      scope: 'home',
      state: this.state,
      resource: this.resource,
      code_challenge: await oauth.calculatePKCECodeChallenge(this.verifier),
      code_challenge_method: 'S256',
      ...changed,
    }
    for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.set(name, value)
    return url
  }

  /** Reads the parameters of the redirect; throws the server's error. */
  answerOf(left: URL | null): URLSearchParams {
    if (left === null) throw new Error('The browser did not leave for the agent.')
    return oauth.validateAuthResponse(this.server, this.client, left, this.state)
  }

  redeem(answer: URLSearchParams, parameters: Readonly<Record<string, string>> = {}): Promise<Response> {
    return oauth.authorizationCodeGrantRequest(
      this.server,
      this.client,
      this.#authentication(),
      answer,
      this.redirect,
      this.verifier,
      { ...this.options, additionalParameters: { resource: this.resource, ...parameters } },
    )
  }

  async redeemed(answer: URLSearchParams): Promise<oauth.TokenEndpointResponse> {
    return oauth.processAuthorizationCodeResponse(this.server, this.client, await this.redeem(answer))
  }

  refresh(token: string, parameters: Readonly<Record<string, string>> = {}): Promise<Response> {
    return oauth.refreshTokenGrantRequest(this.server, this.client, this.#authentication(), token, {
      ...this.options,
      additionalParameters: parameters,
    })
  }

  async refreshed(token: string): Promise<oauth.TokenEndpointResponse> {
    return oauth.processRefreshTokenResponse(this.server, this.client, await this.refresh(token))
  }

  revoke(token: string): Promise<Response> {
    return oauth.revocationRequest(this.server, this.client, this.#authentication(), token, this.options)
  }

  #authentication(): oauth.ClientAuth {
    const secret = this.client['client_secret']
    if (typeof secret !== 'string') return oauth.None()
    return this.client['token_endpoint_auth_method'] === 'client_secret_post'
      ? oauth.ClientSecretPost(secret)
      : oauth.ClientSecretBasic(secret)
  }
}

/** Opens the agent's address as a signed-in person, and requests access from the administrators of their home. */
export async function askInBrowser(browser: Browser, url: URL): Promise<PageSnapshot> {
  const choose = await browser.open(url)
  return browser.submit(choose, 'Ask the administrators')
}
