import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  dismissNotice,
  notice,
  pauseForDialog,
  showNotice,
  warnUnstored,
} from '../../console/src/stores/page-notices.ts'

const SHOWN_MS = 7_000

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  dismissNotice()
  vi.useRealTimers()
})

test('a notice under open dialogs keeps its seven seconds until the last dialog closes', () => {
  const closeDialogs = [pauseForDialog(), pauseForDialog()]
  showNotice('Claude has access.')
  vi.advanceTimersByTime(2 * SHOWN_MS)
  closeDialogs[0]?.()
  vi.advanceTimersByTime(2 * SHOWN_MS)
  expect(notice.value?.text).toBe('Claude has access.')
  closeDialogs[1]?.()
  vi.advanceTimersByTime(SHOWN_MS - 1)
  expect(notice.value).not.toBeNull()
  vi.advanceTimersByTime(1)
  expect(notice.value).toBeNull()
})

test('the warning about unstored changes follows the next notice, or stands alone', () => {
  const warning = /^The disk accepts no writes/
  const undo = (): Promise<void> => Promise.resolve()
  warnUnstored()
  warnUnstored()
  expect(notice.value?.text).toMatch(warning)
  expect(notice.value?.text.match(/The disk/g)).toHaveLength(1)
  showNotice('Dashboard is disabled.', undo)
  expect(notice.value).toEqual({
    text: expect.stringMatching(/^Dashboard is disabled\. The disk accepts no/) as string,
    undo,
  })
  showNotice('Renamed to Wall.')
  expect(notice.value?.text).toBe('Renamed to Wall.')
})
