import type { Reply } from '../../api/reply.ts';

export interface Notice {
  readonly what: string;
  readonly isBuilding: boolean;
}

/** What a browser is told while there is nothing to show. */
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

/** What every page has, whatever it may do. */
export function htmlHeaders(policy: string): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': policy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
  };
}
