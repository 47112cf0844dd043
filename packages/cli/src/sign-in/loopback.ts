import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { CommandError } from '../frame/command-error.ts';

/** A server on this machine that waits for the one answer of the console. */
export interface Loopback {
  readonly port: number;
  /** @throws CommandError where the builder has denied, or has not answered in time. */
  readonly code: Promise<string>;
  close(): void;
}

const page = (title: string, sentence: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${sentence}</p></html>`;

/** Listens at a free port of 127.0.0.1, where no other machine reaches it. @param state what the answer has to bring along. */
export async function listenForCode(state: string, milliseconds = 10 * 60 * 1000): Promise<Loopback> {
  const { promise: code, resolve, reject } = Promise.withResolvers<string>();
  // Nothing may wait for it yet when it fails.
  code.catch(() => undefined);
  const server = createServer((request, response) => {
    const answer = answerIn(request, port, state);
    if (answer === undefined) {
      reply(response, 404, page('Nothing here', 'This address waits for the answer of a sign-in.'));
      return;
    }
    if (answer.code === undefined) {
      reply(response, 200, page('Denied', 'The command is not signed in. You can close this page.'));
      reject(new CommandError('the sign-in was denied', { code: 'sign_in_denied' }));
      return;
    }
    reply(response, 200, page('Allowed', 'Go on in the terminal. You can close this page.'));
    resolve(answer.code);
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(0, '127.0.0.1', listening);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const timer = setTimeout(
    () => reject(new CommandError('no one has allowed the sign-in within 10 minutes', { code: 'sign_in_timeout' })),
    milliseconds,
  );
  return {
    port,
    code,
    close: () => {
      clearTimeout(timer);
      server.close();
      server.closeIdleConnections();
    },
  };
}

/** Undefined for what is not the console's answer to this command: another page of the browser may call this port too. */
function answerIn(
  { method, url = '', headers }: IncomingMessage,
  port: number,
  state: string,
): { readonly code: string | undefined } | undefined {
  const requestUrl = URL.parse(url, `http://127.0.0.1:${port}`);
  if (method !== 'GET' || requestUrl?.pathname !== '/callback' || headers.host !== `127.0.0.1:${port}`)
    return undefined;
  const given = requestUrl.searchParams;
  if (given.get('state') !== state) return undefined;
  const code = given.get('code') ?? undefined;
  return code !== undefined || given.has('error') ? { code } : undefined;
}

function reply(response: ServerResponse, status: number, html: string): void {
  response
    .writeHead(status, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      Connection: 'close',
    })
    .end(html);
}
