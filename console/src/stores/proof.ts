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
/** A wrong password, or no passkey for this site, is answered 401 as no session is: the session goes on. */
export const PROOFS: readonly string[] = [CHALLENGE, PROOF]

/** A change that waits for a password or passkey. */
export interface ProofWanted {
  /** Why; the gateway's own sentence. */
  readonly sentence: string
  /** Hidden items that the person can show again. */
  readonly proofs: SessionShowAnswer['proofs']
  /** Shows the password. @throws Error, the gateway's sentence where it is not right */
  readonly give: (password: string) => Promise<void>
  /** Shows a passkey. @throws Error, where it is not taken or the person gave up */
  readonly show: () => Promise<void>
  readonly giveUp: () => void
}

/** What asks for a proof now; the dialog of it is in the frame of every page. */
export const proofWanted = signal<ProofWanted | null>(null)

/**
 * Requests that are refused until the person shows a password or passkey again (403 `sign_in_again`) wait for it and
 * are sent again; whoever gives up, or has neither, gets the refusal.
 *
 * @param session the transport that shows the proof; it reaches the paths of the session
 */
export function proving(transport: Transport, session = transport): Transport {
  return {
    ...transport,
    request: async (request) => {
      const answer = await transport.request(request)
      const refusal = refusalOf(answer)
      if (refusal?.code !== 'sign_in_again') return answer
      return (await proved(session, refusal.message)) ? transport.request(request) : answer
    },
  }
}

/** Asks the person to show a password or passkey again; false where they give up, or have neither. */
export async function proved(transport: Transport, sentence: string): Promise<boolean> {
  const session = new Caller<AdminPaths>(transport)
  const { proofs } = await session.call('get', '/admin/v1/session')
  if (!proofs.password && !proofs.passkey) return false
  return new Promise((resolve) => {
    const end = (isProven: boolean): void => {
      if (proofWanted.peek() === wanted) proofWanted.value = null
      resolve(isProven)
    }
    const prove = async (body: SessionProveBody): Promise<void> => {
      await session.call('post', PROOF, { body })
      end(true)
    }
    const wanted: ProofWanted = {
      sentence,
      proofs,
      giveUp: () => end(false),
      give: (password) => prove({ password }),
      show: async () => {
        const { options } = await session.call('post', CHALLENGE)
        await prove({ passkey: await shownPasskey(options) })
      },
    }
    proofWanted.peek()?.giveUp()
    proofWanted.value = wanted
  })
}

/** The refusal in an answer; null where it is none. */
export function refusalOf({
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
