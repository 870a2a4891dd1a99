import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { Segments } from '../../parts/form.tsx'
import { Icon } from '../../parts/page.tsx'
import { Fingerprint, TrustChip } from '../../parts/trust-chip.tsx'
import { about, readAbout, trust } from '../../stores/about.ts'
import { words } from '../../words/trust.ts'

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
        names={words.devices}
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

/** The dialog at the step that counts, sketched: what is pressed there stands out. Who listens has it in the steps. */
function Drawing({ of: device }: { readonly of: Device }): JSX.Element {
  const { title, row, by, says } = words.drawings[device]
  return (
    <figure class="drawing" aria-hidden="true">
      <div class={`sketch ${device}`}>
        <p class="bar">{title}</p>
        <p class="row">
          <span>{row}</span>
          {by !== 'nothing' && (
            <span class={by}>
              {by === 'tick' && <Icon of="check" />}
              {says}
            </span>
          )}
        </p>
      </div>
      <figcaption class="fine">{words.drawn}</figcaption>
    </figure>
  )
}

/** The kinds of devices that trust in ways of their own. */
type Device = keyof typeof words.devices

/** The file that each imports. */
const FILES: Readonly<Record<Device, string>> = {
  ios: 'hm.mobileconfig',
  macos: 'hm.mobileconfig',
  android: 'ca.crt',
  windows: 'ca.crt',
  linux: 'ca.pem',
  firefox: 'ca.pem',
}

/** The device that a browser says to run on. An iPad calls itself a Mac, but is touched. Firefox keeps its own list. */
function deviceAtHand(browser: string, touchPoints: number): Device {
  if (/iPhone|iPad/.test(browser) || (/Macintosh/.test(browser) && touchPoints > 1)) return 'ios'
  if (/Firefox\//.test(browser)) return 'firefox'
  if (/Android/.test(browser)) return 'android'
  if (/Macintosh/.test(browser)) return 'macos'
  return /Windows/.test(browser) ? 'windows' : 'linux'
}
