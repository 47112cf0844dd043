import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { readTarget } from '../../api/canonical-path.ts';
import { preferredType } from '../../api/headers/file-format.ts';
import { readHost } from '../../api/headers/host.ts';
import type { Reply } from '../../api/reply.ts';
import type { RoutePattern } from '../../api/router.ts';
import type { Gateway } from '../app-gateway.ts';
import type { AppAddress, ConsoleSource, DocsSource } from '../site-files.ts';
import { docsReply } from './docs.ts';
import { htmlHeaders, keptReply, noticeReply } from './site-reply.ts';

interface Sites {
  readonly console: ConsoleSource;
  readonly docs: DocsSource;
}

/**
 * The management gateway with its sites, which answer only below first segments that no route of the API has. An address
 * of a site with a slash at its end, as people type it, leads to the one without it.
 */
export function withSites(api: Gateway, routes: readonly RoutePattern[], { console, docs }: Sites): Gateway {
  const segmentsOfApi = new Set(routes.map(({ path }) => firstSegment(path)));
  const siteReply = (incoming: IncomingMessage, path: string): Reply | undefined => {
    const segment = firstSegment(path);
    if (segmentsOfApi.has(segment)) return undefined;
    return segment === 'docs' ? docsReply(docs, incoming, path) : consoleReply(console, incoming, path);
  };
  return async (incoming, trace, errors) => {
    const url = incoming.url ?? '/';
    const [whole = '', folder = ''] = /^([^?]*[^/?])\/(?=\?|$)/.exec(url) ?? [];
    const { path, query } = readTarget(folder + url.slice(whole.length));
    const reply = siteReply(incoming, path);
    if (reply === undefined) return api(incoming, trace, errors);
    trace.route = '/*';
    return whole === '' ? reply : withoutSlash(path, query);
  };
}

/** Relative, because a proxy may serve the gateway below a path of its own. */
function withoutSlash(path: string, query: string): Reply {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const Location = `../${name}${query === '' ? '' : `?${query}`}`;
  return { status: 302, headers: { Location, 'Cache-Control': 'no-cache' } };
}

function firstSegment(path: string): string {
  const [, segment = ''] = path.split('/', 2);
  return segment;
}

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
  if (path.startsWith('/assets/') || preferredType(incoming, ['text/html']) === undefined) return undefined;
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
