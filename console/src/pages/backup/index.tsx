import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import type { BackupsListAnswer } from '../../lib/admin-contract.ts'
import { useAction } from '../../parts/action.ts'
import { Age } from '../../parts/age.tsx'
import { Card, Fact } from '../../parts/card.tsx'
import { Chip } from '../../parts/chip.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Said } from '../../parts/said.tsx'
import { Switch } from '../../parts/switch.tsx'
import { homeTime, momentWords } from '../../stores/home-time.ts'
import { tell } from '../../stores/notices.ts'
import { status } from '../../stores/pushed.ts'
import { useReading } from '../../stores/reading.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/backup.ts'
import { words as system } from '../../words/system.ts'
import { bytes } from '../../words/measures.ts'
import { BackupList } from './backup-list.tsx'
import { BringDialog } from './bring-dialog.tsx'
import { PhraseDialog } from './phrase-dialog.tsx'

/** The backups of the home: the last and the next, how they are made, and all that there are. */
export function BackupPart(): JSX.Element {
  const now = status.value?.backup
  const read = () => admin.call('get', '/admin/v1/backups')
  const { value, error, again } = useReading(read, now?.last?.name, now?.working, now?.phraseSince, now?.error?.at)
  if (value === null)
    return error === null ? <p class="wait">{system.reading}</p> : <Problem error={error} onAgain={again} />
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
    <Card title={words.lastTitle} beside={last && error === null && <Checked />}>
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
        <button type="button" class="main" aria-disabled={busy || working} onClick={() => void (working || run())}>
          {words.now}
        </button>
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
        <button type="button" class="quiet danger" onClick={() => (isOpen.value = true)}>
          {words.fromFile}
        </button>
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

const Checked = (): JSX.Element => (
  <Chip tone="ok" icon="check">
    {words.checked}
  </Chip>
)

function Phrase({ known: { state }, onDone }: PartProps): JSX.Element {
  const isMaking = useSignal(false)
  const { phraseSince } = state
  return (
    <Card title={words.phraseTitle}>
      <p>{phraseSince === null ? words.noPhrase : words.phraseSince(momentWords(phraseSince))}</p>
      {phraseSince !== null && <p class="muted">{words.anotherIsFor}</p>}
      <div class="actions">
        <button type="button" class={phraseSince === null ? 'main' : ''} onClick={() => (isMaking.value = true)}>
          {phraseSince === null ? words.makePhrase : words.makeAnother}
        </button>
      </div>
      {isMaking.value && (
        <PhraseDialog
          onClose={() => {
            isMaking.value = false
            onDone()
          }}
        />
      )}
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
