import { posix } from 'node:path'
import * as durations from '../src/lib/durations.ts'

interface Source {
  readonly path: string
  readonly text: string
}

/** Constants that all files may import. */
const SHARED: Readonly<Record<string, number>> = durations

const TIMES: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
  ['ms', 1],
]
const SIZES: readonly (readonly [string, number])[] = [
  ['GiB', 1_024 ** 3],
  ['MiB', 1_024 ** 2],
  ['KiB', 1_024],
  ['bytes', 1],
]

/** Uses the largest unit with a short number: 90 s stays 90 s, 120 s becomes 2 min. */
function inUnits(value: number, units: readonly (readonly [string, number])[]): string {
  const [unit, size] = units.find(([, factor]) => value % factor === 0) ?? ['', 1]
  return `${(value / size).toLocaleString('en')} ${unit}`
}

/** Formats a value in the unit at the end of its constant's name. */
function written(constant: string, value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  const unit = /_(MS|S|SECONDS|MINUTES|DAYS|BYTES)(?:_|$)/.exec(constant)?.[1]
  if (unit === 'MS') return inUnits(value, TIMES)
  if (unit === 'SECONDS' || unit === 'S') return inUnits(value * 1_000, TIMES)
  if (unit === 'MINUTES') return inUnits(value * 60_000, TIMES)
  if (unit === 'BYTES') return inUnits(value, SIZES)
  return unit === 'DAYS' ? `${value} d` : value.toLocaleString('en')
}

/**
 * The number of `NAME` or `NAME.key` in a source, or NaN. It evaluates products and powers of numbers, durations and
 * the file's own constants.
 */
function declaredValue(file: Source, constant: string): number {
  const [name = '', key] = constant.split('.')
  const declaration =
    new RegExp(`^(?:export )?const ${name}(?::[^=]+)? = (\\{\\n[^}]+\\}|.+?)(?: as const)?$`, 'm').exec(
      file.text,
    )?.[1] ?? ''
  const expression =
    key === undefined ? declaration : (new RegExp(`\\b${key}: ([\\w .*]+)`).exec(declaration)?.[1] ?? '')
  return product(file, expression)
}

function product(file: Source, expression: string): number {
  if (expression.trim() === '') return Number.NaN
  return expression
    .replaceAll('**', '^')
    .split('*')
    .reduce((result, factor) => result * power(file, factor.trim()), 1)
}

function power(file: Source, factor: string): number {
  const [base = '', exponent = '1'] = factor.split('^').map((part) => part.trim())
  const value = /^[\d._]+$/.test(base) ? Number(base.replaceAll('_', '')) : (SHARED[base] ?? declaredValue(file, base))
  return value ** Number(exponent)
}

/** The page of limits. Its author writes words and constants; values and files come from the code. */
export const LIMITS_PAGE = 'docs/limits.md'

/** Formats of special keys. Other values use the unit in the constant's name. */
const KEYS: Readonly<Record<string, (value: string) => string>> = {
  perSecond: (value) => `${value}/s`,
  burst: (value) => `${value} at once`,
  minute: (value) => `${value}/min`,
  hour: (value) => `${value}/h`,
  perCredential: (value) => `${value} per credential`,
  perAddress: (value) => `${value} per address`,
}

const isSource = ({ path }: Source): boolean =>
  /^(?:src|relay|client)\/.*\.tsx?$/.test(path) && !path.includes('.test.')

/** The default rate of a credential, which is a setting. */
const RATE = /^ +HM_RATE_LIMIT: '(\d+)\/(\d+)',$/m

/** Number of leading folders that two paths share. */
function sharedFolders(one: string, other: string): number {
  const [folders, others] = [posix.dirname(one).split('/'), posix.dirname(other).split('/')]
  const differs = folders.findIndex((folder, index) => folder !== others[index])
  return differs < 0 ? folders.length : differs
}

/** The file that declares a constant: the linked one, the only one, or the only one nearest to the linked one. */
function fileOf(files: readonly Source[], name: string, link = ''): Source {
  const declaration = name === 'HM_RATE_LIMIT' ? RATE : new RegExp(`^(?:export )?const ${name}\\b`, 'm')
  const found = files.filter((file) => isSource(file) && declaration.test(file.text))
  const place = posix.join('docs', link)
  const linked = found.find(({ path }) => path === place)
  if (linked) return linked
  const shared = found.map(({ path }) => (found.length === 1 ? 2 : sharedFolders(path, place)))
  const nearest = found.filter((_, index) => shared[index] === Math.max(2, ...shared))
  const [only, ...more] = nearest
  if (only !== undefined && more.length === 0) return only
  throw new Error(`${LIMITS_PAGE}: ${name} is declared in ${found.map(({ path }) => path).join(', ') || 'no file'}`)
}

function defaultRate(file: Source): string {
  const [, perSecond, burst] = RATE.exec(file.text) ?? []
  return `${perSecond}/s, ${burst} at once`
}

function valueOf(file: Source, constant: string): string {
  if (constant === 'HM_RATE_LIMIT') return defaultRate(file)
  const [name = '', keys] = constant.split('.')
  if (keys === undefined) return written(name, declaredValue(file, name))
  const parts = keys.split('/').map((key) => {
    const text = written(name, declaredValue(file, `${name}.${key}`))
    return KEYS[key]?.(text) ?? text
  })
  return parts.join(', ')
}

/** A row: words, and the value as its author writes it (`NAME`) or as a link to the constant, and the consequence. */
const ROW = /^\| ([^|]+) \| (?:`([\w./]+)`|\[[^\]]*\]\(([^)#]+)#([\w./]+)\)) \| ([^|]*?) ?\|$/

function row(files: readonly Source[], line: string): string {
  const [, words, written, link, linked, beyond = ''] = ROW.exec(line) ?? []
  const constant = written ?? linked
  if (words === undefined || constant === undefined)
    throw new Error(`${LIMITS_PAGE} has a row that cannot be read: ${line}`)
  const [name = ''] = constant.split('.')
  const file = fileOf(files, name, link)
  const value = valueOf(file, constant)
  if (value.includes('NaN')) throw new Error(`${file.path} declares no number ${constant}`)
  const cells = [words, `[${value}](${posix.relative('docs', file.path)}#${constant})`, beyond]
  return `| ${cells.join(' | ')} |`
}

/** The page with the current values and files. */
export function limitsPage(page: string, files: readonly Source[]): string {
  const lines = page.split('\n')
  return lines
    .map((line, index) => {
      const isRow = line.startsWith('|') && !line.startsWith('|---') && !lines[index + 1]?.startsWith('|---')
      return isRow ? row(files, line) : line
    })
    .join('\n')
}
