import type { HandlersOf } from '../handler.ts'
import type { home } from '../contract/home.ts'
import { credentialLabel } from '../../auth/credentials/credentials.ts'
import type { LiveHome } from '../../home/live/live-home.ts'
import { deviceFilter } from '../house-shape.ts'
import type { HouseJson } from '../house-json.ts'

/** The gateway's certificate authority: PEM, and its SHA-256 in upper-case hex pairs. */
export interface TrustAnchor {
  readonly pem: string
  readonly fingerprint: string
}

export function homeHandlers(parts: {
  houseJson: HouseJson
  live: LiveHome
  gateway: string
  about: string
  ca: () => TrustAnchor
}): HandlersOf<typeof home> {
  return {
    'about.get': () => parts.about,
    'integration.get': ({ identity: { credential, integration }, view }) => ({
      timeZone: view.timeZone,
      currency: view.currency,
      gateway: parts.gateway,
      integration: {
        id: integration.id,
        name: integration.name,
        credential: {
          kind: credential.kind,
          name: credential.name,
          platform: credential.platform,
          label: credentialLabel(credential, integration.name),
        },
        settings: integration.knobs,
        people: integration.people ?? 'none',
        reports: view.reports,
      },
    }),
    'house.get': ({ query, view, refuse }) =>
      parts.houseJson.house(view, deviceFilter(query, view, parts.live, refuse)),
    'state.get': ({ query, view, refuse }) =>
      parts.houseJson.state(view, deviceFilter(query, view, parts.live, refuse)),
    'tls.get': () => {
      const { pem, fingerprint } = parts.ca()
      return { ca: pem, fingerprint }
    },
  }
}
