import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { Fingerprint } from '../../parts/fingerprint.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Segments } from '../../parts/segments.tsx'
import { TrustChip } from '../../parts/trust-chip.tsx'
import { about, readAbout } from '../../stores/about.ts'
import { trust } from '../../stores/trust.ts'
import { words } from '../../words/trust.ts'
import { Drawing } from './drawing.tsx'
import { type Device, deviceAtHand, DEVICES, FILES } from './devices.ts'

/**
 * How a device comes to trust the gateway. It is for everybody, also behind a warning of the browser, and says nothing
 * of the home.
 */
export function TrustPage(): JSX.Element {
  useEffect(() => {
    document.title = words.title
    // What is compared here must be what holds now, however long the console was open.
    void readAbout()
  }, [])
  const known = about.value
  return (
    <main class="trust">
      <div class="title">
        <h1>{words.title}</h1>
        <TrustChip />
      </div>
      <p>{words.why}</p>
      {trust.value === 'verified' && (
        <p class="allwell">
          <Icon of="check" />
          {words.isVerified}
        </p>
      )}
      {known && (
        <>
          <Comparing fingerprint={known.fingerprint} />
          <Trusting />
          <section class="card">
            <h2>{words.safe}</h2>
            <p>{words.constraints(known.name)}</p>
            <p>{words.withdraw}</p>
          </section>
        </>
      )}
      <p>
        <a href="/console/">{words.toConsole}</a>
      </p>
    </main>
  )
}

function Comparing({ fingerprint }: { readonly fingerprint: string }): JSX.Element {
  return (
    <section class="card">
      <h2>{words.compare}</h2>
      <Fingerprint of={fingerprint} />
      <p>
        {words.compareWith} <code>{words.command}</code>. {words.compareWhy}
      </p>
    </section>
  )
}

function Trusting(): JSX.Element {
  const device = useSignal<Device>(deviceAtHand(navigator.userAgent, navigator.maxTouchPoints))
  const file = FILES[device.value]
  return (
    <section class="card">
      <h2>{words.file}</h2>
      <Segments
        legend={words.device}
        options={DEVICES.map((value) => ({ value, name: words.devices[value] }))}
        value={device.value}
        onChange={(chosen) => (device.value = chosen)}
      />
      <p>
        <a class="button main" href={`/console/trust/${file}`} download={file}>
          <Icon of="download" />
          {words.download(file)}
        </a>
      </p>
      <ol>
        {words.steps[device.value].map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <Drawing of={device.value} />
      <p>{words.then}</p>
    </section>
  )
}
