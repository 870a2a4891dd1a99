import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { ForCommandLine } from '../../parts/action.tsx'
import { Segments } from '../../parts/form.tsx'
import { Icon } from '../../parts/page.tsx'
import { Fingerprint, TrustChip } from '../../parts/trust-chip.tsx'
import { about, readAbout, trust } from '../../stores/public-facts.ts'
import { words } from '../../words/trust.ts'

/** Instructions to trust the gateway. The page needs no session and contains nothing about the home. */
export function TrustPage(): JSX.Element {
  useEffect(() => {
    document.title = words.title
    // The person compares the fingerprint, so it must be current.
    void readAbout()
  }, [])
  const facts = about.value
  return (
    <main class="trust">
      <div class="title">
        <h1>{words.title}</h1>
        <TrustChip />
      </div>
      <p>{words.why}</p>
      {trust.value === 'verified' && (
        <p class="allwell">
          <Icon name="check" />
          {words.isVerified}
        </p>
      )}
      {facts && (
        <>
          <Comparison fingerprint={facts.fingerprint} />
          <Instructions />
          <section class="card">
            <h2>{words.safe}</h2>
            <p>{words.constraints(facts.name)}</p>
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

function Comparison({ fingerprint }: { readonly fingerprint: string }): JSX.Element {
  return (
    <section class="card">
      <h2>{words.compare}</h2>
      <Fingerprint value={fingerprint} />
      <p>
        {words.compareWith} {words.compareWhy}
      </p>
      <ForCommandLine text={words.compareCommand} />
    </section>
  )
}

function Instructions(): JSX.Element {
  const device = useSignal<Device>(deviceAtHand(navigator.userAgent, navigator.maxTouchPoints))
  const file = FILES[device.value]
  return (
    <section class="card">
      <h2>{words.file}</h2>
      <Segments
        legend={words.device}
        names={words.devices}
        value={device.value}
        onChange={(chosen) => (device.value = chosen)}
      />
      <p>
        <a class="button main" href={`/console/trust/${file}`} download={file}>
          <Icon name="download" />
          {words.download(file)}
        </a>
      </p>
      <ol>
        {words.steps[device.value].map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <Drawing device={device.value} />
      <p>{words.then}</p>
    </section>
  )
}

/** Sketch of the decisive dialog with the control to press; screen readers have the steps. */
function Drawing({ device }: { readonly device: Device }): JSX.Element {
  const { title, row, by, label } = words.drawings[device]
  return (
    <figure class="drawing" aria-hidden="true">
      <div class={`sketch ${device}`}>
        <p class="bar">{title}</p>
        <p class="row">
          <span>{row}</span>
          {by !== 'nothing' && (
            <span class={by}>
              {by === 'tick' && <Icon name="check" />}
              {label}
            </span>
          )}
        </p>
      </div>
      <figcaption class="fine">{words.drawing}</figcaption>
    </figure>
  )
}

/** Kinds of devices with their own instructions. */
type Device = keyof typeof words.devices

/** File to import, by device. */
const FILES: Readonly<Record<Device, string>> = {
  ios: 'hm.mobileconfig',
  macos: 'hm.mobileconfig',
  android: 'ca.crt',
  windows: 'ca.crt',
  linux: 'ca.pem',
  firefox: 'ca.pem',
}

/** Detects the device. An iPad calls itself a Mac, but has a touch screen. Firefox has its own list of CAs. */
function deviceAtHand(browser: string, touchPoints: number): Device {
  if (/iPhone|iPad/.test(browser) || (/Macintosh/.test(browser) && touchPoints > 1)) return 'ios'
  if (/Firefox\//.test(browser)) return 'firefox'
  if (/Android/.test(browser)) return 'android'
  if (/Macintosh/.test(browser)) return 'macos'
  return /Windows/.test(browser) ? 'windows' : 'linux'
}
