import type { JSX } from 'preact'
import { words } from '../../words/frame.ts'

export function AccessPage(): JSX.Element {
  return (
    <main>
      <h1>{words.access}</h1>
    </main>
  )
}
