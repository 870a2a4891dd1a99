import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { localIdOf } from '../lib/addresses.ts'
import { onPushed } from './pushed.ts'

/** Grows with each thing that happens to a device: who shows what happened reads it again then. */
export function useHappened(device: string): number {
  const count = useSignal(0)
  useEffect(() => {
    const id = localIdOf(device)
    return onPushed('activity', ({ entries }) => {
      if (entries.some(({ subjectId }) => subjectId === id)) count.value += 1
    })
  }, [device])
  return count.value
}
