import { selfApi } from '@freehold/contract/app/self';
import { accountsApi } from '@freehold/contract/management/accounts';
import { entitiesApi } from '@freehold/contract/management/entities';
import type { AnyRoute } from '../../api/route.ts';
import { serveReply } from '../../api/serve.ts';
import type { ConfigReader } from '../../config/port.ts';
import { notFound } from '../../lib/problem.ts';
import type { ConfigKinds } from '../../promotion/port.ts';
import { systemEntities } from '../../schema/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import { createAppDocuments } from '../openapi/app-documents.ts';
import { documentReply, documentText } from '../openapi/document-reply.ts';
import { type ManagementParts, managementDocument } from '../openapi/management-document.ts';

/** Each is undefined where the platform does without. */
type DocumentedParts = Readonly<Record<'operator' | 'inbox' | 'signInLinks', unknown>> & {
  /** Their schemas are in the document. */
  readonly configKinds: ConfigKinds;
};

/** What the management gateway can be asked. It says nothing of any org. */
export function managementDocumentRoutes({
  operator,
  inbox,
  signInLinks,
  configKinds,
}: DocumentedParts): readonly AnyRoute[] {
  const parts: ManagementParts = {
    hasOperator: operator !== undefined,
    hasInbox: inbox !== undefined,
    hasSignInLinks: signInLinks !== undefined,
  };
  const document = documentText(managementDocument(parts, configKinds));
  return [serveReply(accountsApi.readOpenapi, async ({ head }) => documentReply(head, await document))];
}

interface AppDocumentDeps {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
}

/** What apps can be asked, for builders, who have no token of an app. */
export function appReferenceRoutes({ configs }: AppDocumentDeps): readonly AnyRoute[] {
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

/** What the org's app can be asked. It names the org's entities and fields, so it takes a token of the org. */
export function appDocumentRoutes({ configs }: AppDocumentDeps): readonly AnyRoute[] {
  const documents = createAppDocuments();
  return [
    serveReply(selfApi.readOpenapi, async ({ query: { view }, head }, { claims }) => {
      const set = await configs[claims.env].current(claims.org);
      return documentReply(head, await documents.of({ orgCode: claims.org, env: claims.env, view }, set));
    }),
  ];
}
