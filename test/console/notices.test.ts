import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { cover, dismiss, notice, tell, tellUnstored } from '../../console/src/stores/notices.ts'

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

test('what the disk has not taken yet is told behind what was done, or by itself', () => {
  const waits = /^The disk takes no writes now/
  const undo = (): Promise<void> => Promise.resolve()
  tellUnstored()
  tellUnstored()
  expect(notice.value?.text).toMatch(waits)
  expect(notice.value?.text.match(/The disk/g)).toHaveLength(1)
  tell('Dashboard is disabled.', undo)
  expect(notice.value).toEqual({
    text: expect.stringMatching(/^Dashboard is disabled\. The disk takes/) as string,
    undo,
  })
  tell('Dashboard is called Wall.')
  expect(notice.value?.text).toBe('Dashboard is called Wall.')
})
