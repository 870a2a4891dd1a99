import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useEffect } from 'preact/hooks'
import type { BackupsListAnswer, BackupsPhraseAnswer } from '../../lib/admin-contract.ts'
import { ErrorBox, ErrorLine, Loading, useAction } from '../../parts/action.tsx'
import { Dialog, DialogButton } from '../../parts/dialog.tsx'
import { Field, Form, Switch, textOf } from '../../parts/form.tsx'
import { Age, Button, Card, Chip, Fact } from '../../parts/page.tsx'
import { about } from '../../stores/public-facts.ts'
import { homeTime, momentWords } from '../../stores/home-time.ts'
import { house } from '../../stores/home.ts'
import { showNotice } from '../../stores/page-notices.ts'
import { status } from '../../stores/admin-topics.ts'
import { useResource } from '../../stores/use-resource.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/backup.ts'
import { words as frame } from '../../words/page-frame.ts'
import { bytes } from '../../words/measures.ts'
import { BackupList } from './backup-list.tsx'
import { UploadDialog } from './upload-dialog.tsx'

/** Backups: the last and the next, settings, recovery phrase, and the list. */
export function BackupPart(): JSX.Element {
  const now = status.value?.backup
  const read = () => admin.call('get', '/admin/v1/backups')
  const { value, error, reload } = useResource(read, now?.last?.name, now?.working, now?.phraseSince, now?.error?.at)
  if (value === null) return <Loading error={error} reload={reload} />
  return (
    <>
      <div class="sheets">
        <LastBackup list={value} onDone={reload} />
        <Phrase list={value} onDone={reload} />
        <BackupSettings list={value} onDone={reload} />
        <FromFile />
      </div>
      <BackupList list={value} />
    </>
  )
}

interface PartProps {
  readonly list: BackupsListAnswer
  readonly onDone: () => void
}

function LastBackup({ list: { state }, onDone }: PartProps): JSX.Element {
  const { last, error, nextAt, folder, working } = state
  const isVerified = last !== null && error === null
  const { run, busy, message } = useAction(async () => {
    const { lacks } = await admin.call('post', '/admin/v1/backups', { body: {} })
    showNotice(lacks === null ? words.made : words.madeLacking(lacks))
    onDone()
  })
  return (
    <Card title={words.lastTitle} aside={isVerified && <Chip tone="ok" icon="check" label={words.checked} />}>
      <ErrorLine message={error?.what ?? null} />
      <dl class="facts">
        <Fact term={words.last}>{last === null ? words.none : <Age at={last.at} />}</Fact>
        {last !== null && <Fact term={words.size}>{bytes(last.bytes)}</Fact>}
        <Fact term={words.next}>{homeTime(nextAt)}</Fact>
        <Fact term={words.folder}>
          <code>{folder}</code>
        </Fact>
      </dl>
      <ErrorLine message={message} />
      <div class="actions">
        {(busy || working) && <span class="hint">{words.working}</span>}
        <Button class="main" label={words.now} aria-disabled={busy || working} onClick={() => working || void run()} />
      </div>
    </Card>
  )
}

/** Restores a backup of another machine; the home page of a new gateway links here (docs/backup.md). */
function FromFile(): JSX.Element {
  const { query, route } = useLocation()
  const isOpen = useSignal(query['restore'] !== undefined)
  return (
    <Card title={words.fileTitle}>
      <p>{words.aboutFile}</p>
      <div class="actions">
        <Button class="quiet danger" label={words.fromFile} onClick={() => (isOpen.value = true)} />
      </div>
      {isOpen.value && (
        <UploadDialog
          onClose={() => {
            isOpen.value = false
            if (query['restore'] !== undefined) route('/console/system/backup', true)
          }}
        />
      )}
    </Card>
  )
}

function Phrase({ list: { state }, onDone }: PartProps): JSX.Element {
  const { phraseSince } = state
  return (
    <Card title={words.phraseTitle}>
      <p>{phraseSince === null ? words.noPhrase : words.phraseSince(momentWords(phraseSince))}</p>
      {phraseSince !== null && <p class="muted">{words.anotherIsFor}</p>}
      <div class="actions">
        <DialogButton
          class={phraseSince === null ? 'main' : ''}
          label={phraseSince === null ? words.makePhrase : words.makeAnother}
        >
          {(close) => (
            <PhraseDialog
              onClose={() => {
                close()
                onDone()
              }}
            />
          )}
        </DialogButton>
      </div>
    </Card>
  )
}

function BackupSettings({ list: { choice }, onDone }: PartProps): JSX.Element {
  const change = useAction(async (body: Partial<typeof choice>) => {
    await admin.call('put', '/admin/v1/backups/choice', { body })
    onDone()
  })
  return (
    <Card title={words.choiceTitle}>
      {(['encrypted', 'history'] as const).map((option) => (
        <div key={option} class="switched">
          <span aria-hidden="true">{words[option]}</span>
          <Switch
            label={words[option]}
            on={choice[option]}
            pending={change.busy}
            onChange={(on) => void change.run({ [option]: on })}
          />
        </div>
      ))}
      <ErrorLine message={change.message} />
      <p class="muted">{words.aboutChoice}</p>
    </Card>
  )
}

/** Creates a recovery phrase: shows it once to print or write down, then asks for two of its words. */
function PhraseDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const phrase = useSignal<BackupsPhraseAnswer | null>(null)
  const isWritten = useSignal(false)
  const { run, message } = useAction(async () => (phrase.value = await admin.call('post', '/admin/v1/backups/phrase')))
  // Every request creates another phrase, so the dialog sends only one.
  useEffect(() => void run(), [])
  if (phrase.value === null)
    return (
      <Dialog title={words.phraseTitle} onClose={onClose}>
        {message === null ? (
          <p class="wait">{frame.loading}</p>
        ) : (
          <ErrorBox error={message} onRetry={() => void run()} />
        )}
      </Dialog>
    )
  if (isWritten.value)
    return <CheckWords places={phrase.value.asked} onBack={() => (isWritten.value = false)} onClose={onClose} />
  return <Sheet phrase={phrase.value} onWritten={() => (isWritten.value = true)} onClose={onClose} />
}

interface SheetProps {
  readonly phrase: BackupsPhraseAnswer
  readonly onWritten: () => void
  readonly onClose: () => void
}

function Sheet({ phrase, onWritten, onClose }: SheetProps): JSX.Element {
  return (
    <Dialog title={words.sheetTitle(house.value?.house ?? '')}>
      <div class="phrase">
        <p>{words.aboutSheet(about.value?.gateway ?? '')}</p>
        <ol>
          {phrase.words.map((word, place) => (
            <li key={place}>{word}</li>
          ))}
        </ol>
        <p class="hint">{words.phraseUntil(momentWords(phrase.expiresAt))}</p>
      </div>
      <div class="actions">
        <Button label={frame.cancel} onClick={onClose} />
        <Button label={words.print} onClick={() => window.print()} />
        <Button class="main" label={words.written} onClick={onWritten} />
      </div>
    </Dialog>
  )
}

interface CheckWordsProps {
  /** Positions of the words to type, from 1. */
  readonly places: readonly number[]
  readonly onBack: () => void
  readonly onClose: () => void
}

function CheckWords({ places, onBack, onClose }: CheckWordsProps): JSX.Element {
  const { run, busy, message } = useAction(async (form: HTMLFormElement) => {
    const typed = places.map((place) => textOf(form, `word-${place}`).trim().toLowerCase())
    await admin.call('post', '/admin/v1/backups/phrase/confirm', { body: { words: typed } })
    showNotice(words.confirmed)
    onClose()
  })
  return (
    <Dialog title={words.phraseTitle} onClose={onClose}>
      <p>{words.checkWords}</p>
      <Form verb={words.confirm} busy={busy} onSubmit={run} onCancel={onBack} cancel={words.showAgain}>
        {places.map((place, index) => (
          <Field
            key={place}
            label={words.wordAt(place)}
            name={`word-${place}`}
            required
            autocomplete="off"
            spellcheck={false}
            error={index === places.length - 1 ? message : null}
          />
        ))}
      </Form>
    </Dialog>
  )
}
