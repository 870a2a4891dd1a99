import type { JSX } from 'preact'
import { words } from '../../words/frame.ts'

export function GoPage(): JSX.Element {
  return (
    <main>
      <h1>{words.home}</h1>
    </main>
  )
}
