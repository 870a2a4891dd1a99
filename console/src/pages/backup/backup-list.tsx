import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Backup, BackupsListAnswer } from '../../lib/admin-contract.ts'
import { Said, useAction } from '../../parts/action.tsx'
import { Button, Card, Chip } from '../../parts/page.tsx'
import { momentWords } from '../../stores/home-time.ts'
import { tell } from '../../stores/notices.ts'
import { proved, refusalOf } from '../../stores/proof.ts'
import { admin, headers, signed } from '../../stores/session.ts'
import { words } from '../../words/backup.ts'
import { bytes } from '../../words/measures.ts'
import { holdsOf, RestoreDialog } from './restore-dialog.tsx'

/** All backups, the newest first. */
export function BackupList({ known: { backups, state } }: { readonly known: BackupsListAnswer }): JSX.Element {
  const restoring = useSignal<Backup | null>(null)
  return (
    <Card title={words.listTitle}>
      {backups.length === 0 && <p class="muted">{words.nothing}</p>}
      {backups.length > 0 && state.phraseSince === null && <p class="hint">{words.downloadNeeds}</p>}
      <ul class="rows backups">
        {backups.map((each) => (
          <BackupRow
            key={each.name}
            backup={each}
            mayLeave={state.phraseSince !== null}
            onRestore={() => (restoring.value = each)}
          />
        ))}
      </ul>
      {restoring.value && <RestoreOf backup={restoring.value} onClose={() => (restoring.value = null)} />}
    </Card>
  )
}

function RestoreOf({ backup: { name, at }, onClose }: { backup: Backup; onClose: () => void }): JSX.Element {
  return (
    <RestoreDialog
      title={words.restoreTitle(momentWords(at))}
      ask={(body) => admin.call('post', '/admin/v1/backups/{name}/restore', { path: { name }, body })}
      onClose={onClose}
    />
  )
}

interface BackupRowProps {
  readonly backup: Backup
  /** Whether there is a phrase to encrypt what leaves the machine. */
  readonly mayLeave: boolean
  readonly onRestore: () => void
}

function BackupRow({ backup, mayLeave, onRestore }: BackupRowProps): JSX.Element {
  const { name, at, why, bytes: size, encrypted, contents, unreadable } = backup
  const when = momentWords(at)
  const take = useAction(() => download(`/admin/v1/backups/${encodeURIComponent(name)}/file`, name))
  const check = useAction(async () => {
    const checked = await admin.call('post', '/admin/v1/backups/{name}/check', { path: { name } })
    tell(words.checkedNow(checked.contents.home))
  })
  const said = take.said ?? check.said
  return (
    <li>
      <span class="grow">
        {when} <span class="muted">{words.why[why]}</span> {encrypted && <Chip>{words.isEncrypted}</Chip>}
        <br />
        <span class="muted">
          {bytes(size)} · {contents === null ? unreadable : holdsOf(contents)}
        </span>
        <Said of={said} />
      </span>
      <Button class="quiet" says={words.check} aria-label={words.checkNamed(when)} does={check} />
      {mayLeave && <Button class="quiet" says={words.download} aria-label={words.downloadNamed(when)} does={take} />}
      <Button class="quiet danger" says={words.restore} aria-label={words.restoreNamed(when)} onClick={onRestore} />
    </li>
  )
}

/** So long the browser may take to begin with a file that was handed to it. */
const HANDED_MS = 60_000

/**
 * Has the browser save a file of the gateway under its name, once the person has shown lately that it is them.
 *
 * @throws Error, the gateway's sentence
 */
async function download(path: string, name: string): Promise<void> {
  const first = await take(path)
  const sentence = first.status === 403 ? await sentenceIn(first) : null
  const answer = sentence !== null && (await proved(signed, sentence)) ? await take(path) : first
  if (!answer.ok) throw new Error(sentence !== null && answer === first ? sentence : await sentenceIn(answer))
  const address = URL.createObjectURL(await answer.blob())
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), HANDED_MS)
}

const take = (path: string): Promise<Response> =>
  fetch(path, { headers: headers(), cache: 'no-store', credentials: 'same-origin', redirect: 'error' })

async function sentenceIn(answer: Response): Promise<string> {
  const { status } = answer
  const text = await answer.text()
  return refusalOf({ status, text })?.message ?? String(status)
}
