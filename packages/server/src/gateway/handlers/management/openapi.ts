import { accountsApi } from '@freehold/contract/management/accounts';
import { entitiesApi } from '@freehold/contract/management/entities';
import type { ConfigReader } from '../../../config/port.ts';
import { notFound } from '../../../lib/problem.ts';
import type { ConfigKinds } from '../../../promotion/port.ts';
import { systemEntities } from '../../../schema/port.ts';
import type { Environment } from '../../../tenancy/port.ts';
import { createAppDocuments } from '../../openapi/app-documents.ts';
import { documentReply, documentText } from '../../openapi/document-reply.ts';
import { type ManagementParts, managementDocument } from '../../openapi/management-document.ts';
import type { ManagementRoute } from '../../routing/management-route.ts';
import type { PublicRoute } from '../../routing/public-route.ts';
import { serveReply } from '../../serve.ts';

export interface ManagementDocumentServices {
  /** Their schemas are in the document. */
  readonly configKinds: ConfigKinds;
}

/** Each is undefined where the platform does without. */
type DocumentedServices = Readonly<Record<'operator' | 'inbox' | 'signInLinks', unknown>>;

/** What the management gateway can be asked. It says nothing of any org. */
export function managementDocumentRoutes(
  services: DocumentedServices & ManagementDocumentServices,
): readonly PublicRoute[] {
  const { operator, inbox, signInLinks, configKinds } = services;
  const parts: ManagementParts = {
    hasOperator: operator !== undefined,
    hasInbox: inbox !== undefined,
    hasSignInLinks: signInLinks !== undefined,
  };
  const document = documentText(managementDocument(parts, configKinds));
  return [serveReply(accountsApi.readOpenapi, async ({ incoming }) => documentReply(incoming, await document))];
}

export interface AppDocumentServices {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
}

/** What apps can be asked, for builders, who have no token of an app. */
export function appReferenceRoutes({ configs }: AppDocumentServices): readonly ManagementRoute[] {
  const documents = createAppDocuments(keptCharactersMax);
  return [
    serveReply(entitiesApi.readAppOpenapi, async ({ query: { env, entity, view }, incoming }, { org }) => {
      const set = await configs[env].current(org.code);
      if (entity !== undefined && !set.entityNames.includes(entity) && !systemEntities.has(entity)) throw notFound();
      const part = entity === undefined ? 'every app' : { entity };
      return documentReply(incoming, await documents.of({ orgCode: org.code, env, part, view }, set));
    }),
  ];
}

/** A part is small, and made again in some milliseconds. */
const keptCharactersMax = 8 * 1024 * 1024;
