import { managementApi } from '@freehold/contract/management';
import { inboxApi } from '@freehold/contract/management/inbox';
import { signInLinksApi } from '@freehold/contract/management/sign-in-links';
import type { Route } from '@freehold/contract/route';
import type { ConfigKinds } from '../../promotion/port.ts';
import { describedOperations } from './described-operations.ts';
import { documentPieces } from './document.ts';
import { recordedExamples } from './examples/recorded-examples.ts';
import { madeSchemas } from './made-schemas.ts';

/** What a platform has or does without: its document leaves out the routes that would always be 404. */
export interface ManagementParts {
  readonly hasOperator: boolean;
  readonly hasInbox: boolean;
  readonly hasSignInLinks: boolean;
}

/** What the management gateway does: the same for every org. */
export function managementDocument(
  { hasOperator, hasInbox, hasSignInLinks }: ManagementParts,
  kinds: ConfigKinds,
): Iterable<string> {
  const missing: readonly Route[] = [
    ...(hasInbox ? [] : [inboxApi.readInbox]),
    ...(hasSignInLinks ? [] : [signInLinksApi.createSignInLink, signInLinksApi.signInByLink]),
  ];
  const all: readonly [string, Route][] = Object.entries(managementApi);
  const routes = Object.fromEntries(
    all.filter(([, route]) => !missing.includes(route) && (hasOperator || route.access !== 'operator')),
  );
  const { operations, schemas } = describedOperations(routes, recordedExamples('management'));
  return documentPieces({
    title: 'Freehold management API',
    version: '1',
    description:
      'For builders. Sign up or log in, and send the session’s token with each call. Every error is problem details (RFC 9457) with a stable `code`.',
    operations: [operations],
    schemas: [{ ...schemas, ...madeSchemas(kinds) }],
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: bearerDescription } },
    tokenProblems: ['token_missing', 'token_invalid', 'rate_limited'],
  });
}

const bearerDescription = 'The token of a session; for routes under `/platform` the operator key.';
