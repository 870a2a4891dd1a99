import { useRef } from 'preact/hooks'

/**
 * What a page shows of a feed: the one that is wanted once it was read, or could not be; until then the one of before,
 * so that nothing goes away before what comes in its place is there.
 */
export function useLastRead<Feed>(wanted: Feed, isSettled: boolean): Feed {
  const shown = useRef(wanted)
  if (isSettled) shown.current = wanted
  return shown.current
}
