import type { JSX } from 'preact'
import { words } from '../../words/frame.ts'

export function TrustPage(): JSX.Element {
  return (
    <main>
      <h1>{words.trust}</h1>
    </main>
  )
}
