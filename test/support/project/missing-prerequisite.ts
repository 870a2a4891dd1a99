/** A prerequisite that this machine lacks and cannot get: a program, or an unreachable package registry. */
export class MissingPrerequisite extends Error {}

/** Messages of pip, uv and apt when a registry is unreachable, broken, or refuses this machine. */
const UNREACHABLE = new RegExp(
  [
    'dns error|failed to lookup|name resolution|temporary failure resolving|name or service not known|could not resolve',
    'error sending request|failed to establish a new connection|connect error|tcp connect|connection failed',
    'connection (?:refused|reset|timed out|aborted)|could not connect|unable to connect|remote end closed connection',
    'network is unreachable|no route to host|operation timed out|timed out',
    'cannot connect to proxy|tunnel connection failed|certificate verify failed|invalid peer certificate',
    // A mirror that lacks the package, or is being updated.
    'does not have a release file|hash sum mismatch|file has unexpected size',
    '(?:403|407|429) +(?:client error|forbidden|proxy authentication required|too many requests)',
    'too many 5\\d\\d error responses',
    '5\\d\\d +(?:server error|internal server error|bad gateway|service unavailable|gateway time-?out)',
  ].join('|'),
  'i',
)

/** A download with wrong content is a real failure, even after connection errors. */
const FALSE = /do not match the hashes/i

/** The line of pip, uv or apt that reports an unreachable registry; null if they failed for another reason. */
export function unreachableLine(output: string): string | null {
  if (FALSE.test(output)) return null
  const line = output.split('\n').find((line) => UNREACHABLE.test(line))
  return line?.trim() ?? null
}
