import type { LineFaults } from './line/faults.ts'

const PROBABILITIES = ['drop', 'corrupt', 'duplicate', 'reorder'] as const

/**
 * Reads faults as they are written in options and on the console: `drop=0.05,corrupt=0.02,delay=0.3:20-200,noise=50`.
 * Throws a RangeError whose message says what is wrong.
 */
export function parseFaults(text: string): Partial<LineFaults> {
  const faults: { -readonly [fault in keyof LineFaults]?: LineFaults[fault] } = {}
  for (const part of text.split(',').map((each) => each.trim()))
    if (part !== '') Object.assign(faults, parseFault(part))
  return faults
}

function parseFault(part: string): Partial<LineFaults> {
  const [name = '', value = ''] = part.split('=')
  const known = PROBABILITIES.find((each) => each === name)
  if (known !== undefined) return { [known]: probability(name, value) }
  if (name === 'noise') return { noise: number(name, value, 0, 100_000) }
  if (name !== 'delay')
    throw new RangeError(`There is no fault ${name}: there are drop, corrupt, duplicate, reorder, delay and noise.`)
  const [share = '', range] = value.split(':')
  if (range === undefined) return { delay: probability(name, share) }
  const [least = '', most = least] = range.split('-')
  return { delay: probability(name, share), delayMs: [number(name, least, 0, 60_000), number(name, most, 0, 60_000)] }
}

const probability = (name: string, text: string): number => number(name, text, 0, 1)

function number(name: string, text: string, low: number, high: number): number {
  const value = Number(text)
  if (text === '' || !Number.isFinite(value) || value < low || value > high)
    throw new RangeError(`${name} takes a number from ${low} to ${high}, not "${text}".`)
  return value
}
