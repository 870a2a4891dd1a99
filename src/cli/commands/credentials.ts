import { renderUnicodeCompact } from 'uqr'
import type { CredentialView } from '../../admin/contract/integrations.ts'
import type { HomeTime } from '../shell/home-time.ts'
import { lostPermissionLines, unstored } from '../shell/terminal.ts'
import type { CallAnswer } from './command-group.ts'

/** The blocks are the white of the code, whatever the terminal's colours: cameras cannot read an inverted code. */
const WHITE_ON_BLACK = '\u001b[38;5;231;48;5;16m'
const AS_BEFORE = '\u001b[0m'

/** QR code for a terminal, two rows a line; a connection code with one address takes about 33 lines. */
export function qrLines(text: string): readonly string[] {
  return renderUnicodeCompact(text, { ecc: 'L', border: 2 })
    .split('\n')
    .map((line) => `${WHITE_ON_BLACK}${line}${AS_BEFORE}`)
}

/** Lines about a new credential. */
export function newCredentialLines(
  { token, link, fingerprint, connectionCode }: CallAnswer<'keys.create'>,
  qr: boolean,
): readonly string[] {
  return [
    `token        ${token}`,
    `link         ${link}`,
    `fingerprint  ${fingerprint}   (SHA-256 of the gateway's CA)`,
    `connection   ${connectionCode}   (all of it in one text, as secret as the token)`,
    ...(qr ? qrLines(connectionCode) : []),
    'The token is not shown again: store it where secrets belong.',
  ]
}

export const stateWords = ({ state, stale }: CredentialView): string => state + (stale ? ' (stale)' : '')

export const lastUsedWords = ({ lastUsed }: CredentialView, time: HomeTime): string =>
  lastUsed ? `${time.when(lastUsed.at)} ${lastUsed.via}` : 'never'

export const revokedWords = (ended: CallAnswer<'keys.revoke'>): string =>
  `Revoked ${ended.revoked}; its requests answer 401 and its open streams are closed.${lostPermissionLines(ended)}${unstored(ended)}`
