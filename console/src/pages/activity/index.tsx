import type { JSX } from 'preact'
import { words } from '../../words/frame.ts'

export function ActivityPage(): JSX.Element {
  return (
    <main>
      <h1>{words.activity}</h1>
    </main>
  )
}
