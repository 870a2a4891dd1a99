import type { JSX } from 'preact'

/** A fingerprint in groups of four pairs, to be compared with another by eye. */
export function Fingerprint({ of }: { readonly of: string }): JSX.Element {
  const groups = of.match(/(?:[0-9A-F]{2}:?){1,4}/g) ?? [of]
  return (
    <code class="fingerprint">
      {groups.map((group) => (
        <span key={group}>{group}</span>
      ))}
    </code>
  )
}
