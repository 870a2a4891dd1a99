/** The kinds of devices that trust in ways of their own. */
export const DEVICES = ['ios', 'android', 'macos', 'windows', 'linux', 'firefox'] as const
export type Device = (typeof DEVICES)[number]

/** The file that each imports. */
export const FILES: Readonly<Record<Device, string>> = {
  ios: 'hm.mobileconfig',
  macos: 'hm.mobileconfig',
  android: 'ca.crt',
  windows: 'ca.crt',
  linux: 'ca.pem',
  firefox: 'ca.pem',
}

/** The device that a browser says to run on. An iPad calls itself a Mac, but is touched. Firefox keeps its own list. */
export function deviceAtHand(browser: string, touchPoints: number): Device {
  if (/iPhone|iPad/.test(browser) || (/Macintosh/.test(browser) && touchPoints > 1)) return 'ios'
  if (/Firefox\//.test(browser)) return 'firefox'
  if (/Android/.test(browser)) return 'android'
  if (/Macintosh/.test(browser)) return 'macos'
  return /Windows/.test(browser) ? 'windows' : 'linux'
}
