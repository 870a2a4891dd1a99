import type { RelayParts } from './store/parts.ts'

export const SECURITY_TXT = '/.well-known/security.txt'
const DAY_MS = 86_400_000
/** The contact stays good for so long after the document was read; RFC 9116 recommends less than a year. */
const GOOD_FOR_MS = 90 * DAY_MS

export interface SecurityTextParts extends Pick<RelayParts, 'origin' | 'clock'> {
  readonly securityContact: string | null
}

/** Where to report a weakness of this relay (RFC 9116); null where its operator names no contact. */
export function securityText({ origin, securityContact, clock }: SecurityTextParts): string | null {
  if (securityContact === null) return null
  // By the day, so that two readers of one day get the same text.
  const expires = new Date(Math.floor((clock.now() + GOOD_FOR_MS) / DAY_MS) * DAY_MS).toISOString()
  const lines = [
    `Contact: ${securityContact}`,
    `Expires: ${expires}`,
    'Preferred-Languages: en',
    `Canonical: ${origin}${SECURITY_TXT}`,
  ]
  return `${lines.join('\n')}\n`
}
