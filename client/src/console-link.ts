import type { HmError } from './error.ts'

export interface LinkOptions {
  /** Address of the gateway, `https://host:port`. A relay serves no console. */
  readonly gateway: string
  /** Id of the refused integration, if known. */
  readonly integration?: string
  /** Id of the device in question; the id that the integration received is fine. */
  readonly device?: string
}

/**
 * Link into the gateway's console, to the page where an administrator can fix a refusal:
 * `…/console/go/integrations.record?…`. Null if no page can. The page asks its visitor to sign in
 * (docs/console.md#places).
 */
export function consoleLink({ appAction }: Pick<HmError, 'appAction'>, options: LinkOptions): string | null {
  if (appAction === null) return null
  const { gateway, ...named } = options
  const link = new URL(`/console/go/${encodeURIComponent(appAction)}`, gateway)
  link.search = String(new URLSearchParams(named))
  return link.href
}
