import { words } from '../../words/system.ts'

/** The first that matches tells: most browsers also call themselves by the names of older ones. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/HeadlessChrome\/|Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'Mac'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

/** What people call a browser that calls itself so: `Firefox on Linux`. */
export function browserWords(called: string): string {
  const [browser, system] = [BROWSERS, SYSTEMS].map((all) => all.find(([known]) => known.test(called))?.[1])
  if (browser === undefined) return called === '' ? words.someBrowser : called.slice(0, 40)
  return system === undefined ? browser : words.browserOn(browser, system)
}
