import type { MadePasskey, PasskeyCreation, PasskeyRequest, ShownPasskey } from '../lib/admin-contract.ts'

/** Whether this browser takes passkeys as JSON; those of before 2025 do not. */
export const takesPasskeys = (): boolean =>
  'PublicKeyCredential' in globalThis && typeof PublicKeyCredential.parseCreationOptionsFromJSON === 'function'

/** Has the browser make a passkey. @throws DOMException where the person gave up */
export async function madePasskey(options: PasskeyCreation): Promise<MadePasskey> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON)
  return asJson(await navigator.credentials.create({ publicKey })) as MadePasskey
}

/** Has the browser show a passkey. @throws DOMException where the person gave up */
export async function shownPasskey(options: PasskeyRequest): Promise<ShownPasskey> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON)
  return asJson(await navigator.credentials.get({ publicKey })) as ShownPasskey
}

/** What a browser answers is a passkey wherever one was asked for; which of both kinds, its caller knows. */
function asJson(answered: Credential | null): MadePasskey | ShownPasskey {
  if (answered instanceof PublicKeyCredential) return answered.toJSON()
  throw new DOMException('There is none.', 'NotAllowedError')
}
