import type { Answer } from './commands.ts'
import { energyWords } from '../../home/words/energy.ts'
import { knobsOff, leaveEnded, table } from '../shell/terminal.ts'

type Import = Answer<'house.import'>
type Preview = Answer<'integrations.preview'>

const LEAVING_WORDS =
  'Their energy and activity stay for integrations that show everything, as a part that is no longer in the house. Their readings and detections become hidden, and to other integrations all of it.'

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
  const consequences = `${knobsOff(preview, GOES_OFF)}${leaveEnded(preview, true)}`.trimStart()
  if (parts.length === 0 && consequences === '') return 'Nothing was changed, and this change would change nothing.'
  return [
    'Nothing was changed. This is what the change would do.',
    ...parts,
    ...(consequences === '' ? [] : [consequences]),
  ].join('\n')
}

/** What an import would add, change and remove, and what integrations would show or lose by it. */
export function importPreviewLines({ differences = [], integrations = [], leaving = [] }: Import): readonly string[] {
  if (differences.length === 0) return ['It says what the home is already: importing it would change nothing.']
  const of = (wanted: (typeof differences)[number]['change']): string[][] =>
    differences
      .filter(({ change }) => change === wanted)
      .map(({ kind, id, name, fields }) => [kind, id, name, fields.join(', ')])
  return [
    ...rows('Added', of('added')),
    ...rows('Changed', of('changed')),
    ...rows('Removed', of('removed')),
    ...integrations.flatMap(({ name, appears, disappears }) => [
      ...shown(`Appears for ${name}`, appears),
      ...shown(`Disappears for ${name}`, disappears),
    ]),
    ...rows(
      'Leaves with a past',
      leaving.map(({ id, name, energy }) => [id, name, energyWords(energy * 1_000)]),
    ),
    ...(leaving.length === 0 ? [] : [LEAVING_WORDS]),
  ]
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
