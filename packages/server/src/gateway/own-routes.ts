import { selfApi } from '@freehold/contract/app/self';
import { accountsApi } from '@freehold/contract/management/accounts';
import { entitiesApi } from '@freehold/contract/management/entities';
import { type ProblemCode, problemStatus } from '@freehold/contract/problem';
import { problemTitles } from '@freehold/contract/problem-titles';
import { sharedApi } from '@freehold/contract/shared';
import { json, type Reply } from '../api/reply.ts';
import type { AnyRoute, ServedRoute } from '../api/route.ts';
import { serve, serveReply } from '../api/serve.ts';
import type { ConfigReaders } from '../config/port.ts';
import { notFound, Problem } from '../lib/problem.ts';
import type { ConfigKinds } from '../promotion/port.ts';
import { systemEntities } from '../schema/port.ts';
import { createAppDocuments } from './openapi/app-document.ts';
import { documentReply, documentText, managementDocument } from './openapi/document.ts';
import { docsRoutes } from './site/docs.ts';
import type { DocsSource } from './site-files.ts';

export interface OwnRouteDeps extends ProcessOperations {
  readonly configs: ConfigReaders;
  readonly docs: DocsSource;
  readonly configKinds: ConfigKinds;
  /** Undefined where the platform does without, as the two below. */
  readonly operator: object | undefined;
  readonly inbox: object | undefined;
  readonly signInLinks: object | undefined;
}

/** The routes of the gateways themselves: documents, the page about an app, and the state of the process. */
export function ownRoutes(deps: OwnRouteDeps): {
  readonly app: readonly AnyRoute[];
  readonly management: readonly AnyRoute[];
} {
  return {
    app: [...appDocumentRoutes(deps), ...docsRoutes(deps), ...sharedRoutes(deps)],
    management: [
      ...appReferenceRoutes(deps),
      ...managementDocumentRoutes(deps),
      ...sharedRoutes(deps, () => deps.docs.current().is !== 'off'),
    ],
  };
}

/** The document of the management gateway. It says nothing of any org. */
function managementDocumentRoutes({ operator, inbox, signInLinks, configKinds }: OwnRouteDeps): readonly AnyRoute[] {
  const parts = {
    hasOperator: operator !== undefined,
    hasInbox: inbox !== undefined,
    hasSignInLinks: signInLinks !== undefined,
  };
  const document = documentText(managementDocument(parts, configKinds));
  return [serveReply(accountsApi.readOpenapi, async ({ head }) => documentReply(head, await document))];
}

/** The documents of apps, for builders, who have no token of an app. */
function appReferenceRoutes({ configs }: Pick<OwnRouteDeps, 'configs'>): readonly AnyRoute[] {
  const documents = createAppDocuments(keptCharactersMax);
  return [
    serveReply(entitiesApi.readAppOpenapi, async ({ query: { env, entity, view }, head }, { org }) => {
      const set = await configs[env].current(org.code);
      if (entity !== undefined && !set.entityNames.includes(entity) && !systemEntities.has(entity)) throw notFound();
      const part = entity === undefined ? 'every app' : { entity };
      return documentReply(head, await documents.of({ orgCode: org.code, env, part, view }, set));
    }),
  ];
}

/** A part is small, and made again in some milliseconds. */
const keptCharactersMax = 8 * 1024 * 1024;

/** The document of the org's app. It names the org's entities and fields, so it takes a token of the org. */
function appDocumentRoutes({ configs }: Pick<OwnRouteDeps, 'configs'>): readonly AnyRoute[] {
  const documents = createAppDocuments();
  return [
    serveReply(selfApi.readOpenapi, async ({ query: { view }, head }, { claims }) => {
      const set = await configs[claims.env].current(claims.org);
      return documentReply(head, await documents.of({ orgCode: claims.org, env: claims.env, view }, set));
    }),
  ];
}

/** The replies of both gateways about the process itself. */
export interface ProcessOperations {
  /** `notReady` says why the node cannot serve. */
  readonly readiness: () => Promise<{ readonly notReady: string | undefined; readonly store: ReadyStore }>;
}

interface ReadyStore {
  readonly kind: string;
  readonly synchronous: string;
  /** Whether the node hears at once what other nodes change. */
  readonly signals?: string;
  /** Given where several servers keep the data. */
  readonly servers?: { readonly all: number; readonly down: number; readonly relayed: number };
}

/** The routes that both gateways have. @param hasDocs asked for each page, whether the gateway serves the page of all codes. */
export function sharedRoutes(operations: ProcessOperations, hasDocs = () => false): readonly ServedRoute<'public'>[] {
  return [
    serve(sharedApi.readHealth, () => ({ status: 'ok' as const })),
    serveReply(sharedApi.readReadiness, () => readyz(operations)),
    serveReply(sharedApi.readProblemPage, ({ params }) => problemPage(params.code, hasDocs())),
  ];
}

/** Whether the node can serve now, and how durable its writes are. */
async function readyz(operations: ProcessOperations): Promise<Reply> {
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
