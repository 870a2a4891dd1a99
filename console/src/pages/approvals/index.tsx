import type { JSX } from 'preact'
import { words } from '../../words/frame.ts'

export function ApprovalsPage(): JSX.Element {
  return (
    <main>
      <h1>{words.approvals}</h1>
    </main>
  )
}
