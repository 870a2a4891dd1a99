import type { JSX } from 'preact'
import type { HomeDevice } from '@hm-gateway/client/src/browser.ts'
import { Icon } from '../parts/icon.tsx'
import { control } from '../stores/control.ts'
import { words } from '../words/device.ts'
import { HoldButton } from './hold-button.tsx'

interface CoverButtonsProps {
  readonly device: HomeDevice
  readonly disabled: boolean
}

/** A shutter goes up and down, a curtain and a gate apart and together. */
const WAYS = {
  down: { open: 'raise', close: 'lower' },
  aside: { open: 'apart', close: 'together' },
} as const

/** Open, stop and close of a shutter or curtain; a gate is held to open, since that lets people in. */
export function CoverButtons({ device, disabled }: CoverButtonsProps): JSX.Element {
  const { id, name } = device
  const way = device.class === 'curtain' || device.class === 'gate' ? WAYS.aside : WAYS.down
  return (
    <div class="cover" role="group" aria-label={name}>
      {device.class === 'gate' ? (
        <HoldButton of={name} disabled={disabled} onHeld={() => void control(id, { op: 'open' })} />
      ) : (
        <button
          type="button"
          aria-label={words.doOpen(name)}
          disabled={disabled}
          onClick={() => void control(id, { op: 'open' })}
        >
          <Icon of={way.open} />
        </button>
      )}
      <button
        type="button"
        aria-label={words.doStop(name)}
        disabled={disabled}
        onClick={() => void control(id, { op: 'stop' })}
      >
        <Icon of="stop" />
      </button>
      <button
        type="button"
        aria-label={words.doClose(name)}
        disabled={disabled}
        onClick={() => void control(id, { op: 'close' })}
      >
        <Icon of={way.close} />
      </button>
    </div>
  )
}
