import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useEffect } from 'preact/hooks'
import type { BackupsListAnswer, BackupsPhraseAnswer } from '../../lib/admin-contract.ts'
import { Problem, Said, Unread, useAction } from '../../parts/action.tsx'
import { Dialog, Opens } from '../../parts/dialog.tsx'
import { Field, Form, Switch, textOf } from '../../parts/form.tsx'
import { Age, Button, Card, Chip, Fact } from '../../parts/page.tsx'
import { about } from '../../stores/about.ts'
import { homeTime, momentWords } from '../../stores/home-time.ts'
import { house } from '../../stores/home.ts'
import { tell } from '../../stores/notices.ts'
import { status } from '../../stores/pushed.ts'
import { useReading } from '../../stores/reading.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/backup.ts'
import { words as frame } from '../../words/frame.ts'
import { bytes } from '../../words/measures.ts'
import { BackupList } from './backup-list.tsx'
import { BringDialog } from './bring-dialog.tsx'

/** The backups of the home: the last and the next, how they are made, and all that there are. */
export function BackupPart(): JSX.Element {
  const now = status.value?.backup
  const read = () => admin.call('get', '/admin/v1/backups')
  const { value, error, again } = useReading(read, now?.last?.name, now?.working, now?.phraseSince, now?.error?.at)
  if (value === null) return <Unread error={error} again={again} />
  return (
    <>
      <div class="sheets">
        <Last known={value} onDone={again} />
        <Phrase known={value} onDone={again} />
        <Choice known={value} onDone={again} />
        <FromFile />
      </div>
      <BackupList known={value} />
    </>
  )
}

interface PartProps {
  readonly known: BackupsListAnswer
  readonly onDone: () => void
}

function Last({ known: { state }, onDone }: PartProps): JSX.Element {
  const { last, error, nextAt, folder, working } = state
  const { run, busy, said } = useAction(async () => {
    const { lacks } = await admin.call('post', '/admin/v1/backups', { body: {} })
    tell(lacks === null ? words.made : words.madeLacking(lacks))
    onDone()
  })
  return (
    <Card
      title={words.lastTitle}
      beside={last && error === null && <Chip tone="ok" icon="check" says={words.checked} />}
    >
      <Said of={error?.what ?? null} />
      <dl class="facts">
        <Fact term={words.last}>{last === null ? words.none : <Age at={last.at} />}</Fact>
        {last !== null && <Fact term={words.size}>{bytes(last.bytes)}</Fact>}
        <Fact term={words.next}>{homeTime(nextAt)}</Fact>
        <Fact term={words.folder}>
          <code>{folder}</code>
        </Fact>
      </dl>
      <Said of={said} />
      <div class="actions">
        {(busy || working) && <span class="hint">{words.working}</span>}
        <Button class="main" says={words.now} aria-disabled={busy || working} onClick={() => void (working || run())} />
      </div>
    </Card>
  )
}

/** A machine that is new has a backup of elsewhere alone: the line on top of the page leads here (docs/backup.md). */
function FromFile(): JSX.Element {
  const { query, route } = useLocation()
  const isOpen = useSignal(query['restore'] !== undefined)
  return (
    <Card title={words.fileTitle}>
      <p>{words.aboutFile}</p>
      <div class="actions">
        <Button class="quiet danger" says={words.fromFile} onClick={() => (isOpen.value = true)} />
      </div>
      {isOpen.value && (
        <BringDialog
          onClose={() => {
            isOpen.value = false
            if (query['restore'] !== undefined) route('/console/system/backup', true)
          }}
        />
      )}
    </Card>
  )
}

function Phrase({ known: { state }, onDone }: PartProps): JSX.Element {
  const { phraseSince } = state
  return (
    <Card title={words.phraseTitle}>
      <p>{phraseSince === null ? words.noPhrase : words.phraseSince(momentWords(phraseSince))}</p>
      {phraseSince !== null && <p class="muted">{words.anotherIsFor}</p>}
      <div class="actions">
        <Opens
          class={phraseSince === null ? 'main' : ''}
          says={phraseSince === null ? words.makePhrase : words.makeAnother}
        >
          {(close) => (
            <PhraseDialog
              onClose={() => {
                close()
                onDone()
              }}
            />
          )}
        </Opens>
      </div>
    </Card>
  )
}

function Choice({ known: { choice }, onDone }: PartProps): JSX.Element {
  const change = useAction(async (body: Partial<typeof choice>) => {
    await admin.call('put', '/admin/v1/backups/choice', { body })
    onDone()
  })
  return (
    <Card title={words.choiceTitle}>
      {(['encrypted', 'history'] as const).map((which) => (
        <div key={which} class="switched">
          <span aria-hidden="true">{words[which]}</span>
          <Switch
            label={words[which]}
            on={choice[which]}
            asked={change.busy}
            onChange={(on) => void change.run({ [which]: on })}
          />
        </div>
      ))}
      <Said of={change.said} />
      <p class="muted">{words.aboutChoice}</p>
    </Card>
  )
}

/** Makes a recovery phrase: shows it once, as a sheet to print, and asks two of its words back. */
function PhraseDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const made = useSignal<BackupsPhraseAnswer | null>(null)
  const isWritten = useSignal(false)
  const { run, said } = useAction(async () => (made.value = await admin.call('post', '/admin/v1/backups/phrase')))
  // Each asking makes another one.
  useEffect(() => void run(), [])
  if (made.value === null)
    return (
      <Dialog title={words.phraseTitle} onClose={onClose}>
        {said === null ? <p class="wait">{frame.loading}</p> : <Problem error={said} onAgain={() => void run()} />}
      </Dialog>
    )
  if (isWritten.value)
    return <AskBack asked={made.value.asked} onBack={() => (isWritten.value = false)} onClose={onClose} />
  return <Sheet phrase={made.value} onWritten={() => (isWritten.value = true)} onClose={onClose} />
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
        <p class="hint">{words.until(momentWords(phrase.expiresAt))}</p>
      </div>
      <div class="actions">
        <Button says={frame.cancel} onClick={onClose} />
        <Button says={words.print} onClick={() => window.print()} />
        <Button class="main" says={words.written} onClick={onWritten} />
      </div>
    </Dialog>
  )
}

interface AskBackProps {
  readonly asked: readonly number[]
  readonly onBack: () => void
  readonly onClose: () => void
}

function AskBack({ asked, onBack, onClose }: AskBackProps): JSX.Element {
  const { run, busy, said } = useAction(async (form: HTMLFormElement) => {
    const typed = asked.map((place) => textOf(form, `word-${place}`).trim().toLowerCase())
    await admin.call('post', '/admin/v1/backups/phrase/confirm', { body: { words: typed } })
    tell(words.confirmed)
    onClose()
  })
  return (
    <Dialog title={words.phraseTitle} onClose={onClose}>
      <p>{words.askBack}</p>
      <Form verb={words.confirm} busy={busy} onSubmit={run} onCancel={onBack} cancel={words.showAgain}>
        {asked.map((place, at) => (
          <Field
            key={place}
            label={words.wordAt(place)}
            name={`word-${place}`}
            required
            autocomplete="off"
            spellcheck={false}
            said={at === asked.length - 1 ? said : null}
          />
        ))}
      </Form>
    </Dialog>
  )
}
