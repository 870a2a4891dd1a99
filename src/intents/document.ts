import { MODEL_LETTERS } from '../home/model/device.ts'
import { INTENTS, shapeOf } from './index.ts'
import { contextsOf, type Intent } from './catalogue/intent.ts'
import type { Json, Shape } from './coding/coding.ts'

function scopeText(intent: Intent): string {
  const scopes = new Set(
    contextsOf(intent).map(
      ({ scope, gangClass }) =>
        ({ unit: 'unit', module: 'module', gang: gangClass === 'switch_gang' ? 'switch gang' : 'shutter gang' })[scope],
    ),
  )
  return [...scopes].join(', ')
}

/** The keywords that the catalogue's shapes use. */
interface Keywords {
  readonly type?: string
  readonly const?: Json
  readonly enum?: readonly Json[]
  readonly minimum?: number
  readonly maximum?: number
  readonly anyOf?: readonly Shape[]
  readonly properties?: Readonly<Record<string, Shape>>
}

const code = (value: Json): string => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

/** A shape in a few words: its type, limits and words. */
function shapeText(shape: Shape): string {
  const words: Keywords = shape
  if (words.anyOf) return words.anyOf.map(shapeText).join(' or ')
  if (words.const !== undefined) return code(words.const)
  if (words.enum) return words.enum.map(code).join(', ')
  if (words.properties)
    return `{${Object.entries(words.properties)
      .map(([name, field]) => `${name}: ${shapeText(field)}`)
      .join(', ')}}`
  return words.minimum === undefined ? (words.type ?? '') : `${words.type} ${words.minimum}-${words.maximum}`
}

/** The table of docs/intents.md, one line for each intent. */
export function intentTable(): string {
  const lines = INTENTS.map(
    (intent) =>
      `| \`${intent.id}\` | ${intent.access} | ${intent.models.map((model) => MODEL_LETTERS[model]).join('')} | ${scopeText(intent)} | ${shapeText(shapeOf(intent))} |`,
  )
  return ['| Intent | Access | Models | Level | Value |', '|---|---|---|---|---|', ...lines].join('\n')
}
