import { CliError } from './cli-error.ts'

/** What an option says that takes `on` or `off`; undefined where it was left out. */
export function onOff(text: string | undefined, option: string): boolean | undefined {
  if (text === undefined || text === 'on' || text === 'off') return text === undefined ? undefined : text === 'on'
  throw new CliError(`${option} is "${text}": it is on or off.`)
}
