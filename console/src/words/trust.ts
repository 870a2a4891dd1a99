/** Texts of the trust page. */
export const words = {
  title: 'Trust this gateway',
  why: 'The gateway creates its own certificates. Devices show a warning until they trust the gateway’s CA. Do this once on every device.',
  isVerified: 'This browser already trusts the gateway. You need to do nothing.',
  compare: 'First: compare',
  compareWith: 'Compare this fingerprint with the one on the gateway.',
  compareCommand: 'On the gateway’s terminal, `bin/hm tls show` prints the fingerprint.',
  compareWhy: 'If a single pair differs, stop: another computer is posing as your gateway.',
  file: 'Then: trust it on the device',
  device: 'Which device do you use?',
  devices: {
    ios: 'iPhone, iPad',
    android: 'Android',
    macos: 'Mac',
    windows: 'Windows',
    linux: 'Linux',
    firefox: 'Firefox',
  },
  steps: {
    ios: [
      'Open the file in Safari, and allow the profile to be downloaded.',
      'Settings → Profile Downloaded → Install.',
      'Settings → General → About → Certificate Trust Settings: switch on the CA of this gateway. The warning stays without this step.',
    ],
    macos: [
      'Open the file: System Settings shows the profile under General → Device Management. Install it.',
      'Open Keychain Access, find the CA of this gateway under System, and set “When using this certificate” to “Always Trust”.',
      'Restart the browser.',
    ],
    android: [
      'Download the file.',
      'Settings → Security → More → Encryption & credentials → Install a certificate → CA certificate → Install anyway.',
      'Choose the file. Android then warns that the network may be monitored, but this CA works only for this gateway.',
    ],
    windows: [
      'Open the file → Install Certificate → Current User.',
      'Choose “Place all certificates in the following store” → Trusted Root Certification Authorities.',
      'Compare the fingerprint once more in the Windows dialog, and restart the browser.',
    ],
    linux: [
      'On the gateway’s own machine, run “sudo bin/hm tls trust”. You are done.',
      'Elsewhere on Debian and Ubuntu: save the file as /usr/local/share/ca-certificates/hm-gateway.crt and run “sudo update-ca-certificates”.',
      'Chrome and Chromium keep their own list: Settings → Privacy and security → Security → Manage certificates → Custom → Import.',
    ],
    firefox: [
      'Download the file.',
      'Settings → Privacy & Security → View Certificates → Authorities → Import.',
      'Tick “Trust this CA to identify websites”.',
    ],
  },
  drawing: 'The decisive step',
  drawings: {
    ios: { title: 'Certificate Trust Settings', row: 'hm-gateway CA', by: 'switch', label: '' },
    macos: { title: 'Keychain Access', row: 'When using this certificate', by: 'choice', label: 'Always Trust' },
    android: { title: 'CA certificate', row: 'Your data won’t be private', by: 'button', label: 'Install anyway' },
    windows: {
      title: 'Certificate Import Wizard',
      row: 'Certificate store',
      by: 'choice',
      label: 'Trusted Root Certification Authorities',
    },
    linux: { title: 'Terminal', row: '$ sudo bin/hm tls trust', by: 'nothing', label: '' },
    firefox: {
      title: 'Downloading Certificate',
      row: 'Trust this CA to identify websites',
      by: 'tick',
      label: '',
    },
  },
  download: (file: string): string => `Download ${file}`,
  then: 'Open this page again in a new window. The warning is gone.',
  safe: 'What the CA can do',
  constraints: (name: string): string =>
    `The CA works only for ${name}, its short name, localhost and numeric addresses (name constraints). Even with a stolen key, nobody could pose as your bank. The key never leaves the gateway.`,
  withdraw: 'To undo this, remove the CA from the list where you added it, or remove the profile.',
  toConsole: 'Go to the console',
} as const
