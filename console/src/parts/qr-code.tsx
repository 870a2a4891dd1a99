import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { QrCodeGenerateResult } from 'uqr'
import { words } from '../words/frame.ts'

interface QrCodeProps {
  readonly text: string
  /** What it is, for those who listen. */
  readonly label: string
}

/** A text as a QR code, dark on light in either theme, for cameras. What draws it is loaded when one is shown. */
export function QrCode({ text, label }: QrCodeProps): JSX.Element | null {
  const drawn = useSignal<QrCodeGenerateResult | null>(null)
  const isMissing = useSignal(false)
  useEffect(() => {
    void import('uqr').then(
      ({ encode }) => (drawn.value = encode(text, { ecc: 'L', border: 2 })),
      () => (isMissing.value = true),
    )
  }, [text])
  if (isMissing.value) return <p role="alert">{words.noQrCode}</p>
  if (drawn.value === null) return null
  const { size, data } = drawn.value
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#ffffff" />
      <path d={data.map(rowPath).join('')} fill="#000000" />
    </svg>
  )
}

/** The dark modules of one row, each run of them as one rectangle. */
function rowPath(row: readonly boolean[], y: number): string {
  const runs: string[] = []
  for (let x = 0; x < row.length; x += 1) {
    if (row[x] !== true) continue
    const end = row.indexOf(false, x)
    const width = (end < 0 ? row.length : end) - x
    runs.push(`M${x} ${y}h${width}v1h-${width}z`)
    x += width
  }
  return runs.join('')
}
