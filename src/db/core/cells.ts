import { GANG_CLASSES, OTHER_MODELS, SWITCH_MODELS, UNIT_CLASSES } from '../../home/model/device.ts'
import type { RuleKind } from '../../home/rules/model.ts'
import { FORMS } from './forms.ts'

/** What the domain takes of what core.db holds; each is given what was stored, parsed where it is JSON. */
export interface CellForms {
  readonly sceneSteps: (value: unknown) => boolean
  readonly runSteps: (value: unknown) => boolean
  readonly definition: (kind: RuleKind, value: unknown) => boolean
  readonly tariff: (value: unknown) => boolean
  readonly timeZone: (value: unknown) => boolean
}

type Row = Readonly<Record<string, unknown>>

/** A column whose content a reader relies on, and what becomes of a row in which it is damaged. */
export interface Cell {
  readonly table: string
  readonly key: readonly string[]
  readonly column: string
  /** Other text than JSON. */
  readonly plain?: true
  readonly sound: (value: unknown, row: Row, forms: CellForms) => boolean
  /** What is taken from the newest copy in which the cell is sound, as assignments; none where a copy is no help. */
  readonly mended: readonly string[]
  /** Where no copy helps: the row is `removed`, or these assignments are made. */
  readonly otherwise: string
  /** What is told of the row, and what became of it where no copy helped. */
  readonly words: readonly [what: string, otherwise: string]
}

const BY_ID = ['id']
const TAKEN_OUT = 'it was taken out'
const AUTHOR = ['author_integration = @author_integration', 'author_link = @author_link']
const NO_LEAVE = `knobs = json_set(@knobs, '$.allow_unlock', 'off')`

const fits =
  (form: { safeParse(value: unknown): { readonly success: boolean } }) =>
  (value: unknown): boolean =>
    form.safeParse(value).success
const oneOf =
  (words: readonly string[]) =>
  (value: unknown): boolean =>
    words.some((word) => word === value)
const within =
  (most: number) =>
  (value: unknown): boolean =>
    typeof value === 'number' && Math.abs(value) <= most

/** A run says nothing that an older copy could: a step that it had not made yet would be made twice. */
const run = (column: string, sound: Cell['sound']): Cell => ({
  table: 'rule_runs',
  key: BY_ID,
  column,
  sound,
  mended: [],
  otherwise: 'removed',
  words: ['run', 'it ended'],
})

const place = (table: string, column: string, sound: Cell['sound'], otherwise: string, key = BY_ID): Cell => ({
  table,
  key,
  column,
  plain: true,
  sound,
  mended: [`${column} = @${column}`],
  otherwise,
  words: [table.replace(/s$/, ''), otherwise === 'removed' ? TAKEN_OUT : 'it was set to what holds where nobody says'],
})

/**
 * Every cell of core.db whose content is more than a text or number by itself. A cell may be empty where its column
 * allows that.
 */
export const CELLS: readonly Cell[] = [
  place('home', 'time_zone', (value, _row, forms) => forms.timeZone(value), `time_zone = 'UTC'`, ['one']),
  place('home', 'latitude', within(90), 'latitude = NULL', ['one']),
  place('home', 'longitude', within(180), 'longitude = NULL', ['one']),
  place('units', 'class', oneOf(UNIT_CLASSES), 'removed'),
  place('units', 'model', oneOf([...SWITCH_MODELS, ...OTHER_MODELS]), 'model = NULL'),
  place('gangs', 'class', oneOf(GANG_CLASSES), 'removed', ['unit', 'gang']),
  {
    table: 'scenes',
    key: BY_ID,
    column: 'steps',
    sound: (value, _row, forms) => forms.sceneSteps(value),
    mended: ['steps = @steps', ...AUTHOR],
    otherwise: 'removed',
    words: ['scene', TAKEN_OUT],
  },
  {
    table: 'scenes',
    key: BY_ID,
    column: 'edits',
    sound: fits(FORMS.edits),
    mended: [],
    otherwise: `edits = json_array(json_object('devices', NULL, 'count', max(1, revision)))`,
    words: ['scene', 'each of its edits counts for everybody'],
  },
  {
    table: 'integrations',
    key: BY_ID,
    column: 'knobs',
    sound: fits(FORMS.knobs),
    // A leave that was taken back after the copy must not come back with it.
    mended: [NO_LEAVE],
    otherwise: `knobs = '{}', enabled = 0`,
    words: ['integration', 'it was disabled, and its knobs are those of a new one'],
  },
  {
    table: 'rules',
    key: ['kind', 'id'],
    column: 'definition',
    sound: (value, { kind }, forms) => forms.definition(kind === 'schedule' ? 'schedule' : 'automation', value),
    mended: ['definition = @definition', ...AUTHOR],
    otherwise: 'removed',
    words: ['rule', TAKEN_OUT],
  },
  run('steps', (value, _row, forms) => forms.runSteps(value)),
  run('cause', fits(FORMS.cause)),
  run('principals', fits(FORMS.principals)),
  run('failures', fits(FORMS.failures)),
  {
    table: 'tariff',
    key: ['one'],
    column: 'content',
    sound: (value, _row, forms) => forms.tariff(value),
    mended: ['content = @content'],
    otherwise: 'removed',
    words: ['tariff', `${TAKEN_OUT}, and costs are unknown`],
  },
  {
    table: 'agent_requests',
    key: ['request'],
    column: 'suggested',
    sound: fits(FORMS.scope),
    mended: [],
    otherwise: 'suggested = NULL',
    words: ['request of an agent', 'what the agent would like is not known any more'],
  },
  {
    table: 'agent_requests',
    key: ['request'],
    column: 'decided_by',
    sound: fits(FORMS.cause),
    mended: [],
    otherwise: 'removed',
    words: ['request of an agent', 'the agent has to ask again'],
  },
  {
    table: 'confirmations',
    key: BY_ID,
    column: 'decided_by',
    sound: fits(FORMS.cause),
    mended: [],
    otherwise: 'removed',
    words: ['confirmation', 'the agent has to ask again'],
  },
  {
    table: 'activity_outbox',
    key: BY_ID,
    column: 'draft',
    sound: fits(FORMS.draft),
    mended: [],
    otherwise: 'removed',
    words: ['activity entry', TAKEN_OUT],
  },
  {
    table: 'idempotency_keys',
    key: ['link', 'key'],
    column: 'headers',
    sound: fits(FORMS.headers),
    mended: [],
    // The write was made; sent again it must not be made once more.
    otherwise: 'status = NULL, headers = NULL, body = NULL',
    words: ['answer to a write', 'its outcome is unknown to whoever sends it again'],
  },
]
