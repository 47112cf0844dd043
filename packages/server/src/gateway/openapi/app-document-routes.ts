import { selfApi } from '@freehold/contract/app/self';
import type { AnyRoute } from '../../api/route.ts';
import { serveReply } from '../../api/serve.ts';
import { createAppDocuments } from './app-documents.ts';
import { documentReply } from './document-reply.ts';
import type { AppServices } from '../app-services.ts';

/** What the org's app can be asked. It names the org's entities and fields, so it takes a token of the org. */
export function appDocumentRoutes(configs: AppServices['configs']): readonly AnyRoute[] {
  const documents = createAppDocuments();
  return [
    serveReply(selfApi.readOpenapi, async ({ query: { view }, head }, { claims }) => {
      const set = await configs[claims.env].current(claims.org);
      return documentReply(head, await documents.of({ orgCode: claims.org, env: claims.env, view }, set));
    }),
  ];
}
