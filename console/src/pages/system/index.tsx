import type { JSX } from 'preact'
import { words } from '../../words/frame.ts'

export function SystemPage(): JSX.Element {
  return (
    <main>
      <h1>{words.system}</h1>
    </main>
  )
}
