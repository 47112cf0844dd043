import { appApi } from '@freehold/contract/app';
import type { ProblemCode } from '@freehold/contract/problem';
import { statementSchemas } from '../../access/port.ts';
import { type JsonSchema, schemaReference } from '../../lib/json-schema.ts';
import { cooperatively } from '../../lib/scheduling/cooperatively.ts';
import { apiNamesOf, type CompiledEntity, lookupOf, systemEntities } from '../../schema/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import { describedOperations } from './described-operations.ts';
import { documentPieces } from './document.ts';
import { entityOperations } from './entity-operations.ts';
import { type DocumentedEntity, entitySchemas, recordSchemas } from './entity-schemas.ts';
import { recordedExamples } from './examples/recorded-examples.ts';
import { filterSchemas } from './list-parameters.ts';
import type { Operation } from './operation.ts';
import { problemSchemas } from './problem-responses.ts';
import { type DocumentedReference, documentedExpansions } from './related/expand-schemas.ts';
import { showingActions, type TypeNames, typeNames, viewsOf } from './type-names.ts';
import type { LookedUp } from './view-schemas.ts';

/** One org's app in one environment, at one version of its configuration. */
export interface DocumentedApp {
  readonly orgCode: string;
  readonly env: Environment;
  readonly version: number;
  readonly entities: readonly CompiledEntity[];
  /** The part that is described; left out, all of it. */
  readonly part?: DocumentedPart | undefined;
}

/** The routes of one entity, or those that every app has, with its routes of the entities of the platform. */
export type DocumentedPart = { readonly entity: string } | 'every app';

/**
 * The most fields that the views of all entities describe together; further views are described as an object of any
 * shape.
 */
const viewFieldsMax = 100_000;

/** What the app gateway does for the org, in pieces. Others are served in between. */
export async function* appDocument({ orgCode, env, version, entities, part }: DocumentedApp): AsyncGenerator<string> {
  const taken = Object.keys({ ...problemSchemas, ...sharedSchemas });
  const names = new Map<string, TypeNames>();
  const documented: DocumentedEntity[] = [];
  const lookedUp: LookedUp = (entityName, view) => names.get(entityName)?.views.get.get(view);
  const referring = new Map<string, DocumentedReference[]>();
  let viewFieldsLeft = viewFieldsMax;
  for await (const { entity, names: ofEntity } of cooperatively(typeNames(entities, taken))) {
    const isDescribed = describes(part, entity.name);
    // A schema of an entity that is not described cannot be referred to.
    if (isDescribed) names.set(entity.name, ofEntity);
    for (const { definition } of entity.fields.values()) {
      const lookup = lookupOf(definition);
      if (lookup === undefined) continue;
      const known = referring.get(lookup.entity) ?? [];
      referring.set(lookup.entity, known);
      for (const [at, field] of apiNamesOf(definition).entries())
        known.push({ entity: entity.name, field, isAlias: at > 0 });
    }
    if (!isDescribed) continue;
    viewFieldsLeft -= viewFieldsOf(entity);
    const expansions = () => documentedExpansions(entity, { referring, names });
    documented.push({ entity, names: ofEntity, lookedUp, expansions, tellsViews: viewFieldsLeft >= 0 });
  }
  const withDescribedViews = (operation: Operation): Operation => ({
    ...operation,
    path: operation.path.replace(':org', orgCode),
    problems: [...(operation.problems ?? []), ...problemsOfActing(operation, env)],
  });
  const parts = documentPieces({
    title: `The app API of ${orgCode}`,
    version: String(version),
    description: `The environment \`${env}\`. Log in, exchange the login token for an app JWT, and send that with each call; a page of an allowed domain may do so from a browser. Every refusal is problem details (RFC 9457) with a stable \`code\`.`,
    operations: mapped(
      [() => (isOfEntity(part) ? [] : described.operations), ...documented.map((one) => () => entityOperations(one))],
      (make) => make().map(withDescribedViews),
    ),
    schemas: mapped([() => sharedSchemas, ...documented.map((one) => () => entitySchemas(one))], (make) => make()),
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The app JWT, or a service key.' },
      serviceToken: { type: 'apiKey', in: 'header', name: 'x-service-token', description: 'The same.' },
    },
    tokenProblems: [
      'token_missing',
      'token_invalid',
      'token_expired',
      'access_denied',
      'account_disabled',
      'workspace_suspended',
      'rate_limited',
    ],
  });
  yield* cooperatively(parts);
}

function isOfEntity(part: DocumentedPart | undefined): part is { readonly entity: string } {
  return typeof part === 'object';
}

function describes(part: DocumentedPart | undefined, entityName: string): boolean {
  if (part === undefined) return true;
  return isOfEntity(part) ? part.entity === entityName : systemEntities.has(entityName);
}

/** Makes each when it is asked for, so that only one is held at a time. */
function* mapped<T, U>(items: readonly T[], make: (item: T) => U): Generator<U> {
  for (const item of items) yield make(item);
}

function viewFieldsOf(entity: CompiledEntity): number {
  const views = new Set(showingActions.flatMap((action) => Object.values(viewsOf(entity, action))));
  return [...views].reduce((sum, { fields }) => sum + fields.length, 0);
}

/** What an impersonating builder is refused beyond what the user is refused. */
function problemsOfActing({ method, access }: Operation, env: Environment): readonly ProblemCode[] {
  return env === 'prod' && access === 'token' && method !== 'GET' ? ['prod_read_only'] : [];
}

const described = describedOperations(appApi, recordedExamples('app'));

/** Schemas that are of no entity. */
const sharedSchemas: Readonly<Record<string, JsonSchema>> = {
  ...described.schemas,
  ...recordSchemas,
  ...filterSchemas,
  ...statementSchemas(schemaReference),
};
