import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { QrCodeGenerateResult } from 'uqr'
import { words } from '../words/page-frame.ts'

/** A QR code, dark on light in both themes, for cameras. Its library is loaded on demand. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }): JSX.Element | null {
  const code = useSignal<QrCodeGenerateResult | null>(null)
  const hasFailed = useSignal(false)
  useEffect(() => {
    void import('uqr').then(
      ({ encode }) => (code.value = encode(text, { ecc: 'L', border: 2 })),
      () => (hasFailed.value = true),
    )
  }, [text])
  if (hasFailed.value) return <p role="alert">{words.noQrCode}</p>
  if (code.value === null) return null
  const { size, data } = code.value
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#ffffff" />
      <path d={data.map(rowPath).join('')} fill="#000000" />
    </svg>
  )
}

/** Dark modules of one row; adjacent ones form one rectangle. */
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
