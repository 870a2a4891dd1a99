/** Something that this machine does not have and cannot get: a program, or a place of packages that cannot be reached. */
export class MissingPrerequisite extends Error {}

/** How pip, uv and apt say that nobody answered, or nobody who could, or who lets this machine in. */
const UNREACHABLE = new RegExp(
  [
    'dns error|failed to lookup|name resolution|temporary failure resolving|name or service not known|could not resolve',
    'error sending request|failed to establish a new connection|connect error|tcp connect|connection failed',
    'connection (?:refused|reset|timed out|aborted)|could not connect|unable to connect|remote end closed connection',
    'network is unreachable|no route to host|operation timed out|timed out',
    'cannot connect to proxy|tunnel connection failed|certificate verify failed|invalid peer certificate',
    // A mirror without what is asked for, or in the middle of being brought up to date.
    'does not have a release file|hash sum mismatch|file has unexpected size',
    '(?:403|407|429) +(?:client error|forbidden|proxy authentication required|too many requests)',
    'too many 5\\d\\d error responses',
    '5\\d\\d +(?:server error|internal server error|bad gateway|service unavailable|gateway time-?out)',
  ].join('|'),
  'i',
)

/** What came is not what was asked for, however often the line broke before. */
const FALSE = /do not match the hashes/i

/** The line that says so in what pip, uv or apt said; null where they failed for anything else. */
export function unreachableLine(said: string): string | null {
  if (FALSE.test(said)) return null
  const line = said.split('\n').find((each) => UNREACHABLE.test(each))
  return line?.trim() ?? null
}
