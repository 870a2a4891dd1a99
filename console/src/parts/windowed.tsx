import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

/** Rows that come and go together. */
const CHUNK = 30
/** So far from what is seen they are there already. */
const AHEAD = '600px'

interface WindowedProps<T> {
  readonly items: readonly T[]
  /** How high one is about, in pixels, before it was seen. */
  readonly rowPx: number
  /** The place of one that is there in any case. */
  readonly kept?: number
  readonly children: (item: T, place: number) => JSX.Element
}

/**
 * A list that may be long: only the rows near to what is seen are made, the others leave their height. Its chunks are
 * no elements of the list to those who listen, who are told by the rows themselves how many there are.
 */
export function Windowed<T>({ items, rowPx, kept = 0, children }: WindowedProps<T>): JSX.Element {
  const chunks = Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, chunk) => chunk * CHUNK)
  return (
    <>
      {chunks.map((first) => {
        const rows = items.slice(first, first + CHUNK)
        return (
          <Chunk key={first} aboutPx={rows.length * rowPx} isKept={kept >= first && kept < first + CHUNK}>
            {() => rows.map((item, place) => children(item, first + place))}
          </Chunk>
        )
      })}
    </>
  )
}

interface ChunkProps {
  readonly aboutPx: number
  readonly isKept: boolean
  readonly children: () => readonly JSX.Element[]
}

function Chunk({ aboutPx, isKept, children }: ChunkProps): JSX.Element {
  const own = useRef<HTMLDivElement>(null)
  const seenPx = useRef<number | null>(null)
  const isNear = useSignal(false)
  const isThere = isKept || isNear.value
  useEffect(
    () =>
      whenNear(own.current, (near, heightPx) => {
        if (!near && isNear.peek()) seenPx.current = heightPx
        isNear.value = near
      }),
    [],
  )
  useLayoutEffect(() => {
    if (own.current) own.current.style.height = isThere ? '' : `${seenPx.current ?? aboutPx}px`
  }, [isThere, aboutPx])
  return (
    <div ref={own} role="none">
      {isThere && children()}
    </div>
  )
}

type Told = (isNear: boolean, heightPx: number) => void

const told = new WeakMap<Element, Told>()
let observer: IntersectionObserver | undefined

/** Tells when an element comes near to what is seen, and when it goes, with its height. Answers how that stops. */
function whenNear(element: Element | null, tell: Told): (() => void) | undefined {
  if (element === null) return undefined
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting, boundingClientRect } of entries)
        told.get(target)?.(isIntersecting, boundingClientRect.height)
    },
    // Within a part that scrolls by itself, where the browser knows that margin.
    { rootMargin: AHEAD, scrollMargin: AHEAD },
  )
  told.set(element, tell)
  observer.observe(element)
  return () => observer?.unobserve(element)
}
