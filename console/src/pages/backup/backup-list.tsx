import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Backup, BackupsListAnswer } from '../../lib/admin-contract.ts'
import { ErrorLine, useAction } from '../../parts/action.tsx'
import { Button, Card, Chip } from '../../parts/page.tsx'
import { momentWords } from '../../stores/home-time.ts'
import { showNotice } from '../../stores/page-notices.ts'
import { errorIn, requestProof } from '../../stores/proof.ts'
import { admin, sessionHeaders, sessionTransport } from '../../stores/session.ts'
import { words } from '../../words/backup.ts'
import { bytes } from '../../words/measures.ts'
import { contentsWords, RestoreDialog } from './restore-dialog.tsx'

/** All backups, the newest first. */
export function BackupList({ list: { backups, state } }: { readonly list: BackupsListAnswer }): JSX.Element {
  const restoring = useSignal<Backup | null>(null)
  return (
    <Card title={words.listTitle}>
      {backups.length === 0 && <p class="muted">{words.nothing}</p>}
      {backups.length > 0 && state.phraseSince === null && <p class="hint">{words.downloadNeeds}</p>}
      <ul class="rows backups">
        {backups.map((backup) => (
          <BackupRow
            key={backup.name}
            backup={backup}
            canDownload={state.phraseSince !== null}
            onRestore={() => (restoring.value = backup)}
          />
        ))}
      </ul>
      {restoring.value && <StoredRestore backup={restoring.value} onClose={() => (restoring.value = null)} />}
    </Card>
  )
}

function StoredRestore({ backup: { name, at }, onClose }: { backup: Backup; onClose: () => void }): JSX.Element {
  return (
    <RestoreDialog
      title={words.restoreTitle(momentWords(at))}
      send={(body) => admin.call('post', '/admin/v1/backups/{name}/restore', { path: { name }, body })}
      onClose={onClose}
    />
  )
}

interface BackupRowProps {
  readonly backup: Backup
  /** True if there is a recovery phrase; downloads are always encrypted. */
  readonly canDownload: boolean
  readonly onRestore: () => void
}

function BackupRow({ backup, canDownload, onRestore }: BackupRowProps): JSX.Element {
  const { name, at, why, bytes: size, encrypted, contents, unreadable } = backup
  const when = momentWords(at)
  const save = useAction(() => download(`/admin/v1/backups/${encodeURIComponent(name)}/file`, name))
  const check = useAction(async () => {
    const checked = await admin.call('post', '/admin/v1/backups/{name}/check', { path: { name } })
    showNotice(words.checkedNow(checked.contents.home))
  })
  const message = save.message ?? check.message
  return (
    <li>
      <span class="grow">
        {when} <span class="muted">{words.why[why]}</span> {encrypted && <Chip>{words.isEncrypted}</Chip>}
        <br />
        <span class="muted">
          {bytes(size)} · {contents === null ? unreadable : contentsWords(contents)}
        </span>
        <ErrorLine message={message} />
      </span>
      <Button class="quiet" label={words.check} aria-label={words.checkNamed(when)} action={check} />
      {canDownload && (
        <Button class="quiet" label={words.download} aria-label={words.downloadNamed(when)} action={save} />
      )}
      <Button class="quiet danger" label={words.restore} aria-label={words.restoreNamed(when)} onClick={onRestore} />
    </li>
  )
}

/** Time for the browser to start saving the file. */
const SAVE_MS = 60_000

/**
 * Saves a file of the gateway through the browser. Asks for a fresh proof if the gateway requires one.
 *
 * @throws Error with the gateway's message
 */
async function download(path: string, name: string): Promise<void> {
  const first = await fetchFile(path)
  const reason = first.status === 403 ? await messageIn(first) : null
  const answer = reason !== null && (await requestProof(sessionTransport, reason)) ? await fetchFile(path) : first
  if (!answer.ok) throw new Error(reason !== null && answer === first ? reason : await messageIn(answer))
  const address = URL.createObjectURL(await answer.blob())
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), SAVE_MS)
}

const fetchFile = (path: string): Promise<Response> =>
  fetch(path, { headers: sessionHeaders(), cache: 'no-store', credentials: 'same-origin', redirect: 'error' })

async function messageIn(answer: Response): Promise<string> {
  const { status } = answer
  const text = await answer.text()
  return errorIn({ status, text })?.message ?? String(status)
}
