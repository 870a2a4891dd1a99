import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Backup, Restoring } from '../../admin-contract.ts'
import { useAction } from '../../parts/action.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Check, Field } from '../../parts/field.tsx'
import { textOf } from '../../parts/form-text.ts'
import { house } from '../../stores/home.ts'
import { momentWords } from '../../stores/home-time.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/backup.ts'
import { words as frame } from '../../words/frame.ts'
import { holdsOf } from './backup-words.ts'

interface RestoreDialogProps {
  readonly backup: Backup
  readonly onClose: () => void
}

/** Puts a backup in the place of the home: tells first what that does, and takes the name of the home for it. */
export function RestoreDialog({ backup: { name, at }, onClose }: RestoreDialogProps): JSX.Element {
  const told = useSignal<Restoring | null>(null)
  const phrase = useSignal('')
  const ask = (check: boolean, revive: boolean): Promise<Restoring> =>
    admin.call('post', '/admin/v1/backups/{name}/restore', {
      path: { name },
      body: { check, revive, ...(phrase.value === '' ? {} : { phrase: phrase.value }) },
    })
  const look = useAction(async () => {
    told.value = await ask(true, false)
  })
  const restore = useAction(async (revive: boolean) => {
    told.value = await ask(false, revive)
  })
  useEffect(() => void look.run(), [])
  if (told.value?.restarts)
    return (
      <Dialog title={words.listTitle}>
        <p role="status">{words.restarts}</p>
        <div class="actions">
          <button type="button" class="main" onClick={() => location.reload()}>
            {frame.reload}
          </button>
        </div>
      </Dialog>
    )
  return (
    <Dialog title={words.restoreTitle(momentWords(at))} onClose={onClose}>
      {look.busy && <p class="wait">{words.reading}</p>}
      {look.said !== null && (
        <OtherPhrase
          said={look.said}
          onPhrase={(typed) => {
            phrase.value = typed
            void look.run()
          }}
        />
      )}
      {told.value !== null && (
        <Foretold
          told={told.value}
          isBusy={restore.busy}
          said={restore.said}
          onRestore={(revive) => void restore.run(revive)}
          onClose={onClose}
        />
      )}
    </Dialog>
  )
}

interface OtherPhraseProps {
  readonly said: string
  readonly onPhrase: (phrase: string) => void
}

/** Of a backup that does not open with the phrase of now. */
function OtherPhrase({ said, onPhrase }: OtherPhraseProps): JSX.Element {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onPhrase(textOf(event.currentTarget, 'phrase').trim())
      }}
    >
      <Field label={words.otherPhrase} name="phrase" autocomplete="off" spellcheck={false} said={said} />
      <div class="actions">
        <button type="submit">{words.lookAgain}</button>
      </div>
    </form>
  )
}

interface ForetoldProps {
  readonly told: Restoring
  readonly isBusy: boolean
  readonly said: string | null
  readonly onRestore: (revive: boolean) => void
  readonly onClose: () => void
}

function Foretold({ told, isBusy, said, onRestore, onClose }: ForetoldProps): JSX.Element {
  const { contents, present, ended, lost, aside } = told
  const revive = useSignal(false)
  const typed = useSignal('')
  const home = house.value?.house ?? ''
  const isNamed = typed.value.trim() === home
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (isNamed && !isBusy) onRestore(revive.value)
      }}
    >
      <p>{words.restoreHolds(contents.home, holdsOf(contents))}</p>
      <ul class="ends">
        {present === 'another' && <li>{words.another}</li>}
        {aside !== null && <li>{words.aside(aside)}</li>}
        <li>{contents.history ? words.newHistory : words.oldHistory}</li>
        {lost.length > 0 && <li class="warn">{words.lost(lost.map(nameOf))}</li>}
        {ended.length > 0 && <li class="warn">{words.ended(ended.map(nameOf))}</li>}
        <li>{words.startsAnew}</li>
      </ul>
      {ended.length > 0 && (
        <Check checked={revive.value} onChange={({ currentTarget }) => (revive.value = currentTarget.checked)}>
          {words.revive}
        </Check>
      )}
      <Field
        label={words.typeName(home)}
        name="home"
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
        said={said}
      />
      <div class="actions">
        <button type="button" onClick={onClose}>
          {frame.cancel}
        </button>
        <button type="submit" class="danger" disabled={!isNamed} aria-disabled={isBusy}>
          {words.doRestore}
        </button>
      </div>
    </form>
  )
}

const nameOf = ({ name, integration }: Restoring['lost'][number]): string =>
  integration === '' ? name : `${name} (${integration})`
