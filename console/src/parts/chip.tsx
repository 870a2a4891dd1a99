import type { ComponentChildren, JSX } from 'preact'
import { Icon } from './icon.tsx'
import type { IconName } from './icons.ts'

interface ChipProps {
  /** What it means; its words say the same. */
  readonly tone?: 'ok' | 'warn' | 'danger' | 'plain'
  readonly icon?: IconName
  readonly children: ComponentChildren
}

/** A word or two on how something is. */
export function Chip({ tone = 'plain', icon, children }: ChipProps): JSX.Element {
  return (
    <span class={`chip ${tone}`}>
      {icon && <Icon of={icon} />}
      {children}
    </span>
  )
}
