import type { RelayParts } from './store/relay-parts.ts'

export const SECURITY_TXT = '/.well-known/security.txt'
const DAY_MS = 86_400_000
/** Validity of the document; RFC 9116 recommends less than a year. */
const VALIDITY_MS = 90 * DAY_MS

export interface SecurityTextParts extends Pick<RelayParts, 'origin' | 'clock'> {
  readonly securityContact: string | null
}

/** Text of security.txt (RFC 9116); null if the operator has set no contact. */
export function securityText({ origin, securityContact, clock }: SecurityTextParts): string | null {
  if (securityContact === null) return null
  // Rounded to days, so that the text changes only once a day.
  const expires = new Date(Math.floor((clock.now() + VALIDITY_MS) / DAY_MS) * DAY_MS).toISOString()
  const lines = [
    `Contact: ${securityContact}`,
    `Expires: ${expires}`,
    'Preferred-Languages: en',
    `Canonical: ${origin}${SECURITY_TXT}`,
  ]
  return `${lines.join('\n')}\n`
}
