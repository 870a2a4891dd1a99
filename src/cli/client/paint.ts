import { styleText } from 'node:util'

/** Colours where standard output is a terminal that wants them (NO_COLOR, FORCE_COLOR); plain text elsewhere. */
const style = (format: Parameters<typeof styleText>[0], text: string): string =>
  styleText(format, text, { stream: process.stdout })

/** What is lit or on. */
export const lit = (text: string): string => style('yellow', text)
/** What is beside the point: times, rooms. */
export const faint = (text: string): string => style('dim', text)
/** What does not answer, or is broken. */
export const broken = (text: string): string => style('red', text)
/** What is as it should be. */
export const sound = (text: string): string => style('green', text)
