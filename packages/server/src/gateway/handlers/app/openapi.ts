import { selfApi } from '@freehold/contract/app/self';
import { createAppDocuments } from '../../openapi/app-documents.ts';
import { documentReply } from '../../openapi/document-reply.ts';
import type { SelfRoute } from '../../routing/app-route.ts';
import { serveReply } from '../../../api/serve.ts';
import type { AppServices } from './services.ts';

/** What the org's app can be asked. It names the org's entities and fields, so it takes a token of the org. */
export function appDocumentRoutes(configs: AppServices['configs']): readonly SelfRoute[] {
  const documents = createAppDocuments();
  return [
    serveReply(selfApi.readOpenapi, async ({ query: { view }, incoming }, { claims }) => {
      const set = await configs[claims.env].current(claims.org);
      return documentReply(incoming, await documents.of({ orgCode: claims.org, env: claims.env, view }, set));
    }),
  ];
}
