import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { HmError } from '@hm-gateway/client/src/browser.ts'
import { gatewayTime, nowBySecond, type Period, secondsLeft } from '../stores/gateway-clock.ts'
import type { ProofRequest } from '../stores/proof.ts'
import { words as common } from '../words/page-frame.ts'
import { words } from '../words/tablets.ts'
import { ErrorLine, useAction } from './action.tsx'
import { TimeLeft } from './opening-confirmation.tsx'
import { Button, Icon } from './page.tsx'

const PIN_LENGTH = 6
const DIGITS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'] as const

/** Keys for the PIN of a wall tablet, by touch or keyboard. The sixth digit sends it. */
export function PinPad({ request }: { readonly request: ProofRequest }): JSX.Element {
  const digits = useSignal('')
  const rest = useSignal<Period | null>(null)
  const { run, busy, message } = useAction(async (pin: string) => {
    try {
      await request.givePin(pin)
    } catch (error) {
      digits.value = ''
      rest.value = restOf(error)
      throw error
    }
  })
  const isResting = rest.value !== null && secondsLeft(rest.value, nowBySecond.value) > 0
  const isClosed = busy || isResting
  const enter = (digit: string): void => {
    if (isClosed || digits.peek().length >= PIN_LENGTH) return
    digits.value += digit
    if (digits.value.length === PIN_LENGTH) void run(digits.value)
  }
  const back = (): void => {
    if (!isClosed) digits.value = digits.value.slice(0, -1)
  }
  useEffect(() => {
    const onKey = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): void => {
      if (ctrlKey || metaKey || altKey) return
      if (key === 'Backspace') back()
      else if (/^\d$/.test(key)) enter(key)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [isClosed])
  return (
    <>
      <p class="pin" aria-hidden="true">
        {Array.from({ length: PIN_LENGTH }, (_, at) => (
          <span key={at} class={at < digits.value.length ? 'filled' : ''} />
        ))}
      </p>
      <p class="unseen" role="status">
        {words.entered(digits.value.length)}
      </p>
      <ErrorLine message={rest.value !== null && !isResting ? null : message} />
      {rest.value !== null && isResting && (
        <p class="rests">
          <TimeLeft {...rest.value} />
        </p>
      )}
      <div class="pad" role="group" aria-label={words.digits}>
        {DIGITS.map((digit) => (
          <Button key={digit} label={digit} disabled={isResting} onClick={() => enter(digit)} />
        ))}
        <Button class="quiet" label={common.cancel} onClick={request.cancel} />
        <Button label="0" disabled={isResting} onClick={() => enter('0')} />
        <button type="button" class="quiet" aria-label={words.deleteDigit} disabled={isResting} onClick={back}>
          <Icon name="left" />
        </button>
      </div>
    </>
  )
}

/** The time for which no further PIN counts; null if the next one does. */
function restOf(error: unknown): Period | null {
  if (!(error instanceof HmError) || error.retryAfter === null) return null
  const from = gatewayTime()
  return { from, until: from + error.retryAfter * 1_000 }
}
