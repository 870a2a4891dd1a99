import type { JSX } from 'preact'
import type { PushSubscription } from '../../lib/admin-contract.ts'
import { type Action, ErrorLine, Loading, useAction } from '../../parts/action.tsx'
import { ConfirmButton } from '../../parts/dialog.tsx'
import { Switch } from '../../parts/form.tsx'
import { Button, Card, LastTime, LinkButton } from '../../parts/page.tsx'
import { showNotice } from '../../stores/page-notices.ts'
import { type Push, pushObstacle, readPush, showNames, subscribe, unsubscribe } from '../../stores/push.ts'
import { admin } from '../../stores/session.ts'
import { useResource } from '../../stores/use-resource.ts'
import { words } from '../../words/push.ts'

/** Devices that get messages on their lock screen (docs/messages.md#web-push). */
export function Devices(): JSX.Element {
  const { value, error, reload } = useResource(readPush)
  if (value === null) return <Loading error={error} reload={reload} />
  const others = value.subscriptions.filter(({ id }) => id !== value.here?.id)
  return (
    <>
      <Card title={words.title}>
        <p class="muted">{words.about}</p>
        <ThisDevice push={value} onChanged={reload} />
      </Card>
      {others.length > 0 && (
        <Card title={words.others}>
          <ul class="rows">
            {others.map((device) => (
              <Device key={device.id} device={device} onChanged={reload} />
            ))}
          </ul>
        </Card>
      )}
    </>
  )
}

function ThisDevice({ push, onChanged }: { readonly push: Push; readonly onChanged: () => void }): JSX.Element {
  const { key, here } = push
  const switching = useAction((on: boolean) =>
    (on || here === null ? subscribe(key, false) : unsubscribe(here)).finally(onChanged),
  )
  const naming = useAction((names: boolean) => showNames(names).finally(onChanged))
  const testing = useAction(async (id: string) => {
    const { delivered, reason } = await admin.call('post', '/admin/v1/push/{id}/test', { path: { id } })
    if (!delivered) throw new Error(words.notTested(reason ?? ''))
    showNotice(words.tested)
  })
  const obstacle = here === null ? pushObstacle() : null
  if (obstacle !== null)
    return (
      <>
        <p>{words.obstacles[obstacle]}</p>
        {obstacle === 'untrusted' && <LinkButton to="/console/trust" label={words.trust} />}
      </>
    )
  return (
    <>
      <ul class="knobs">
        <SwitchLine label={words.switch} on={here !== null} action={switching} />
        {here !== null && <SwitchLine label={words.names} means={words.namesHint} on={here.names} action={naming} />}
      </ul>
      <ErrorLine message={switching.message ?? naming.message ?? testing.message} />
      {here !== null && (
        <div class="actions">
          <Button label={words.test} aria-disabled={testing.busy} onClick={() => void testing.run(here.id)} />
        </div>
      )}
    </>
  )
}

interface SwitchLineProps {
  readonly label: string
  readonly means?: string
  readonly on: boolean
  readonly action: Action<[on: boolean]>
}

const SwitchLine = ({ label, means, on, action: { busy, run } }: SwitchLineProps): JSX.Element => (
  <li>
    <span class="name">{label}</span>
    <Switch label={label} on={on} pending={busy} onChange={(wanted) => void run(wanted)} />
    {means !== undefined && <p class="means">{means}</p>}
  </li>
)

const BROWSER = /Firefox|Edg|Chrome(?!.*Edg)|Safari(?!.*Edg)/
const SYSTEM = /iPhone|iPad|Android|Windows|Macintosh|Linux(?!.*Android)/

/** Browser and system of a user agent, as far as known. */
const browserWords = (agent: string): string =>
  words.browser(BROWSER.exec(agent)?.[0].replace('Edg', 'Edge') ?? words.unknown, SYSTEM.exec(agent)?.[0] ?? null)

function Device({
  device,
  onChanged,
}: {
  readonly device: PushSubscription
  readonly onChanged: () => void
}): JSX.Element {
  const { id, name, browser, names, last } = device
  const browserName = browserWords(browser)
  const remove = async (): Promise<void> => {
    await admin.call('delete', '/admin/v1/push/{id}', { path: { id } })
    showNotice(words.removed(browserName))
    onChanged()
  }
  return (
    <li>
      <span class="grow">
        {name}
        <br />
        <span class="muted">
          {browserName}
          {names && ` · ${words.withNames}`} ·{' '}
          {last?.error ? (
            words.lastFailed(last.error)
          ) : (
            <LastTime at={last?.at ?? null} label={words.last} never={words.never} />
          )}
        </span>
      </span>
      <ConfirmButton
        label={words.remove}
        title={words.removeTitle(browserName)}
        verb={words.removeNamed(browserName)}
        onConfirm={remove}
      >
        {words.removeEffect}
      </ConfirmButton>
    </li>
  )
}
