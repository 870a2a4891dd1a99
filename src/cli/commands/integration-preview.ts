import type { AdminContract } from '../../api/admin/contract/index.ts'
import type { AnswerOf } from '../../api/client.ts'
import { knobsOff, switchedOff, table } from '../print.ts'

type Preview = AnswerOf<AdminContract['integrations.preview']>

const GOES_OFF = 'Would be switched off'

/** A word of the answer as people read it. */
const KINDS: Partial<Record<Preview['appears'][number]['kind'], string>> = { whole_module: 'whole module' }

/** What a change of an integration would do, for a person. */
export function previewText(preview: Preview): string {
  const parts = [
    ...shown('Appears', preview.appears),
    ...shown('Disappears', preview.disappears),
    ...rows(
      'Changes',
      preview.changes.map(({ what, from, to, means }) => [what, `${from} -> ${to}`, means]),
    ),
    ...rows(
      'Credentials',
      preview.credentials.map(({ label, link, from, to }) => [label, link, `${from} -> ${to}`]),
    ),
  ]
  const consequences = `${knobsOff(preview, GOES_OFF)}${switchedOff(preview, GOES_OFF)}`.trimStart()
  if (parts.length === 0 && consequences === '') return 'Nothing was changed, and this change would change nothing.'
  return [
    'Nothing was changed. This is what the change would do.',
    ...parts,
    ...(consequences === '' ? [] : [consequences]),
  ].join('\n')
}

function shown(title: string, things: Preview['appears']): readonly string[] {
  return rows(
    title,
    things.map(({ kind, id, name }) => [KINDS[kind] ?? kind, id, name]),
  )
}

/** A title and its rows below it; nothing where there are none. */
function rows(title: string, cells: readonly (readonly string[])[]): readonly string[] {
  const [first = []] = cells
  if (first.length === 0) return []
  const lines = table(
    first.map(() => ''),
    cells,
  ).split('\n')
  return [title, ...lines.slice(1).map((line) => `  ${line}`)]
}
