import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import type { Integration, IntegrationsPreviewAnswer, Settings } from '../../lib/admin-contract.ts'
import { ErrorLine, Loading, useAction } from '../../parts/action.tsx'
import { Dialog, ConfirmDialog, DialogButton } from '../../parts/dialog.tsx'
import { Form, NameField, Switch, textOf } from '../../parts/form.tsx'
import { onDemand } from '../../parts/on-demand.tsx'
import { Button, Card, Icon, Page } from '../../parts/page.tsx'
import { homeTime } from '../../stores/home-time.ts'
import { admin } from '../../stores/session.ts'
import { doorWords, knobWords, timeWords, words } from '../../words/access.ts'
import { words as common } from '../../words/page-frame.ts'
import { doorsOf } from './doors-editor.tsx'
import { Consequences, Credentials, liveCredentials } from './credentials.tsx'
import { discard, type DraftProps, draftOf, edit, pickChanges, rebase, storedDraft } from './draft.ts'
import { localHouse, pickable } from './pickable-home.ts'
import type { Pickable } from './picking.ts'
import { PeopleEditor } from './people-editor.tsx'
import { remove, rename, setEnabled } from './integration-changes.ts'
import { knobMeans, SaveBar } from './save-bar.tsx'
import { ExposureEditor, KnobEditor } from './scope-editors.tsx'
import { Closed, TimesEditor, windowWords } from './times-editor.tsx'

const PreviewDialog = onDemand(async () => (await import('./preview-dialog.tsx')).PreviewDialog)
const ConnectDialog = onDemand(async () => (await import('./connect-dialog.tsx')).ConnectDialog)

/** One integration: its exposure, its knobs and its credentials. */
export function IntegrationPage({ stored }: { readonly stored: Integration }): JSX.Element {
  const dialog = useSignal<'connect' | 'preview' | null>(null)
  const close = () => (dialog.value = null)
  const draft = draftOf(stored)
  const home = pickable.value
  return (
    <Page title={stored.name} above={<BackToList />} aside={<IntegrationActions stored={stored} />}>
      {stored.kind !== 'programs' && (
        <p>
          <a href="/console/system/persons">{words.recordOfAbout}</a>
        </p>
      )}
      {draft.base.revision !== stored.revision && <Conflict stored={stored} draft={draft} home={home} />}
      <div class="record">
        <Card
          title={words.sees}
          aside={<Button class="quiet" icon="eye" label={words.preview} onClick={() => (dialog.value = 'preview')} />}
        >
          {home === null ? (
            <Loading error={localHouse.error.value} reload={() => void localHouse.reload()} label={common.loading} />
          ) : (
            <ExposureEditor {...draft} home={home} onChange={(change) => edit(stored, change)} />
          )}
        </Card>
        <Card title={words.may}>
          <KnobEditor stored={stored} draft={draft} />
        </Card>
        <Card title={timeWords.title} aside={<Closed integration={stored} />}>
          <TimesEditor {...draft} onChange={(change) => edit(stored, change)} />
        </Card>
        <Card title={words.people}>
          <PeopleEditor stored={stored} draft={draft} />
        </Card>
        {(stored.kind === 'programs' || liveCredentials(stored.credentials).length > 0) && (
          <Card
            title={words.credentials}
            aside={
              stored.kind === 'programs' && (
                <Button class="main" icon="plug" label={words.connect} onClick={() => (dialog.value = 'connect')} />
              )
            }
          >
            <Credentials credentials={stored.credentials} />
          </Card>
        )}
      </div>
      <SaveBar stored={stored} draft={draft} />
      {dialog.value === 'preview' && <PreviewDialog draft={draft} onClose={close} />}
      {dialog.value === 'connect' && <ConnectDialog stored={stored} onClose={close} />}
    </Page>
  )
}

const BackToList = (): JSX.Element => (
  <a class="back" href="/console/access">
    <Icon name="left" />
    {words.toList}
  </a>
)

/** Buttons to rename, enable, disable and delete an integration. */
function IntegrationActions({ stored }: { readonly stored: Integration }): JSX.Element {
  const { name, enabled } = stored
  const planned = useSignal<PlannedChange | null>(null)
  const enable = useAction(() => setEnabled(stored, true))
  // Disabling needs no dialog if it can be undone.
  const end = useAction(async (kind: PlannedChange['kind']) => {
    const preview = await previewDisabling(stored)
    if (kind === 'delete' || affectsRules(preview)) planned.value = { kind, preview }
    else await setEnabled(stored, false)
  })
  const message = enable.message ?? end.message
  return (
    <div class="record-head">
      <span aria-hidden="true">{enabled ? words.enabled : words.disabled}</span>
      <Switch
        label={words.enabled}
        on={enabled}
        pending={enable.busy || end.busy}
        onChange={(on) => void (on ? enable.run() : end.run('disable'))}
      />
      {stored.kind !== 'member' && (
        <>
          <DialogButton class="quiet" icon="edit" label={words.rename}>
            {(close) => (
              <NameDialog
                title={words.renameTitle}
                name={name}
                verb={words.rename}
                onName={(newName) => rename(stored, newName)}
                onClose={close}
              />
            )}
          </DialogButton>
          <Button
            class="quiet danger"
            icon="remove"
            label={words.deleteShort}
            aria-disabled={end.busy}
            onClick={() => void end.run('delete')}
          />
        </>
      )}
      <ErrorLine message={message} />
      {planned.value !== null && (
        <DisableDialog stored={stored} planned={planned.value} onClose={() => (planned.value = null)} />
      )}
    </div>
  )
}

const previewDisabling = ({ id }: Integration): Promise<IntegrationsPreviewAnswer> =>
  admin.call('post', '/admin/v1/integrations/{id}/preview', { path: { id }, body: { enabled: false } })

const affectsRules = ({ switchedOff = [], scenesRefused = [] }: IntegrationsPreviewAnswer): boolean =>
  switchedOff.length + scenesRefused.length > 0

/** A change that needs confirmation, and its consequences. */
interface PlannedChange {
  readonly kind: 'disable' | 'delete'
  readonly preview: IntegrationsPreviewAnswer
}

interface DisableDialogProps {
  readonly stored: Integration
  readonly planned: PlannedChange
  readonly onClose: () => void
}

/** Asks before an integration is deleted, or disabled with consequences for rules. */
function DisableDialog({ stored, planned: { kind, preview }, onClose }: DisableDialogProps): JSX.Element {
  const { route } = useLocation()
  const confirm = async (): Promise<void> => {
    if (kind === 'disable') return setEnabled(stored, false)
    await remove(stored)
    route('/console/access')
  }
  return (
    <ConfirmDialog
      title={kind === 'delete' ? words.deleteTitle(stored.name) : words.disableTitle(stored.name)}
      verb={kind === 'delete' ? words.delete(stored.name) : words.disable}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Consequences
        credentials={stored.credentials}
        affected={kind === 'delete' ? preview : { ...preview, groupRules: [] }}
      />
    </ConfirmDialog>
  )
}

interface ConflictProps extends DraftProps {
  readonly home: Pickable | null
}

/** Shows another person's changes since the draft began, and asks whether to keep the draft. */
function Conflict({ stored, draft, home }: ConflictProps): JSX.Element {
  return (
    <section class="conflict" role="alert">
      <h2>
        <Icon name="alert" />
        {words.conflictTitle}
      </h2>
      <p>{words.conflictAbout}</p>
      <ul class="ends">
        {differences(draft.base, stored, home).map((difference) => (
          <li key={difference}>{difference}</li>
        ))}
      </ul>
      <div class="actions">
        <Button class="main" label={words.keepBoth} onClick={() => rebase(stored)} />
        <Button label={words.takeTheirs} onClick={() => discard(stored.id)} />
      </div>
    </section>
  )
}

/** Differences between two revisions of an integration, as phrases. */
function differences(before: Integration, after: Integration, home: Pickable | null): readonly string[] {
  return [
    ...(before.name === after.name ? [] : [words.renamed(after.name)]),
    ...(before.enabled === after.enabled ? [] : [after.enabled ? words.enabled : words.disabled]),
    ...knobDifferences(before.settings, after.settings),
    ...(before.people === after.people ? [] : [words.peopleMean[after.people]]),
    ...(before.until === after.until ? [] : [endWords(after)]),
    ...(JSON.stringify(before.hours) === JSON.stringify(after.hours) ? [] : [hoursWords(after)]),
    ...(before.opening === after.opening ? [] : [doorWords.means[doorsOf(after)]]),
    ...exposureDifferences(before, after, (pick) => home?.names.get(pick) ?? pick),
  ]
}

const endWords = ({ until }: Integration): string =>
  until === null ? timeWords.noEnd : `${timeWords.until}: ${homeTime(until)}`

const hoursWords = ({ hours }: Integration): string =>
  hours.length === 0 ? timeWords.always : `${timeWords.hours}: ${hours.map(windowWords).join(', ')}`

function knobDifferences(before: Settings, after: Settings): readonly string[] {
  const knobs = Object.keys(knobWords.knobs) as (keyof Settings)[]
  return knobs.flatMap((knob) => (before[knob] === after[knob] ? [] : (knobMeans(knob, after[knob]) ?? [])))
}

function exposureDifferences(
  before: Integration,
  after: Integration,
  nameOf: (pick: string) => string,
): readonly string[] {
  const [old, now] = [storedDraft(before), storedDraft(after)]
  if (now.isAll) return old.isAll ? [] : [words.allAbout]
  const { added, removed } = pickChanges(old.picks, now.picks)
  const line = (title: string, picks: readonly string[]): string[] =>
    picks.length === 0 ? [] : [`${title}: ${picks.map(nameOf).join(', ')}`]
  return [...line(words.picksAdded, added), ...line(words.picksRemoved, removed)]
}

interface NameDialogProps {
  readonly title: string
  readonly hint?: string
  readonly name?: string
  readonly verb: string
  readonly onName: (name: string) => Promise<unknown>
  readonly onClose: () => void
}

/** Asks for the name of an integration. */
export function NameDialog({ title, hint, name = '', verb, onName, onClose }: NameDialogProps): JSX.Element {
  const { run, busy, message } = useAction(onName)
  const submit = async (form: HTMLFormElement): Promise<void> => {
    if (await run(textOf(form, 'name').trim())) onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <Form verb={verb} busy={busy} onSubmit={submit} onCancel={onClose}>
        <NameField hint={hint ?? words.nameHint} defaultValue={name} error={message} />
      </Form>
    </Dialog>
  )
}
