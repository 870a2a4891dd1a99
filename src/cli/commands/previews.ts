import type { CallAnswer } from './command-group.ts'
import { energyWords } from '../../home/words/energy.ts'
import { knobsOff, lostPermissionLines, table } from '../shell/terminal.ts'

type Import = CallAnswer<'house.import'>
type Preview = CallAnswer<'integrations.preview'>

const LEAVING_WORDS =
  'Integrations that expose everything still see their energy and activity. Their readings and detections become hidden. Other integrations no longer see anything of them.'

const GOES_OFF = 'Would be turned off'

/** Kinds of the response in words. */
const KINDS: Partial<Record<Preview['appears'][number]['kind'], string>> = { whole_module: 'whole module' }

/** Preview of a change of an integration in words. */
export function previewText(preview: Preview): string {
  const parts = [
    ...thingRows('Appears', preview.appears),
    ...thingRows('Disappears', preview.disappears),
    ...rows(
      'Changes',
      preview.changes.map(({ what, from, to, means }) => [what, `${from} -> ${to}`, means]),
    ),
    ...rows(
      'Credentials',
      preview.credentials.map(({ label, link, from, to }) => [label, link, `${from} -> ${to}`]),
    ),
  ]
  const consequences = `${knobsOff(preview, GOES_OFF)}${lostPermissionLines(preview, true)}`.trimStart()
  if (parts.length === 0 && consequences === '') return 'No change was made; this change would have no effect.'
  return ['No change was made. Effect of this change:', ...parts, ...(consequences === '' ? [] : [consequences])].join(
    '\n',
  )
}

/** Preview of an import in words: its changes, and their effect on integrations. */
export function importPreviewLines({ differences = [], integrations = [], leaving = [] }: Import): readonly string[] {
  if (differences.length === 0) return ['It equals the present home: an import would change nothing.']
  const of = (type: (typeof differences)[number]['change']): string[][] =>
    differences
      .filter(({ change }) => change === type)
      .map(({ kind, id, name, fields }) => [kind, id, name, fields.join(', ')])
  return [
    ...rows('Added', of('added')),
    ...rows('Changed', of('changed')),
    ...rows('Removed', of('removed')),
    ...integrations.flatMap(({ name, appears, disappears }) => [
      ...thingRows(`Appears for ${name}`, appears),
      ...thingRows(`Disappears for ${name}`, disappears),
    ]),
    ...rows(
      'Removed with recorded energy',
      leaving.map(({ id, name, energy }) => [id, name, energyWords(energy * 1_000)]),
    ),
    ...(leaving.length === 0 ? [] : [LEAVING_WORDS]),
  ]
}

function thingRows(title: string, things: Preview['appears']): readonly string[] {
  return rows(
    title,
    things.map(({ kind, id, name }) => [KINDS[kind] ?? kind, id, name]),
  )
}

/** A title with its rows; empty without rows. */
function rows(title: string, cells: readonly (readonly string[])[]): readonly string[] {
  const [first = []] = cells
  if (first.length === 0) return []
  const lines = table(
    first.map(() => ''),
    cells,
  ).split('\n')
  return [title, ...lines.slice(1).map((line) => `  ${line}`)]
}
