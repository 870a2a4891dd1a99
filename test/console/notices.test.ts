import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { cover, dismiss, notice, tell } from '../../console/src/stores/notices.ts'

const SHOWN_MS = 7_000

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  dismiss()
  vi.useRealTimers()
})

test('what is told under an open dialog keeps its seven seconds until the last dialog is closed', () => {
  const uncovers = [cover(), cover()]
  tell('Claude has access.')
  vi.advanceTimersByTime(2 * SHOWN_MS)
  uncovers[0]?.()
  vi.advanceTimersByTime(2 * SHOWN_MS)
  expect(notice.value?.text).toBe('Claude has access.')
  uncovers[1]?.()
  vi.advanceTimersByTime(SHOWN_MS - 1)
  expect(notice.value).not.toBeNull()
  vi.advanceTimersByTime(1)
  expect(notice.value).toBeNull()
})
