import { createHash } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import { html, Html } from './html.ts'
import { PASSKEY_SCRIPT } from './passkey-script.ts'
import { STYLE } from './style.ts'
import type { Said } from './words.ts'

export interface Page {
  readonly status?: number
  /** A refusal that the page shows: its status and time to wait are those of the answer. */
  readonly said?: Said | null
  /** Of the browser's tab. */
  readonly title: string
  readonly body: Html
  /** The page asks for another after so many seconds by itself; no script is needed for it. */
  readonly refresh?: { readonly seconds: number; readonly url: string }
  readonly headers?: OutgoingHttpHeaders
}

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const STYLE_POLICY = `default-src 'none'; style-src ${hashOf(STYLE)}`
const REST_POLICY = "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
/** In one piece: the hash is of all that stands between the tags. */
const SCRIPT_ELEMENT = Html.raw(`<script>${PASSKEY_SCRIPT}</script>`)
const STYLE_ELEMENT = Html.raw(`<style>${STYLE}</style>`)

/**
 * `form-action` binds redirects after a form as well, in some browsers: pages leave this origin by a refresh or a link
 * alone. The opener is left as it is, since platforms open sign-ins in windows that they watch.
 */
export const PAGE_HEADERS: OutgoingHttpHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': `${STYLE_POLICY}; ${REST_POLICY}`,
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Pages with the script let it run, and let it ask this origin alone. */
const PASSKEY_POLICY = `${STYLE_POLICY}; script-src ${hashOf(PASSKEY_SCRIPT)}; connect-src 'self'; ${REST_POLICY}`

/** Whether a page makes or uses passkeys; texts of people have no such quotation mark. */
const takesPasskeys = ({ text }: Html): boolean => text.includes('data-passkey="')

export const headersOf = ({ body, said, headers }: Page): OutgoingHttpHeaders => ({
  ...PAGE_HEADERS,
  ...(takesPasskeys(body) ? { 'content-security-policy': PASSKEY_POLICY } : {}),
  ...(said?.retryAfter === undefined ? {} : { 'retry-after': String(said.retryAfter) }),
  ...headers,
})

/** A page as text. @param account e-mail address of whoever is signed in. */
export function written({ title, body, refresh }: Page, account: string | null = null): string {
  const again =
    refresh === undefined ? null : html`<meta http-equiv="refresh" content="${refresh.seconds};url=${refresh.url}" />`
  const out = html`<form method="post" action="/signout"><button class="plain">Sign out</button></form>`
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        ${again}
        <title>${title} · Home Control relay</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <header><b>Home Control relay</b>${account === null ? null : html`<span>${account}</span>${out}`}</header>
        <main>${body}</main>
        ${takesPasskeys(body) ? SCRIPT_ELEMENT : null}
      </body>
    </html> `.text
}
