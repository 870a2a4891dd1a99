import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useId } from 'preact/hooks'
import { devicePath } from '../../lib/addresses.ts'
import { useAction } from '../../parts/action.ts'
import { Said } from '../../parts/said.tsx'
import type { LocalDevice } from '../../stores/local-devices.ts'
import { withHomeDays } from '../../stores/home-time.ts'
import { owner } from '../../stores/session.ts'
import { words } from '../../words/activity.ts'

/** What is told of a device at most: the first item is the answer, the others add to it. */
const ITEMS_MAX = 4

interface WhyProps {
  readonly device: LocalDevice
  /** The moment that is asked about, epoch milliseconds. */
  readonly at: number
}

/** Explains, from what was known then, why a device was as it was. */
export function Why({ device, at }: WhyProps): JSX.Element {
  const reasons = useSignal<readonly string[] | null>(null)
  const id = useId()
  const { run, busy, said } = useAction(async () => {
    const { items } = await owner.call('get', '/v1/devices/{id}/explain', {
      path: { id: device.id },
      query: { to: at + 1 },
    })
    reasons.value = items.slice(0, ITEMS_MAX).map(({ what }) => what)
  })
  const isOpen = reasons.value !== null
  const toggle = (): void => {
    if (isOpen) reasons.value = null
    else void run()
  }
  return (
    <>
      <button
        type="button"
        class="quiet why"
        aria-expanded={isOpen}
        aria-controls={id}
        aria-disabled={busy}
        onClick={toggle}
      >
        {words.why}
      </button>
      <div id={id} class="reasons" hidden={!isOpen && said === null}>
        <Said of={said} />
        {isOpen && <Reasons reasons={reasons.value ?? []} device={device} />}
      </div>
    </>
  )
}

function Reasons({
  reasons,
  device,
}: {
  readonly reasons: readonly string[]
  readonly device: LocalDevice
}): JSX.Element {
  return (
    <>
      {reasons.length === 0 ? <p>{words.none}</p> : reasons.map((reason) => <p key={reason}>{withHomeDays(reason)}</p>)}
      <p>
        <a href={devicePath(device.id)}>{words.moreOfDevice}</a>
      </p>
    </>
  )
}
