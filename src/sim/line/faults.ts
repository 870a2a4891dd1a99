/** Faults of frames on the line, each as a probability per frame. */
export interface LineFaults {
  /** The frame never arrives. */
  readonly drop: number
  /** One to three of its bytes arrive changed. */
  readonly corrupt: number
  /** It arrives twice. */
  readonly duplicate: number
  /** The next frame overtakes it. */
  readonly reorder: number
  /** It arrives late, with all later frames. */
  readonly delay: number
  /** Delay in milliseconds. */
  readonly delayMs: readonly [least: number, most: number]
  /** Random bytes a second between the frames. */
  readonly noise: number
}

export const NO_FAULTS: LineFaults = {
  drop: 0,
  corrupt: 0,
  duplicate: 0,
  reorder: 0,
  delay: 0,
  delayMs: [20, 200],
  noise: 0,
}

/** Direction: `in` from the host to the adapter, `out` from the adapter to the host. */
export type Direction = 'in' | 'out'

export function hasFaults(faults: LineFaults): boolean {
  return faults.drop + faults.corrupt + faults.duplicate + faults.reorder + faults.delay > 0
}

const PROBABILITIES = ['drop', 'corrupt', 'duplicate', 'reorder'] as const

/**
 * Parses faults from options and the console: `drop=0.05,corrupt=0.02,delay=0.3:20-200,noise=50`. @throws RangeError
 * with the reason
 */
export function parseFaults(text: string): Partial<LineFaults> {
  const faults: { -readonly [fault in keyof LineFaults]?: LineFaults[fault] } = {}
  for (const part of text.split(',').map((part) => part.trim()))
    if (part !== '') Object.assign(faults, parseFault(part))
  return faults
}

function parseFault(part: string): Partial<LineFaults> {
  const [name = '', value = ''] = part.split('=')
  const known = PROBABILITIES.find((probability) => probability === name)
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
