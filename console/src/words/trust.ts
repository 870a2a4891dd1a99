/** Texts of the page that helps each device to trust the gateway, and of the chip that leads there. */
export const words = {
  verified: 'Verified',
  notVerified: 'Not verified',
  title: 'Trust this gateway',
  why: 'The gateway makes its own certificates, so a device warns until it trusts the gateway’s CA. That is done once for each device.',
  isVerified: 'This browser trusts the gateway already. Nothing is to be done here.',
  compare: 'First: compare',
  compareWith: 'The gateway’s terminal shows the same fingerprint with',
  command: 'bin/hm tls show',
  compareWhy: 'If one pair differs, somebody else answers here: go no further.',
  file: 'Then: trust it on the device',
  device: 'Which device is it?',
  devices: {
    ios: 'iPhone, iPad',
    macos: 'Mac',
    android: 'Android',
    windows: 'Windows',
    linux: 'Linux',
    firefox: 'Firefox',
  },
  steps: {
    ios: [
      'Open the file in Safari, and allow the profile to be loaded.',
      'Settings → Profile Downloaded → Install.',
      'Settings → General → About → Certificate Trust Settings: switch it on for the CA of this gateway. Without this second step nothing changes.',
    ],
    macos: [
      'Open the file: System Settings shows the profile under General → Device Management. Install it.',
      'Open Keychain Access, find the CA of this gateway under System, and set “When using this certificate” to “Always Trust”, if it does not say so.',
      'Start the browser again.',
    ],
    android: [
      'Load the file.',
      'Settings → Security → More → Encryption & credentials → Install a certificate → CA certificate → Install anyway.',
      'Choose the file. Android then says that the network may be monitored: this CA can vouch for this gateway alone.',
    ],
    windows: [
      'Open the file → Install Certificate → Current User.',
      'Choose “Place all certificates in the following store” → Trusted Root Certification Authorities.',
      'Compare the fingerprint once more where Windows shows it, and start the browser again.',
    ],
    linux: [
      'On the gateway’s own machine run “sudo bin/hm tls trust”. It does the rest.',
      'Elsewhere on Debian and Ubuntu: save the file as /usr/local/share/ca-certificates/hm-gateway.crt and run “sudo update-ca-certificates”.',
      'Chrome and Chromium keep their own list: Settings → Privacy and security → Security → Manage certificates → Custom → Import.',
    ],
    firefox: [
      'Load the file.',
      'Settings → Privacy & Security → View Certificates → Authorities → Import.',
      'Tick “Trust this CA to identify websites”.',
    ],
  },
  download: (file: string): string => `Load ${file}`,
  then: 'Open this page again in a new window then: the warning is gone.',
  safe: 'What the CA can do',
  constraints: (name: string): string =>
    `By its name constraints the CA can vouch for ${name}, its short name, localhost and numeric addresses alone. Even a stolen key of it could not pose as your bank. Its key never leaves the gateway.`,
  withdraw: 'To withdraw the trust, remove the CA from the list it was added to, or remove the profile.',
  toConsole: 'To the console',
} as const
