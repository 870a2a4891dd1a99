import type { HmError } from './error.ts'

export interface LinkOptions {
  /** The address of the gateway, `https://host:port`; through a relay it has no console. */
  readonly gateway: string
  /** The id of the integration that was refused, where it is known. */
  readonly integration?: string
  /** The id of the device that it was about; of an integration too, as far as it was given it. */
  readonly device?: string
}

/**
 * Where an administrator mends a refusal, as a link into the gateway's console: `…/console/go/integrations.record?…`;
 * null where nobody can. Only a person who is signed in there comes further than its door (docs/console.md#places).
 */
export function consoleLink({ appAction }: Pick<HmError, 'appAction'>, options: LinkOptions): string | null {
  if (appAction === null) return null
  const { gateway, ...named } = options
  const link = new URL(`/console/go/${encodeURIComponent(appAction)}`, gateway)
  link.search = String(new URLSearchParams(named))
  return link.href
}
