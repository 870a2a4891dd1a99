/** Where a home is and what to come in with: what `hm login` keeps. As secret as the token in it. */
export interface Profile {
  /** What the user calls it. */
  readonly name: string
  /** The home's name when it was logged in to. */
  readonly house: string
  /** The serial of the gateway. */
  readonly gateway: string
  /** `https://…:8490`; the one that answered last comes first. */
  readonly addresses: readonly string[]
  /** SHA-256 of the gateway's CA, upper-case hex pairs joined by colons. */
  readonly fingerprint: string
  /** That CA, PEM; null where it could not be fetched yet, as from outside. */
  readonly ca: string | null
  readonly token: string
  /** The way from outside; null where there is none. */
  readonly relay: ProfileRelay | null
}

/** The id of the integration that a token is for; undefined for a text that is no token (Spec 5.2). */
export const integrationOf = ({ token }: Pick<Profile, 'token'>): string | undefined => token.split('.')[1]

export interface ProfileRelay {
  /** `https://host` or `https://host:port`. */
  readonly url: string
  /** The relay's own CA, PEM; null for a public certificate. */
  readonly ca: string | null
  /** Whether it passes on what it cannot read (docs/relay.md#end-to-end). */
  readonly endToEnd: boolean
}
