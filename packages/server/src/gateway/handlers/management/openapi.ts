import { accountsApi } from '@freehold/contract/management/accounts';
import { documentReply, documentText } from '../../openapi/document-reply.ts';
import { managementDocument } from '../../openapi/management-document.ts';
import type { PublicRoute } from '../../routing/public-route.ts';
import { serveReply } from '../../serve.ts';

/** What the management gateway can be asked. It says nothing of any org. */
export function managementDocumentRoutes({ operator }: { readonly operator: unknown }): readonly PublicRoute[] {
  const document = documentText(managementDocument({ hasOperator: operator !== undefined }));
  return [serveReply(accountsApi.readOpenapi, async ({ incoming }) => documentReply(incoming, await document))];
}
