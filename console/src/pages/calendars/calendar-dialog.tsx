import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useId } from 'preact/hooks'
import { ErrorLine, Sentence, useAction } from '../../parts/action.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field, Form, NameField, Select, textOf } from '../../parts/form.tsx'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/calendars.ts'

const KINDS = ['url', 'file', 'dates'] as const
type Kind = (typeof KINDS)[number]

/** Adds a calendar; the gateway reads it first. */
export function CalendarDialog({ onAdded, onClose }: { onAdded: () => void; onClose: () => void }): JSX.Element {
  const kind = useSignal<Kind>('url')
  const file = useSignal<File | null>(null)
  const { run, busy, message } = useAction(async (form: HTMLFormElement) => {
    const source =
      kind.value === 'url'
        ? {
            url: textOf(form, 'url')
              .trim()
              .replace(/^webcal:/i, 'https:'),
          }
        : kind.value === 'file'
          ? { file: (await file.value?.text()) ?? '' }
          : { dates: datesIn(textOf(form, 'dates')) }
    await admin.call('post', '/admin/v1/calendars', { body: { name: textOf(form, 'name').trim(), ...source } })
    onAdded()
    onClose()
  })
  return (
    <Dialog title={words.add} onClose={onClose}>
      <Form verb={words.add} busy={busy} onSubmit={run} onCancel={onClose}>
        <NameField hint={words.nameHint} />
        <Select
          label={words.source}
          value={kind.value}
          options={KINDS.map((one) => [one, words.kinds[one]])}
          onChoose={(chosen) => (kind.value = KINDS.find((one) => one === chosen) ?? 'url')}
        />
        {kind.value === 'url' && (
          <Field label={words.address} name="url" autocomplete="off" required hint={words.addressHint} />
        )}
        {kind.value === 'file' && <FileField onChoose={(chosen) => (file.value = chosen)} />}
        {kind.value === 'dates' && <DatesField />}
        <ErrorLine message={message} />
      </Form>
    </Dialog>
  )
}

function FileField({ onChoose }: { readonly onChoose: (file: File | null) => void }): JSX.Element {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{words.file}</label>
      <input
        id={id}
        type="file"
        name="file"
        accept=".ics,text/calendar"
        required
        onChange={({ currentTarget }) => onChoose(currentTarget.files?.[0] ?? null)}
      />
    </div>
  )
}

function DatesField(): JSX.Element {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{words.dates}</label>
      <textarea id={id} name="dates" rows={6} required aria-describedby={`${id}-about`} />
      <p id={`${id}-about`} class="hint">
        <Sentence>{words.datesHint}</Sentence>
      </p>
    </div>
  )
}

/** The dates of a text, one on each line: `2027-03-10 Paper` or `12-24..01-06 Closed`. */
function datesIn(text: string) {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '').map(dateOf)
}

function dateOf(line: string) {
  const [, from, until, title] = /^([\d-]+)(?:\.\.([\d-]+))?(?:\s+(.+))?$/.exec(line) ?? []
  if (from === undefined) throw new Error(words.notADate(line))
  return { from, ...(until !== undefined && { until }), ...(title !== undefined && { title }) }
}
