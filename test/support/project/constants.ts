import * as durations from '../../../src/lib/durations.ts'
import type { ProjectFile } from './source-tree.ts'

/** Constants that any file may import. */
const SHARED: Readonly<Record<string, number>> = durations

/** What one unit is in the unit that a constant's name ends with: milliseconds, seconds or bytes. */
const UNITS: Readonly<
  Record<string, { readonly ms: number } | { readonly bytes: number } | { readonly each: number }>
> = {
  ms: { ms: 1 },
  s: { ms: 1_000 },
  min: { ms: 60_000 },
  h: { ms: 3_600_000 },
  d: { ms: 86_400_000 },
  KiB: { bytes: 1_024 },
  MiB: { bytes: 1_024 ** 2 },
  GiB: { bytes: 1_024 ** 3 },
  '/s': { each: 1 },
  '°C': { each: 1 },
  '': { each: 1 },
}

/**
 * A value as a page writes it (`256 KiB`, `10 min`, `1,000`) in the terms of a constant of that name; NaN for what is
 * no value.
 */
export function writtenValue(text: string, constant: string): number {
  const [, digits = '', unitName = ''] = /^([\d,.]+) ?(\D*)$/.exec(text) ?? []
  const number = Number(digits.replaceAll(',', ''))
  const unit = UNITS[unitName]
  if (digits === '' || unit === undefined) return Number.NaN
  if ('ms' in unit) return constant.includes('_SECONDS') ? (number * unit.ms) / 1_000 : number * unit.ms
  return number * ('bytes' in unit ? unit.bytes : unit.each)
}

/**
 * The number of `NAME` or `NAME.key` as a source declares it: products and powers of numbers, of lengths of time
 * and of the file's own constants; NaN where there is none.
 */
export function declaredValue(file: ProjectFile, constant: string): number {
  const [name = '', key] = constant.split('.')
  const declaration =
    new RegExp(`^(?:export )?const ${name}(?::[^=]+)? = (\\{\\n[^}]+\\}|.+?)(?: as const)?$`, 'm').exec(
      file.text,
    )?.[1] ?? ''
  const expression =
    key === undefined ? declaration : (new RegExp(`\\b${key}: ([\\w .*]+)`).exec(declaration)?.[1] ?? '')
  return product(file, expression)
}

function product(file: ProjectFile, expression: string): number {
  if (expression.trim() === '') return Number.NaN
  return expression
    .replaceAll('**', '^')
    .split('*')
    .reduce((result, factor) => result * power(file, factor.trim()), 1)
}

function power(file: ProjectFile, factor: string): number {
  const [base = '', exponent = '1'] = factor.split('^').map((part) => part.trim())
  const value = /^[\d._]+$/.test(base) ? Number(base.replaceAll('_', '')) : (SHARED[base] ?? declaredValue(file, base))
  return value ** Number(exponent)
}
