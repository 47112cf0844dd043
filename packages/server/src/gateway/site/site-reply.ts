import { conditional } from '../../api/headers/preconditions.ts';
import type { Reply } from '../../api/reply.ts';
import type { RequestHead } from '../../api/request.ts';
import { codingFor, codings } from '../compressing.ts';
import type { SiteFile } from '../site-files.ts';

/** A file whose name changes with its contents, so that a browser never asks again. */
export function keptReply(file: SiteFile, incoming: RequestHead): Reply {
  return codedReply(file, incoming, { 'Cache-Control': 'public, max-age=31536000, immutable' }).reply;
}

/** A file whose name stays: a browser asks each time whether its copy is current. */
export function revalidatedReply(file: SiteFile, incoming: RequestHead, more: Reply['headers'] = {}): Reply {
  const { reply, coding } = codedReply(file, incoming, { ...more, 'Cache-Control': 'no-cache' });
  const ETag = `"${file.digest}${coding === undefined ? '' : `-${coding}`}"`;
  return conditional(incoming, { ...reply, headers: { ...reply.headers, ETag } });
}

function codedReply({ contentType, plain, coded }: SiteFile, incoming: RequestHead, more: Reply['headers']) {
  const available = codings.filter((one) => coded[one] !== undefined);
  const coding = codingFor(incoming, available);
  const headers = {
    ...more,
    Vary: 'Accept-Encoding',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(coding === undefined ? {} : { 'Content-Encoding': coding }),
  };
  const reply: Reply = { status: 200, bytes: (coding && coded[coding]) ?? plain, contentType, headers };
  return { reply, coding };
}

interface Notice {
  readonly what: string;
  readonly isBuilding: boolean;
}

/** The message to a browser while there is nothing to show. */
export function noticeReply({ what, isBuilding }: Notice): Reply {
  const again = isBuilding ? '<meta http-equiv="refresh" content="2">' : '';
  const why = isBuilding
    ? `The ${what} is being built. This page loads again by itself.`
    : `The ${what} is not built. Run <code>npm ci &amp;&amp; npm run build</code> and start the platform again, or install a release, which comes with it.`;
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
${again}
<title>Freehold</title>
<h1>Freehold</h1>
<p>${why}</p>
<p>The API is served. <a href="/openapi.json">openapi.json</a> describes it.</p>
</html>
`;
  const headers = {
    ...htmlHeaders("default-src 'none'; frame-ancestors 'none'"),
    'Cache-Control': 'no-store',
    Vary: 'Accept',
    ...(isBuilding ? { 'Retry-After': '2' } : {}),
  };
  return { status: 503, body, contentType: 'text/html; charset=utf-8', headers };
}

/** The contents of every page, whatever it may do. */
export function htmlHeaders(policy: string): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': policy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
  };
}
