import type { JSX } from 'preact'
import type { HomeDevice } from '@hm-gateway/client/src/browser.ts'
import { devicePath, localIdOf } from '../../lib/addresses.ts'
import { Card } from '../../parts/card.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { deviceOf } from '../../stores/home.ts'
import { words } from '../../words/device.ts'

/** What the device is called by administrators' commands, and where it hangs. */
export function IdentityCard({ device }: { readonly device: HomeDevice }): JSX.Element {
  const id = localIdOf(device.id)
  const module = device.unit === null ? null : deviceOf(device.unit).value
  return (
    <Card title={words.identity}>
      <dl class="facts">
        <dt>{words.id}</dt>
        <dd class="copied">
          <code>{id}</code>
          <CopyButton what={words.id} text={id} />
        </dd>
        {module && (
          <>
            <dt>{words.module}</dt>
            <dd>
              <a href={devicePath(module.id)}>{module.name}</a>
            </dd>
          </>
        )}
      </dl>
    </Card>
  )
}
