import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

/** Rows per chunk; a chunk is rendered as a whole. */
const CHUNK = 30
/** Distance from the visible part at which chunks are rendered. */
const AHEAD = '600px'

interface WindowedProps<T> {
  readonly items: readonly T[]
  /** Estimated row height in pixels, until the row is rendered. */
  readonly rowPx: number
  /** Index of a row that is always rendered. */
  readonly pinned?: number
  readonly children: (item: T, index: number) => JSX.Element
}

/**
 * A long list that renders only the rows near the visible part; empty chunks keep the height. Screen readers ignore the
 * chunks, so rows must carry their own position and count.
 */
export function Windowed<T>({ items, rowPx, pinned = 0, children }: WindowedProps<T>): JSX.Element {
  const chunks = Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, chunk) => chunk * CHUNK)
  return (
    <>
      {chunks.map((first) => {
        const rows = items.slice(first, first + CHUNK)
        return (
          <Chunk key={first} estimatedPx={rows.length * rowPx} isPinned={pinned >= first && pinned < first + CHUNK}>
            {() => rows.map((item, index) => children(item, first + index))}
          </Chunk>
        )
      })}
    </>
  )
}

interface ChunkProps {
  readonly estimatedPx: number
  readonly isPinned: boolean
  readonly children: () => readonly JSX.Element[]
}

function Chunk({ estimatedPx, isPinned, children }: ChunkProps): JSX.Element {
  const ref = useRef<HTMLDivElement>(null)
  const measuredPx = useRef<number | null>(null)
  const isNear = useSignal(false)
  const isRendered = isPinned || isNear.value
  useEffect(
    () =>
      observeNear(ref.current, (near, heightPx) => {
        if (!near && isNear.peek()) measuredPx.current = heightPx
        isNear.value = near
      }),
    [],
  )
  useLayoutEffect(() => {
    if (ref.current) ref.current.style.height = isRendered ? '' : `${measuredPx.current ?? estimatedPx}px`
  }, [isRendered, estimatedPx])
  return (
    <div ref={ref} role="none">
      {isRendered && children()}
    </div>
  )
}

type NearListener = (isNear: boolean, heightPx: number) => void

const listeners = new WeakMap<Element, NearListener>()
let observer: IntersectionObserver | undefined

/** Calls a listener when an element enters or leaves the visible part. Returns the function that stops it. */
function observeNear(element: Element | null, listener: NearListener): (() => void) | undefined {
  if (element === null) return undefined
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting, boundingClientRect } of entries)
        listeners.get(target)?.(isIntersecting, boundingClientRect.height)
    },
    // `scrollMargin` is for nested scrolling parts, in browsers that support it.
    { rootMargin: AHEAD, scrollMargin: AHEAD },
  )
  listeners.set(element, listener)
  observer.observe(element)
  return () => observer?.unobserve(element)
}
