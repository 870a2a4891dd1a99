import { computed, effect, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import type { Integration, IntegrationsPreviewAnswer, Settings } from '../../lib/admin-contract.ts'
import { Said, Unread, useAction } from '../../parts/action.tsx'
import { Dialog, EndingDialog, Opens } from '../../parts/dialog.tsx'
import { Form, NameField, Switch, textOf } from '../../parts/form.tsx'
import { Button, Card, Icon, Page } from '../../parts/page.tsx'
import { revision } from '../../stores/home.ts'
import { keptReading } from '../../stores/kept-reading.ts'
import { admin } from '../../stores/session.ts'
import { knobWords, words } from '../../words/access.ts'
import { words as common } from '../../words/frame.ts'
import { Connect } from './connect.tsx'
import { Credentials, Ends } from './credentials.tsx'
import { discard, type Draft, draftOf, pickChanges, rebase, untouched } from './draft.ts'
import { type Pickable, pickableOf } from './picking.ts'
import { PreviewAs } from './preview-as.tsx'
import { remove, rename, setEnabled } from './record-changes.ts'
import { knobMeans, SaveBar } from './save-bar.tsx'
import { May, Sees } from './scope.tsx'

const HEADINGS = { withoutRoom: words.inNoRoom, scenes: words.scenes }
/** Read once of each state of the home: a large one has thousands of things. */
const pickable = computed(() => reading.value.value && pickableOf(reading.value.value, HEADINGS))

/** One integration: what it sees, what it may do, and who comes in by it. */
export function Record({ stored }: { readonly stored: Integration }): JSX.Element {
  const shown = useSignal<'connect' | 'preview' | null>(null)
  const close = () => (shown.value = null)
  const draft = draftOf(stored)
  const home = pickable.value
  return (
    <Page title={stored.name} above={<ToList />} beside={<RecordHead stored={stored} />}>
      {draft.base.revision !== stored.revision && <Conflict stored={stored} draft={draft} home={home} />}
      <div class="record">
        <Card
          title={words.sees}
          beside={<Button class="quiet" icon="eye" says={words.preview} onClick={() => (shown.value = 'preview')} />}
        >
          {home === null ? (
            <Unread error={reading.problem.value} again={() => void reading.read()} says={common.loading} />
          ) : (
            <Sees stored={stored} draft={draft} home={home} />
          )}
        </Card>
        <Card title={words.may}>
          <May stored={stored} draft={draft} />
        </Card>
        <Card
          title={words.credentials}
          beside={<Button class="main" icon="plug" says={words.connect} onClick={() => (shown.value = 'connect')} />}
        >
          <Credentials credentials={stored.credentials} />
        </Card>
      </div>
      <SaveBar stored={stored} draft={draft} />
      {shown.value === 'preview' && <PreviewAs draft={draft} onClose={close} />}
      {shown.value === 'connect' && <Connect stored={stored} onClose={close} />}
    </Page>
  )
}

const ToList = (): JSX.Element => (
  <a class="back" href="/console/access">
    <Icon of="left" />
    {words.toList}
  </a>
)

/** Renames, disables and deletes an integration. */
function RecordHead({ stored }: { readonly stored: Integration }): JSX.Element {
  const { name, enabled } = stored
  const ending = useSignal<Ending | null>(null)
  const enable = useAction(() => setEnabled(stored, true))
  // What ends by it is asked first; where nothing does that could not be taken back, it is done at once.
  const end = useAction(async (does: Ending['does']) => {
    const preview = await disabling(stored)
    if (does === 'delete' || endsRules(preview)) ending.value = { does, preview }
    else await setEnabled(stored, false)
  })
  const said = enable.said ?? end.said
  return (
    <div class="record-head">
      <span aria-hidden="true">{enabled ? words.enabled : words.disabled}</span>
      <Switch
        label={words.enabled}
        on={enabled}
        asked={enable.busy || end.busy}
        onChange={(on) => void (on ? enable.run() : end.run('disable'))}
      />
      <Opens class="quiet" icon="edit" says={words.rename}>
        {(close) => (
          <NameDialog
            title={words.renameTitle}
            name={name}
            verb={words.rename}
            onName={(given) => rename(stored, given)}
            onClose={close}
          />
        )}
      </Opens>
      <Button
        class="quiet danger"
        icon="remove"
        says={words.deleteShort}
        aria-disabled={end.busy}
        onClick={() => void end.run('delete')}
      />
      <Said of={said} />
      {ending.value !== null && (
        <RecordEnding stored={stored} ending={ending.value} onClose={() => (ending.value = null)} />
      )}
    </div>
  )
}

const disabling = ({ id }: Integration): Promise<IntegrationsPreviewAnswer> =>
  admin.call('post', '/admin/v1/integrations/{id}/preview', { path: { id }, body: { enabled: false } })

const endsRules = ({ switchedOff = [], scenesRefused = [] }: IntegrationsPreviewAnswer): boolean =>
  switchedOff.length + scenesRefused.length > 0

/** How an integration is to end, and what would with it. */
interface Ending {
  readonly does: 'disable' | 'delete'
  readonly preview: IntegrationsPreviewAnswer
}

interface RecordEndingProps {
  readonly stored: Integration
  readonly ending: Ending
  readonly onClose: () => void
}

/** Asks before an integration is deleted, or disabled where rules end with it. */
function RecordEnding({ stored, ending: { does, preview }, onClose }: RecordEndingProps): JSX.Element {
  const { route } = useLocation()
  const end = async (): Promise<void> => {
    if (does === 'disable') return setEnabled(stored, false)
    await remove(stored)
    route('/console/access')
  }
  return (
    <EndingDialog
      title={does === 'delete' ? words.deleteTitle(stored.name) : words.disableTitle(stored.name)}
      verb={does === 'delete' ? words.delete(stored.name) : words.disable}
      onEnd={end}
      onClose={onClose}
    >
      <Ends credentials={stored.credentials} leave={preview} />
    </EndingDialog>
  )
}

/** The home by local ids, as exposures name it, kept right while somebody looks at it. */
const reading = keptReading(() => admin.call('get', '/admin/v1/house'))

let seen = revision.peek()
effect(() => {
  if (revision.value === seen) return
  seen = revision.value
  reading.readIfShown()
})

interface ConflictProps {
  /** As somebody else has saved it. */
  readonly stored: Integration
  readonly draft: Draft
  readonly home: Pickable | null
}

/** Tells what somebody else has saved since a draft began, and lets the person choose what becomes of the draft. */
function Conflict({ stored, draft, home }: ConflictProps): JSX.Element {
  return (
    <section class="conflict" role="alert">
      <h2>
        <Icon of="alert" />
        {words.conflictTitle}
      </h2>
      <p>{words.conflictAbout}</p>
      <ul class="ends">
        {differences(draft.base, stored, home).map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
      <div class="actions">
        <Button class="main" says={words.keepBoth} onClick={() => rebase(stored)} />
        <Button says={words.takeTheirs} onClick={() => discard(stored.id)} />
      </div>
    </section>
  )
}

/** What differs between two revisions of an integration, each as a phrase. */
function differences(before: Integration, after: Integration, home: Pickable | null): readonly string[] {
  return [
    ...(before.name === after.name ? [] : [words.renamed(after.name)]),
    ...(before.enabled === after.enabled ? [] : [after.enabled ? words.enabled : words.disabled]),
    ...knobDifferences(before.settings, after.settings),
    ...exposureDifferences(before, after, (word) => home?.names.get(word) ?? word),
  ]
}

function knobDifferences(before: Settings, after: Settings): readonly string[] {
  const knobs = Object.keys(knobWords.knobs) as (keyof Settings)[]
  return knobs.flatMap((knob) => (before[knob] === after[knob] ? [] : (knobMeans(knob, after[knob]) ?? [])))
}

function exposureDifferences(
  before: Integration,
  after: Integration,
  nameOf: (word: string) => string,
): readonly string[] {
  const [old, now] = [untouched(before), untouched(after)]
  if (now.isAll) return old.isAll ? [] : [words.allAbout]
  const { added, removed } = pickChanges(old.picks, now.picks)
  const told = (title: string, picks: readonly string[]): string[] =>
    picks.length === 0 ? [] : [`${title}: ${picks.map(nameOf).join(', ')}`]
  return [...told(words.picksAdded, added), ...told(words.picksRemoved, removed)]
}

interface NameDialogProps {
  readonly title: string
  readonly hint?: string
  readonly name?: string
  readonly verb: string
  readonly onName: (name: string) => Promise<unknown>
  readonly onClose: () => void
}

/** Asks what an integration is to be called. */
export function NameDialog({ title, hint, name = '', verb, onName, onClose }: NameDialogProps): JSX.Element {
  const { run, busy, said } = useAction(onName)
  const submit = async (form: HTMLFormElement): Promise<void> => {
    if (await run(textOf(form, 'name').trim())) onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <Form verb={verb} busy={busy} onSubmit={submit} onCancel={onClose}>
        <NameField hint={hint ?? words.nameHint} defaultValue={name} said={said} />
      </Form>
    </Dialog>
  )
}
