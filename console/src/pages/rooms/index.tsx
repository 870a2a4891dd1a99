import type { JSX } from 'preact'
import { words } from '../../words/frame.ts'

export function RoomsPage(): JSX.Element {
  return (
    <main>
      <h1>{words.rooms}</h1>
    </main>
  )
}
