import { documentPieces } from './document.ts';
import { managementOperations } from './management-operations.ts';
import { managementSchemas } from './management-schemas.ts';
import { platformOperations, platformSchemas } from './platform-operations.ts';
import { rememberedOperation } from './remembered-operation.ts';
import { planOperations, planSchemas } from './usage-operations.ts';

/** What the management gateway does: the same for every org. */
export function managementDocument({ hasOperator }: { readonly hasOperator: boolean }): Iterable<string> {
  const operations = [...managementOperations(), ...(hasOperator ? [...platformOperations, ...planOperations] : [])];
  return documentPieces({
    title: 'Freehold management API',
    version: '1',
    description:
      'For builders. Sign up or log in, and send the session’s token with each call. Every refusal is problem details (RFC 9457) with a stable `code`.',
    operations: [operations.map(rememberedOperation)],
    schemas: [{ ...managementSchemas, ...(hasOperator ? { ...platformSchemas, ...planSchemas } : {}) }],
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: bearerDescription } },
    tokenProblems: ['token_missing', 'token_invalid', 'rate_limited'],
  });
}

const bearerDescription = 'The token of a session; for routes under `/platform` the operator key.';
