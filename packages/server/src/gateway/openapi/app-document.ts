import type { ProblemCode } from '@freehold/contract/problem';
import type { CompiledEntity } from '../../entities/compile-entity.ts';
import type { Environment } from '../../entities/workspace.ts';
import type { JsonSchema } from '../../lib/json-schema.ts';
import { authzenOperations, authzenSchemas } from './authzen-operations.ts';
import { batchOperation, batchSchemas } from './batch-operation.ts';
import { buildDocument } from './document.ts';
import { entityOperations } from './entity-operations.ts';
import { type DocumentedEntity, entitySchemas, recordSchemas } from './entity-schemas.ts';
import { invitationOperations, invitationSchemas } from './invitation-operations.ts';
import { filterSchemas } from './list-parameters.ts';
import { mailOperations } from './mail-operations.ts';
import type { Operation } from './operation.ts';
import { problemSchemas } from './problem-responses.ts';
import { selfOperations, selfSchemas } from './self-operations.ts';
import { documentOperation, sharedOperations } from './shared-operations.ts';
import { signInOperations, signInSchemas } from './sign-in-operations.ts';
import { withTypeNames } from './type-names.ts';
import type { LookedUp } from './view-schemas.ts';
import { workspaceOperations, workspaceSchemas } from './workspace-operations.ts';

/** One org's app in one environment, at one version of its configuration. */
export interface DocumentedApp {
  readonly orgCode: string;
  readonly env: Environment;
  readonly version: number;
  readonly entities: readonly CompiledEntity[];
}

/** What the app gateway does for the org. */
export function appDocument({ orgCode, env, version, entities }: DocumentedApp): JsonSchema {
  const taken = Object.keys({ ...problemSchemas, ...sharedSchemas });
  const named = withTypeNames(entities, taken);
  const names = new Map(named.map((one) => [one.entity.name, one.names]));
  const lookedUp: LookedUp = (entityName, view) => names.get(entityName)?.views.get.get(view);
  const documented = named.map((one): DocumentedEntity => ({ ...one, lookedUp }));
  const operations = [
    ...signInOperations,
    ...workspaceOperations,
    ...invitationOperations,
    ...selfOperations,
    ...mailOperations,
    ...documented.flatMap(entityOperations),
    batchOperation,
    ...authzenOperations,
    documentOperation({ path: '/app/:org/openapi.json', access: 'token' }),
    ...sharedOperations,
  ];
  return buildDocument({
    title: `The app API of ${orgCode}`,
    version: String(version),
    description: `The environment \`${env}\`. Log in, exchange the login token for an app JWT, and send that with each call; a page of an allowed domain may do so from a browser. Every refusal is problem details (RFC 9457) with a stable \`code\`.`,
    operations: operations.map((operation) => ({
      ...operation,
      path: operation.path.replace(':org', orgCode),
      problems: [...(operation.problems ?? []), ...problemsOfActing(operation, env)],
    })),
    schemas: Object.assign({}, sharedSchemas, ...documented.map(entitySchemas)),
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The app JWT, or a service key.' },
      serviceToken: { type: 'apiKey', in: 'header', name: 'x-service-token', description: 'The same.' },
    },
    tokenProblems: ['token_missing', 'token_invalid', 'token_expired', 'access_denied', 'rate_limited'],
  });
}

/** What a builder who acts for somebody is refused beside what that person is. */
function problemsOfActing({ method, access }: Operation, env: Environment): readonly ProblemCode[] {
  return env === 'prod' && access === 'token' && method !== 'GET' ? ['prod_read_only'] : [];
}

/** Schemas that are of no entity. */
const sharedSchemas: Readonly<Record<string, JsonSchema>> = {
  ...signInSchemas,
  ...workspaceSchemas,
  ...invitationSchemas,
  ...selfSchemas,
  ...recordSchemas,
  ...batchSchemas,
  ...authzenSchemas,
  ...filterSchemas,
};
