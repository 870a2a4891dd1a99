import type { ComponentChildren, JSX } from 'preact'
import { Icon } from './icon.tsx'
import type { IconName } from './icons.ts'

interface EmptyProps {
  readonly icon: IconName
  /** One sentence. */
  readonly sentence: string
  /** One button, where there is something to do about it. */
  readonly children?: ComponentChildren
}

/** Where there is nothing yet. */
export function Empty({ icon, sentence, children }: EmptyProps): JSX.Element {
  return (
    <div class="empty">
      <Icon of={icon} />
      <p>{sentence}</p>
      {children}
    </div>
  )
}
