import type { ProblemCode } from '@freehold/contract/problem';
import { problemStatus } from '@freehold/contract/problem';
import { problemTitles } from '@freehold/contract/problem-titles';
import { sharedApi } from '@freehold/contract/shared';
import { json, type Reply } from '../../api/reply.ts';
import type { ServedRoute } from '../../api/route.ts';
import { serve, serveReply } from '../../api/serve.ts';
import { notFound, Problem } from '../../lib/problem.ts';

/** What both gateways answer about the process itself. */
export interface Operations {
  /** `notReady` says why the node cannot serve. */
  readonly readiness: () => Promise<{ readonly notReady: string | undefined; readonly store: ReadyStore }>;
}

interface ReadyStore {
  readonly kind: string;
  readonly synchronous: string;
  /** Whether the node hears at once what other nodes change. */
  readonly signals?: string;
  /** Where several servers keep the data. */
  readonly servers?: { readonly all: number; readonly down: number; readonly relayed: number };
}

/** The routes that both gateways have. @param hasDocs asked for each page, whether the gateway serves the page of all codes. */
export function sharedRoutes(operations: Operations, hasDocs = () => false): readonly ServedRoute<'public'>[] {
  return [
    serve(sharedApi.readHealth, () => ({ status: 'ok' as const })),
    serveReply(sharedApi.readReadiness, () => readyz(operations)),
    serveReply(sharedApi.readProblemPage, ({ params }) => problemPage(params.code, hasDocs())),
  ];
}

/** Whether the node can serve now, and how durable its writes are. */
async function readyz(operations: Operations): Promise<Reply> {
  const { notReady, store } = await operations.readiness();
  if (notReady !== undefined) throw new Problem('unavailable', notReady);
  // A load balancer must not take a node away that serves all but the scopes of one server.
  return json(200, { status: (store.servers?.down ?? 0) > 0 ? 'degraded' : 'ok', store });
}

/** The page behind a problem's `type`. */
function problemPage(code: string, hasDocs: boolean): Reply {
  if (!isProblemCode(code)) throw notFound();
  const status = problemStatus[code];
  const link = hasDocs ? `<p><a href="../docs/problems.html#${code}">All problems</a></p>` : '';
  const body = `<!doctype html><meta charset="utf-8"><title>${code}</title><h1>${code}</h1><p>${problemTitles[code]}.</p><p>HTTP status ${status}.</p>${link}`;
  const headers = {
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cross-Origin-Opener-Policy': 'same-origin',
  };
  return { status: 200, body, contentType: 'text/html; charset=utf-8', headers };
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problemStatus, code);
}
