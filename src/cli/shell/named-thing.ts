import { CliError } from './terminal.ts'

/** A thing with an id and a name that people gave. */
export interface NamedThing {
  readonly id: string
  readonly name: string
}

/**
 * The id of the thing with this id or, if only one has it, this name in any case. Without either the typed word, which
 * the gateway refuses.
 *
 * @param what kind of thing, as in `2 automations have the name …`
 */
export function idAmong(typed: string, things: readonly NamedThing[], what: string): string {
  if (things.some(({ id }) => id === typed)) return typed
  const named = things.filter(({ name }) => name.toLowerCase() === typed.trim().toLowerCase())
  if (named.length < 2) return named[0]?.id ?? typed
  const ids = named.map(({ id }) => id).join(' or ')
  throw new CliError(`${named.length} ${what}s have the name ${typed}: use an id, ${ids}.`)
}
