/** What can go wrong with frames on the line, each as a probability per frame. */
export interface LineFaults {
  /** The frame never arrives. */
  readonly drop: number
  /** One to three of its bytes arrive changed. */
  readonly corrupt: number
  /** It arrives twice. */
  readonly duplicate: number
  /** It is overtaken by the next one. */
  readonly reorder: number
  /** It, and all behind it, arrive late. */
  readonly delay: number
  /** How late, in milliseconds. */
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

/** Which way: `in` from the host to the adapter, `out` from the adapter to the host. */
export type Direction = 'in' | 'out'

export function hasFaults(faults: LineFaults): boolean {
  return faults.drop + faults.corrupt + faults.duplicate + faults.reorder + faults.delay > 0
}
