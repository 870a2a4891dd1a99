/** HTML that is safe to send: made by the template tag below alone, which escapes all that is put into it. */
export class Html {
  readonly text: string

  private constructor(text: string) {
    this.text = text
  }

  /** For the tag and for constants of this folder; never for what came from outside. */
  static raw(text: string): Html {
    return new Html(text)
  }
}

export type Part = Html | string | number | null | readonly Part[]

/** `html\`<p>${name}</p>\``: everything but other HTML is escaped; null is nothing, a list one after the other. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return Html.raw(
    texts.map((text, index) => (index === 0 ? text : `${written(parts[index - 1] ?? null)}${text}`)).join(''),
  )
}

function written(part: Part): string {
  if (part instanceof Html) return part.text
  if (part === null) return ''
  if (typeof part === 'object') return part.map(written).join('')
  return escaped(String(part))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter)
