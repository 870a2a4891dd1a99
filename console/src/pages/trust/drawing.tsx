import type { JSX } from 'preact'
import { Icon } from '../../parts/icon.tsx'
import { words } from '../../words/trust.ts'
import type { Device } from './devices.ts'

/** The dialog at the step that counts, sketched: what is pressed there stands out. Who listens has it in the steps. */
export function Drawing({ of: device }: { readonly of: Device }): JSX.Element {
  const { title, row, by, says } = words.drawings[device]
  return (
    <figure class="drawing" aria-hidden="true">
      <div class={`sketch ${device}`}>
        <p class="bar">{title}</p>
        <p class="row">
          <span>{row}</span>
          {by !== 'nothing' && (
            <span class={by}>
              {by === 'tick' && <Icon of="check" />}
              {says}
            </span>
          )}
        </p>
      </div>
      <figcaption>{words.drawn}</figcaption>
    </figure>
  )
}
