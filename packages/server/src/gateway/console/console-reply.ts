import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { askedType } from '../../api/headers/asked-type.ts';
import { readHost } from '../../api/headers/host.ts';
import type { Reply } from '../../api/reply.ts';
import { keptReply } from '../site/file-reply.ts';
import { htmlHeaders, noticeReply } from '../site/notice-reply.ts';
import type { AppAddress, ConsoleSource } from '../site-source.ts';

/**
 * The reply to a path that no route has: a file of the console, or for a browser that asks for a page the console itself,
 * which shows the screen of that path. Undefined where the console has no answer.
 */
export function consoleReply(source: ConsoleSource, incoming: IncomingMessage, path: string): Reply | undefined {
  const { method } = incoming;
  const state = source.current();
  if (state.is === 'off' || (method !== 'GET' && method !== 'HEAD')) return undefined;
  const asset = state.is === 'built' ? state.files.assets.get(path) : undefined;
  if (asset !== undefined) return keptReply(asset, incoming);
  if (path.startsWith('/assets/') || askedType(incoming, ['text/html']) === undefined) return undefined;
  if (state.is !== 'built') return noticeReply({ what: 'console', isBuilding: state.is === 'building' });
  return pageReply(state.files.page, source.basePath, appUrl(source.appAddress(), incoming));
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
  const headers = { ...htmlHeaders(policy.join('; ')), 'Cache-Control': 'no-store', Vary: 'Accept' };
  return { status: 200, body, contentType: 'text/html; charset=utf-8', headers };
}

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? '';
}
