import type { JSX } from 'preact'
import type { CredentialLastUsed } from '../../lib/admin-contract.ts'
import { Age } from '../../parts/age.tsx'
import { words } from '../../words/access.ts'

/** When a credential was used last, and which way its program came. */
export function LastUse({ used }: { readonly used: CredentialLastUsed | null }): JSX.Element {
  if (used === null) return <>{words.neverUsed}</>
  return (
    <>
      {words.lastUsed} <Age at={used.at} /> {words.via[used.via]}
    </>
  )
}
