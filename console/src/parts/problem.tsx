import type { JSX } from 'preact'
import { words } from '../words/frame.ts'
import { sentenceOf } from './action.ts'
import { Icon } from './icon.tsx'
import { Told } from './told.tsx'

interface ProblemProps {
  readonly error: unknown
  readonly onAgain?: (() => void) | undefined
}

/** What could not be read or done, in the gateway's own words. */
export function Problem({ error, onAgain }: ProblemProps): JSX.Element {
  return (
    <div class="problem" role="alert">
      <Icon of="alert" />
      <p>
        <Told>{sentenceOf(error)}</Told>
      </p>
      {onAgain && (
        <button type="button" onClick={onAgain}>
          {words.again}
        </button>
      )}
    </div>
  )
}
