import { signal } from '@preact/signals'
import { Caller, type HttpAnswer, type Transport } from '@hm-gateway/client/src/browser.ts'
import type {
  AdminPaths,
  MadePasskey,
  PasskeyCreation,
  PasskeyRequest,
  SessionProveBody,
  SessionShowAnswer,
  ShownPasskey,
} from '../lib/admin-contract.ts'

const CHALLENGE = '/admin/v1/session/challenge'
const PROOF = '/admin/v1/session/proof'
/** A 401 of these paths means a wrong password or PIN, or an unknown passkey; the session continues. */
export const PROOF_PATHS: readonly string[] = [CHALLENGE, PROOF]

/** A change that waits for a password, passkey or PIN. */
export interface ProofRequest {
  /** Reason from the gateway. */
  readonly reason: string
  /** Kinds of proof that the person has. */
  readonly proofs: SessionShowAnswer['proofs']
  /** Sends the password. @throws Error with the gateway's message if it is wrong */
  readonly givePassword: (password: string) => Promise<void>
  /** True on a wall tablet, whose only proof is its PIN. */
  readonly isTablet: boolean
  /** Sends the PIN. @throws HmError if it is wrong, or rests for `retryAfter` seconds */
  readonly givePin: (pin: string) => Promise<void>
  /** Asks the browser for a passkey. @throws Error if the person cancels or the gateway refuses it */
  readonly givePasskey: () => Promise<void>
  readonly cancel: () => void
}

/** The open request; every page shows its dialog. */
export const proofRequest = signal<ProofRequest | null>(null)

/**
 * Wraps a transport: asks for a proof when a request gets 403 `sign_in_again`, then sends the request again. Without a
 * proof the caller gets the 403.
 *
 * @param session transport for the proof itself
 */
export function withProof(transport: Transport, session = transport): Transport {
  return {
    ...transport,
    request: async (request) => {
      const answer = await transport.request(request)
      const error = errorIn(answer)
      if (error?.code !== 'sign_in_again') return answer
      return (await requestProof(session, error.message)) ? transport.request(request) : answer
    },
  }
}

/** Asks for a password, passkey or PIN again. Resolves false if the person cancels or has none. */
export async function requestProof(transport: Transport, reason: string): Promise<boolean> {
  const session = new Caller<AdminPaths>(transport)
  const { proofs, role } = await session.call('get', '/admin/v1/session')
  const isTablet = role === 'tablet'
  if (!isTablet && !proofs.password && !proofs.passkey) return false
  return new Promise((resolve) => {
    const end = (isProven: boolean): void => {
      if (proofRequest.peek() === opened) proofRequest.value = null
      resolve(isProven)
    }
    const prove = async (body: SessionProveBody): Promise<void> => {
      await session.call('post', PROOF, { body })
      end(true)
    }
    const opened: ProofRequest = {
      reason,
      proofs,
      isTablet,
      cancel: () => end(false),
      givePassword: (password) => prove({ password }),
      givePin: (pin) => prove({ pin }),
      givePasskey: async () => {
        const { options } = await session.call('post', CHALLENGE)
        await prove({ passkey: await requestPasskey(options) })
      },
    }
    proofRequest.peek()?.cancel()
    proofRequest.value = opened
  })
}

/** Code and message of an error response; null for a success. */
export function errorIn({
  status,
  text,
}: Pick<HttpAnswer, 'status' | 'text'>): { readonly code: string; readonly message: string } | null {
  if (status < 400) return null
  try {
    const { error } = JSON.parse(text) as { readonly error: { readonly code: string; readonly message: string } }
    return error
  } catch {
    return { code: 'unknown', message: String(status) }
  }
}

/** True if this browser reads passkey options as JSON; browsers before 2025 do not. */
export const supportsPasskeys = (): boolean =>
  'PublicKeyCredential' in globalThis && typeof PublicKeyCredential.parseCreationOptionsFromJSON === 'function'

/** Opens the browser's dialog for a new passkey. @throws DOMException if the person cancels */
export async function createPasskey(options: PasskeyCreation): Promise<MadePasskey> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON)
  return toJson(await navigator.credentials.create({ publicKey })) as MadePasskey
}

/** Opens the browser's dialog for an existing passkey. @throws DOMException if the person cancels */
export async function requestPasskey(options: PasskeyRequest): Promise<ShownPasskey> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON)
  return toJson(await navigator.credentials.get({ publicKey })) as ShownPasskey
}

/** The caller knows whether this is a new or an existing passkey. */
function toJson(credential: Credential | null): MadePasskey | ShownPasskey {
  if (credential instanceof PublicKeyCredential) return credential.toJSON()
  throw new DOMException('The browser returned no passkey.', 'NotAllowedError')
}
