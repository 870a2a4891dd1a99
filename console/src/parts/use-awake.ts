import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** What appears under a finger that was on its way elsewhere is not meant yet. */
const ASLEEP_MS = 700

/** False for a moment after something appeared: nobody can have meant to press it. */
export function useAwake(): boolean {
  const isAwake = useSignal(false)
  useEffect(() => {
    const timer = window.setTimeout(() => {
      isAwake.value = true
    }, ASLEEP_MS)
    return () => window.clearTimeout(timer)
  }, [isAwake])
  return isAwake.value
}
