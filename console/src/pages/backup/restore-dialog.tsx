import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { BackupContents, BackupsRestoreBody, Restoring } from '../../lib/admin-contract.ts'
import { ErrorBox, useAction } from '../../parts/action.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Checkbox, Field, Form, onSend, textOf } from '../../parts/form.tsx'
import { Button } from '../../parts/page.tsx'
import { momentWords } from '../../stores/home-time.ts'
import { connected, house } from '../../stores/home.ts'
import { showNotice } from '../../stores/page-notices.ts'
import { clearRestoreNote, setRestoreNote } from '../../stores/restore-note.ts'
import { words } from '../../words/backup.ts'
import { words as frame } from '../../words/page-frame.ts'

interface RestoreDialogProps {
  readonly title: string
  readonly send: (body: BackupsRestoreBody) => Promise<Restoring>
  readonly onClose: () => void
}

/** Error codes that ask for a recovery phrase. */
const PHRASE_CODES: ReadonlySet<string> = new Set(['phrase_needed', 'wrong_phrase'])

/** Restores a backup: shows the consequences, then asks for the home's name. */
export function RestoreDialog({ title, send, onClose }: RestoreDialogProps): JSX.Element {
  const preview = useSignal<Restoring | null>(null)
  const phrase = useSignal('')
  const request = (check: boolean, revive: boolean): Promise<Restoring> =>
    send({ check, revive, ...(phrase.value === '' ? {} : { phrase: phrase.value }) })
  const look = useAction(async () => (preview.value = await request(true, false)))
  const restore = useAction(async (revive: boolean) => (preview.value = await request(false, revive)))
  useEffect(() => void look.run(), [])
  const needsPhrase = look.code !== null && PHRASE_CODES.has(look.code)
  if (preview.value?.restarts) return <RestartDialog restored={preview.value} onBack={onClose} />
  return (
    <Dialog title={title} onClose={restore.busy ? undefined : onClose}>
      {look.busy && (
        <p class="wait" role="status">
          {words.reading}
        </p>
      )}
      {look.message !== null && !needsPhrase && <ErrorBox error={look.message} onRetry={() => void look.run()} />}
      {(needsPhrase || (look.busy && phrase.value !== '')) && (
        <PhraseForm
          error={look.message}
          isBusy={look.busy}
          onPhrase={(typed) => {
            phrase.value = typed
            void look.run()
          }}
        />
      )}
      {preview.value !== null && (
        <RestorePreview
          preview={preview.value}
          isBusy={restore.busy}
          error={restore.message}
          onRestore={(revive) => void restore.run(revive)}
          onClose={onClose}
        />
      )}
    </Dialog>
  )
}

interface PhraseFormProps {
  readonly error: string | null
  readonly isBusy: boolean
  readonly onPhrase: (phrase: string) => void
}

/** Asks for the phrase of a backup that the current one does not open. The text stays during the check. */
function PhraseForm({ error, isBusy, onPhrase }: PhraseFormProps): JSX.Element {
  return (
    <Form
      verb={words.lookAgain}
      busy={isBusy}
      onSubmit={(form) => {
        if (!isBusy) onPhrase(textOf(form, 'phrase').trim())
      }}
    >
      <Field label={words.otherPhrase} name="phrase" autocomplete="off" spellcheck={false} required error={error} />
    </Form>
  )
}

interface RestorePreviewProps {
  readonly preview: Restoring
  readonly isBusy: boolean
  readonly error: string | null
  readonly onRestore: (revive: boolean) => void
  readonly onClose: () => void
}

/** Consequences of a restore, with a field for the home's name. */
function RestorePreview({ preview, isBusy, error, onRestore, onClose }: RestorePreviewProps): JSX.Element {
  const revive = useSignal(false)
  const typed = useSignal('')
  const home = house.value?.house ?? ''
  const isNameTyped = typed.value.trim() === home
  return (
    <form onSubmit={onSend(() => isNameTyped && !isBusy && onRestore(revive.value))}>
      <p>{words.restoreHolds(preview.contents.home, momentWords(preview.at), contentsWords(preview.contents))}</p>
      <RestoreEffects preview={preview} />
      {preview.ended.length > 0 && (
        <Checkbox checked={revive.value} onChange={({ currentTarget }) => (revive.value = currentTarget.checked)}>
          {words.revive}
        </Checkbox>
      )}
      <Field
        label={words.typeName(home)}
        name="home"
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
        error={error}
      />
      <div class="actions">
        <Button label={frame.cancel} disabled={isBusy} onClick={onClose} />
        <button type="submit" class="danger" disabled={!isNameTyped} aria-disabled={isBusy}>
          {isBusy ? words.isRestoring : words.doRestore}
        </button>
      </div>
    </form>
  )
}

function RestoreEffects({ preview }: { readonly preview: Restoring }): JSX.Element {
  const { contents, present, ended, lost, aside, persons, lostPersons, phrase } = preview
  const namesWith = (password: Restoring['persons'][number]['password']): readonly string[] =>
    persons.filter((person) => person.password === password).map(({ name }) => name)
  const [then, same, none] = [namesWith('then'), namesWith('same'), namesWith('none')]
  return (
    <ul class="ends">
      {present === 'another' && <li class="warn">{words.another}</li>}
      {aside !== null && <li>{words.aside(aside)}</li>}
      <li>{contents.history || present === 'another' ? words.newHistory(contents.history) : words.oldHistory}</li>
      {persons.length === 0 && <li class="warn">{words.nobody}</li>}
      {same.length > 0 && <li>{words.passwordsSame(same)}</li>}
      {then.length > 0 && <li class="warn">{words.passwordsThen(then)}</li>}
      {none.length > 0 && <li>{words.passwordsNone(none)}</li>}
      {lostPersons.length > 0 && <li class="warn">{words.lostPersons(lostPersons)}</li>}
      {lost.length > 0 && <li class="warn">{words.lost(lost.map(nameOf))}</li>}
      {ended.length > 0 && <li class="warn">{words.ended(ended.map(nameOf))}</li>}
      <li>{words.phraseFrom[phrase.from](phrase.since === null ? '' : momentWords(phrase.since))}</li>
      <li>{words.startsAnew}</li>
    </ul>
  )
}

const nameOf = ({ name, integration }: Restoring['lost'][number]): string =>
  integration === '' ? name : `${name} (${integration})`

/**
 * Waits for the gateway's restart. If the session has ended, the sign-in page shows the result. A gateway with another
 * CA needs a reload of the page.
 */
function RestartDialog({ restored, onBack }: { restored: Restoring; onBack: () => void }): JSX.Element {
  const { at, contents, present } = restored
  const sentence = words.restored(contents.home, momentWords(at))
  const hasDisconnected = useRef(false)
  const isConnected = connected.value
  useEffect(() => setRestoreNote(words.signInAsThen(sentence)), [])
  useEffect(() => {
    if (!isConnected) hasDisconnected.current = true
    if (!isConnected || !hasDisconnected.current) return
    clearRestoreNote()
    showNotice(sentence)
    onBack()
  }, [isConnected])
  return (
    <Dialog title={words.restartTitle}>
      <p role="status">{words.restarts}</p>
      {present === 'another' && <p>{words.otherAuthority}</p>}
      <div class="actions">
        <Button label={frame.reload} onClick={() => location.reload()} />
      </div>
    </Dialog>
  )
}

/** Contents of a backup in words. */
export const contentsWords = ({ counts: { persons, integrations, keys }, history, lacks }: BackupContents): string =>
  [
    words.counts(persons, integrations, keys),
    ...(history ? [words.withHistory] : []),
    ...(lacks === null ? [] : [words.withoutDamaged]),
  ].join(', ')
