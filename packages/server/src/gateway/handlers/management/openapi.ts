import { documentReply, documentText } from '../../openapi/document-reply.ts';
import { managementDocument } from '../../openapi/management-document.ts';
import type { PublicRoute } from '../../public-route.ts';

/** What the management gateway can be asked. It says nothing of any org. */
export function managementDocumentRoutes({ operator }: { readonly operator: unknown }): readonly PublicRoute[] {
  const document = documentText(managementDocument({ hasOperator: operator !== undefined }));
  return [
    {
      method: 'GET',
      path: '/openapi.json',
      access: 'public',
      handle: async ({ incoming }) => documentReply(incoming, await document),
    },
  ];
}
