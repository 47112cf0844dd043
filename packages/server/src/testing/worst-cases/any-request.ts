/** The largest that any route may be sent, whatever it is for: it has to be refused, or taken, without much ado. */
import type { TakesBody } from '../../api/request.ts';
import type { Largest } from './worst-case.ts';

/** All headers and the target of a request together, of which Node takes 16 KB. */
const headBytes = 13_000;
const bodyBytes = 1024 * 1024;

/** Tags, languages, types and cookies to be distinguished, each header as long as it gets beside the others. */
const headers: Largest = {
  what: 'headers',
  ask: () => ({
    headers: {
      'if-none-match': listOf((index) => `"${index}"`, headBytes / 4),
      'if-match': listOf((index) => `"${index}"`, headBytes / 4),
      accept: listOf((index) => `a/b${index};q=0.${index % 10}`, headBytes / 4),
      cookie: listOf((index) => `a${index}=b`, headBytes / 8).replaceAll(',', '; '),
      prefer: listOf((index) => `a${index}=b`, headBytes / 8),
      'idempotency-key': 'k'.repeat(255),
      traceparent: `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01`,
      origin: 'https://app.example',
    },
  }),
};

const token: Largest = {
  what: 'token',
  ask: () => ({ headers: { authorization: `Bearer ${'eyJ0.'.repeat(headBytes / 5)}`, oauthtoken: 'x' } }),
};

const query: Largest = {
  what: 'query',
  ask: () => ({ target: `?${Array.from({ length: 64 }, (_, index) => `p${index}=${'%41'.repeat(60)}`).join('&')}` }),
};

const parameters: Largest = {
  what: 'query of small parameters',
  ask: () => ({ target: `?${Array.from({ length: 2500 }, (_, index) => `p${index}`).join('&')}` }),
};

/** As many segments as a path may have, behind the route's own. */
const path: Largest = { what: 'path', ask: () => ({ target: '/a'.repeat(200) }) };

const bodies: readonly Largest[] = [
  { what: 'body of members', ask: () => ({ body: `{${filled((index) => `"k${index}":1`)}}` }) },
  { what: 'body of objects', ask: () => ({ body: `[${filled(() => '{"a":{"b":[]}}')}]` }) },
];

/** What goes behind the route's own target is what it is sent with. */
export function anyRequest({ takesBody = false }: { readonly takesBody?: TakesBody }): readonly Largest[] {
  return [headers, token, query, parameters, path, ...(takesBody === false ? [] : bodies)];
}

function filled(of: (index: number) => string): string {
  const parts: string[] = [];
  for (let size = 2; ; ) {
    const next = of(parts.length);
    size += next.length + 1;
    if (size > bodyBytes - 100) return parts.join(',');
    parts.push(next);
  }
}

function listOf(of: (index: number) => string, length: number): string {
  let text = of(0);
  for (let index = 1; text.length < length; index++) text += `,${of(index)}`;
  return text;
}
