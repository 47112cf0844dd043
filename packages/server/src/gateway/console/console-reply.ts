import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type ConsoleAsset, codings } from '../console-files.ts';
import type { AppAddress, ConsoleSource } from '../console-source.ts';
import { askedType } from '../pipeline/body/asked-type.ts';
import { readHost } from '../pipeline/headers/host.ts';
import type { Reply } from '../reply.ts';

/**
 * The reply to a path that no route has: a file of the console, or for a browser that asks for a page the console itself,
 * which shows the screen of that path. Undefined where the console has no answer.
 */
export function consoleReply(source: ConsoleSource, incoming: IncomingMessage, path: string): Reply | undefined {
  const { method } = incoming;
  const state = source.current();
  if (state.is === 'off' || (method !== 'GET' && method !== 'HEAD')) return undefined;
  const asset = state.is === 'built' ? state.files.assets.get(path) : undefined;
  if (asset !== undefined) return assetReply(asset, incoming);
  if (path.startsWith('/assets/') || askedType(incoming, ['text/html']) === undefined) return undefined;
  if (state.is !== 'built') return noticeReply(state.is);
  return pageReply(state.files.page, source.basePath, appUrl(source.appAddress(), incoming));
}

/** A changed file has another name, so a browser never asks again. */
function assetReply({ contentType, plain, coded }: ConsoleAsset, incoming: IncomingMessage): Reply {
  const taken = String(incoming.headers['accept-encoding'] ?? '').toLowerCase();
  const coding = codings.find((one) => coded[one] !== undefined && takes(taken, one));
  const headers = {
    'Cache-Control': 'public, max-age=31536000, immutable',
    Vary: 'Accept-Encoding',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(coding === undefined ? {} : { 'Content-Encoding': coding }),
  };
  return { status: 200, bytes: (coding && coded[coding]) ?? plain, contentType, headers };
}

/** Whether an `Accept-Encoding` names the coding, other than to refuse it (RFC 9110, 12.5.3). */
function takes(header: string, coding: string): boolean {
  return header.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim());
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

function appUrl(address: AppAddress | undefined, { headers }: IncomingMessage): string {
  if (address === undefined) return '';
  if ('url' in address) return address.url;
  const name = readHost(headers.host ?? '')?.name ?? '127.0.0.1';
  return `http://${name.includes(':') ? `[${name}]` : name}:${address.port}`;
}

/** Each reply has a nonce of its own, so no cache may keep it. */
function pageReply(page: string, basePath: string, app: string): Reply {
  const nonce = randomBytes(16).toString('base64url');
  const marks = new Map([
    ['__NONCE__', nonce],
    ['__BASE__', basePath],
    ['__APP_URL__', app],
  ]);
  // Addresses are as `URL` writes them: of the signs that mean something in a quoted attribute they have `&` alone.
  const body = page.replaceAll(/__[A-Z_]+__/g, (mark) => (marks.get(mark) ?? mark).replaceAll('&', '&amp;'));
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    // Styles that are made while the page runs come with the nonce.
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "font-src 'self'",
    `connect-src ${["'self'", originOf(app)].join(' ').trimEnd()}`,
    "form-action 'none'",
    "base-uri 'self'",
    "frame-ancestors 'none'",
  ];
  return htmlReply(200, body, policy.join('; '));
}

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? '';
}

const notices = {
  building: 'The console is being built. This page loads again by itself.',
  missing: 'The console is not built. Run <code>npm run build:console</code> and start the platform again.',
} as const;

function noticeReply(why: keyof typeof notices): Reply {
  const again = why === 'building' ? '<meta http-equiv="refresh" content="2">' : '';
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
${again}
<title>Freehold</title>
<h1>Freehold</h1>
<p>${notices[why]}</p>
<p>The API is served. <a href="/openapi.json">openapi.json</a> describes it.</p>
</html>
`;
  const reply = htmlReply(503, body, "default-src 'none'; frame-ancestors 'none'");
  return { ...reply, headers: { ...reply.headers, 'Retry-After': '2' } };
}

function htmlReply(status: number, body: string, policy: string): Reply {
  const headers = {
    'Content-Security-Policy': policy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    Vary: 'Accept',
  };
  return { status, body, contentType: 'text/html; charset=utf-8', headers };
}
