import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Integration, TabletsListAnswer } from '../../lib/admin-contract.ts'
import { Loading, useAction } from '../../parts/action.tsx'
import { ConfirmDialog, Dialog, DialogButton } from '../../parts/dialog.tsx'
import { Form, textOf } from '../../parts/form.tsx'
import { onDemand } from '../../parts/on-demand.tsx'
import { Button, Icon, LastTime } from '../../parts/page.tsx'
import { accessChanges } from '../../stores/admin-topics.ts'
import { integrations, readIntegrations } from '../../stores/integrations.ts'
import { showNotice } from '../../stores/page-notices.ts'
import { admin } from '../../stores/session.ts'
import { useResource } from '../../stores/use-resource.ts'
import { words as common } from '../../words/page-frame.ts'
import { words as persons } from '../../words/persons.ts'
import { words } from '../../words/tablets.ts'
import { exposureSummary } from '../access/credentials.tsx'
import { doorsOf } from '../access/doors-editor.tsx'
import { LinkDialog } from './link-dialog.tsx'
import { PinField } from './pin-field.tsx'

type Tablet = TabletsListAnswer['tablets'][number]

const read = async (): Promise<readonly Tablet[]> => (await admin.call('get', '/admin/v1/tablets')).tablets

const AddTablet = onDemand(async () => (await import('./add-tablet-dialog.tsx')).AddTabletDialog)

/** Wall tablets of the home, with their PIN and last use. */
export function Tablets(): JSX.Element {
  const isAdding = useSignal(false)
  const { value, error, reload } = useResource(read, accessChanges.value)
  return (
    <>
      <h2>{words.title}</h2>
      <p class="hint">{words.about}</p>
      {value === null ? <Loading error={error} reload={reload} /> : <TabletCards tablets={value} onChanged={reload} />}
      <div class="actions">
        <Button icon="add" label={words.add} onClick={() => (isAdding.value = true)} />
      </div>
      {isAdding.value && <AddTablet onClose={() => (isAdding.value = false)} />}
    </>
  )
}

interface TabletCardsProps {
  readonly tablets: readonly Tablet[]
  readonly onChanged: () => void
}

const TabletCards = ({ tablets, onChanged }: TabletCardsProps): JSX.Element => (
  <ul class="sheets">
    {tablets.map((tablet) => {
      const record = integrations.value?.find(({ id }) => id === tablet.id)
      return record && <TabletCard key={tablet.id} tablet={tablet} record={record} onChanged={onChanged} />
    })}
  </ul>
)

interface TabletProps {
  readonly record: Integration
  readonly tablet: Tablet
  readonly onChanged: () => void
}

function TabletCard(tablet: TabletProps): JSX.Element {
  const { record } = tablet
  const { id, name, expose } = record
  const createLink = () => admin.call('post', '/admin/v1/tablets/{id}/link', { path: { id } })
  const remove = async (): Promise<void> => {
    await admin.call('delete', '/admin/v1/integrations/{id}', { path: { id } })
    showNotice(words.removed(name))
  }
  return (
    <li class="card">
      <header>
        <h2>{name}</h2>
      </header>
      <p>
        {exposureSummary(expose)}. <a href={`/console/access/${id}`}>{persons.record}</a>
      </p>
      <Openings {...tablet} />
      <p class="muted">
        <LastTime at={tablet.tablet.usedAt} label={words.lastUsed} never={words.neverUsed} />
      </p>
      <div class="actions">
        <DialogButton label={words.newLink}>
          {(close) => (
            <LinkDialog title={words.linkTitle(name)} about={words.aboutLink} create={createLink} onClose={close} />
          )}
        </DialogButton>
        <PinButtons {...tablet} />
        <DialogButton class="quiet danger" label={words.remove}>
          {(close) => (
            <ConfirmDialog
              title={words.removeTitle(name)}
              verb={words.removeNamed(name)}
              onConfirm={remove}
              onClose={close}
            >
              <p>{words.removeMeans}</p>
            </ConfirmDialog>
          )}
        </DialogButton>
      </div>
    </li>
  )
}

/** Whether the tablet opens locks and gates. */
function Openings({ record, tablet: { pin } }: TabletProps): JSX.Element {
  if (!pin) return <p class="muted">{words.hasNoPin}</p>
  if (doorsOf(record) !== 'no') return <p class="muted">{words.hasPin}</p>
  return (
    <p class="warns">
      <Icon name="alert" />
      {words.mayNotOpen}
    </p>
  )
}

function PinButtons(props: TabletProps): JSX.Element {
  const { record, tablet, onChanged } = props
  const { id, name } = record
  const removePin = async (): Promise<void> => {
    await admin.call('put', '/admin/v1/tablets/{id}/pin', { path: { id }, body: { pin: null } })
    showNotice(words.pinRemoved(name))
    onChanged()
  }
  return (
    <>
      <DialogButton label={tablet.pin ? words.newPin : words.setPin}>
        {(close) => <PinDialog {...props} onClose={close} />}
      </DialogButton>
      {tablet.pin && (
        <DialogButton class="quiet" label={words.removePin}>
          {(close) => (
            <ConfirmDialog
              title={words.removePinTitle(name)}
              verb={words.removePin}
              onConfirm={removePin}
              onClose={close}
            >
              <p>{words.removePinMeans}</p>
            </ConfirmDialog>
          )}
        </DialogButton>
      )}
    </>
  )
}

interface PinDialogProps extends TabletProps {
  readonly onClose: () => void
}

/** Sets the PIN of a tablet, and lets its record open. */
function PinDialog({ record, onChanged, onClose }: PinDialogProps): JSX.Element {
  const { id, name } = record
  const { run, busy, message } = useAction(async (form: HTMLFormElement) => {
    await admin.call('put', '/admin/v1/tablets/{id}/pin', { path: { id }, body: { pin: textOf(form, 'pin') } })
    if (doorsOf(record) === 'no') {
      const settings = { allow_unlock: 'on' } as const
      await admin.call('patch', '/admin/v1/integrations/{id}', { path: { id }, body: { settings } })
    }
    await readIntegrations()
    showNotice(words.pinSet(name))
    onChanged()
    onClose()
  })
  return (
    <Dialog title={words.pinTitle(name)} onClose={onClose}>
      <Form verb={words.setPin} busy={busy} onSubmit={run} onCancel={onClose} cancel={common.cancel}>
        <PinField label={words.pin} hint={words.pinOpens} error={message} required />
      </Form>
    </Dialog>
  )
}
