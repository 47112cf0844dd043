import type { Method } from './openapi.ts';

/** A call as it is sent, but for the token. */
export interface Request {
  readonly method: Method;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Left out, there is no body. */
  readonly body?: { readonly type: string; readonly text: string };
  readonly takesToken: boolean;
}

/** The call for a POSIX shell. */
export function curlOf({ method, url, headers, body, takesToken }: Request): string {
  const sent = body === undefined ? headers : { ...headers, 'Content-Type': body.type };
  const lines = [
    `curl -i${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    ...(takesToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...Object.entries(sent).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-binary ${quoted(body.text)}`]),
  ];
  return `${takesToken ? 'TOKEN=…\n' : ''}${lines.join(' \\\n  ')}`;
}

/** The call for a page or a server. */
export function fetchOf({ method, url, headers, body, takesToken }: Request): string {
  const sent = Object.entries(body === undefined ? headers : { ...headers, 'Content-Type': body.type });
  const named = sent.map(([name, value]) => `    ${literal(name)}: ${literal(value)},`);
  const token = takesToken ? [`    Authorization: \`Bearer \${TOKEN}\`,`] : [];
  const members = [
    ...(method === 'GET' ? [] : [`  method: ${literal(method)},`]),
    ...(token.length + named.length === 0 ? [] : ['  headers: {', ...token, ...named, '  },']),
    ...(body === undefined ? [] : [`  body: ${literal(body.text)},`]),
  ];
  const options = members.length === 0 ? '' : `, {\n${members.join('\n')}\n}`;
  return [
    ...(takesToken ? ["const TOKEN = '…';"] : []),
    `const response = await fetch(${literal(url)}${options});`,
    'console.log(response.status, await response.text());',
  ].join('\n');
}

/** One word for a POSIX shell, whatever stands in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** JSON is JavaScript, but for two line separators of old. */
function literal(text: string): string {
  return JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}
