import { appApi } from '@freehold/contract/app';
import type { ProblemCode } from '@freehold/contract/problem';
import { statementSchemas } from '../../access/port.ts';
import type { ConfigSet } from '../../config/port.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { type JsonSchema, schemaReference } from '../../lib/json-schema.ts';
import { Problem } from '../../lib/problem.ts';
import { cooperatively } from '../../lib/scheduling/event-loop.ts';
import { singleFlight } from '../../lib/scheduling/single-flight.ts';
import { apiNamesOf, type CompiledEntity, lookupOf, systemEntities } from '../../schema/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import { describedOperations } from './described-operations.ts';
import { type DocumentText, documentPieces, documentText } from './document.ts';
import { entityOperations } from './entity-operations.ts';
import { type DocumentedEntity, entitySchemas, recordSchemas } from './entity-schemas.ts';
import { recordedExamples } from './examples/recorded-examples.ts';
import { filterSchemas } from './list-parameters.ts';
import type { Operation } from './operation.ts';
import { problemSchemas } from './render-operation.ts';
import { showingActions, type TypeNames, typeNames } from './type-names.ts';
import { type DocumentedReference, documentedExpansions, type LookedUp, shownViews } from './view-schemas.ts';

/** One org's app in one environment, at one version of its configuration. */
interface DocumentedApp {
  readonly orgCode: string;
  readonly env: Environment;
  readonly version: number;
  readonly entities: readonly CompiledEntity[];
  /** By which replies show records, where an operation has it; left out, `default`. */
  readonly view?: string | undefined;
  /** The part that is described; left out, all of it. */
  readonly part?: DocumentedPart | undefined;
}

/** The routes of one entity, or those that every app has, with its routes of the entities of the platform. */
type DocumentedPart = { readonly entity: string } | 'every app';

/** The operations of the app gateway for the org, in pieces. Others are served in between. */
export async function* appDocument(app: DocumentedApp): AsyncGenerator<string> {
  const { orgCode, env, version, entities, part, view = 'default' } = app;
  const names = new Map<string, TypeNames>();
  const documented: DocumentedEntity[] = [];
  const lookedUp: LookedUp = (entityName, view) => names.get(entityName)?.views.get.get(view);
  const referring = new Map<string, DocumentedReference[]>();
  for await (const { entity, names: ofEntity } of cooperatively(typeNames(entities, takenNames))) {
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
    const expansions = () => documentedExpansions(entity, { referring, names });
    documented.push({ entity, names: ofEntity, view, lookedUp, expansions });
  }
  assertIsView(view, documented);
  const views = await shownViews(documented);
  const withDescribedViews = (operation: Operation): Operation => ({
    ...operation,
    path: operation.path.replace(':org', orgCode),
    problems: [...(operation.problems ?? []), ...problemsOfActing(operation, env)],
  });
  const parts = documentPieces({
    title: `The app API of ${orgCode}`,
    version: String(version),
    description: `The environment \`${env}\`. Log in, exchange the login token for an app JWT, and send that with each call; a page of an allowed domain may do so from a browser. Every refusal is problem details (RFC 9457) with a stable \`code\`. Replies show records by the view \`${view}\`; the document under \`?view=\` with another view describes them by that one.`,
    operations: mapped(
      [() => (isOfEntity(part) ? [] : described.operations), ...documented.map((one) => () => entityOperations(one))],
      (make) => make().map(withDescribedViews),
    ),
    schemas: mapped([() => sharedSchemas, ...documented.map((one) => () => entitySchemas(one, views))], (make) =>
      make(),
    ),
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

/** Refused as it is where records are asked for. */
function assertIsView(view: string, documented: readonly DocumentedEntity[]): void {
  if (view === 'default') return;
  if (documented.some(({ names }) => showingActions.some((action) => names.views[action].has(view)))) return;
  throw new Problem('invalid_request', `no entity has a view \`${view.slice(0, 100)}\``, {
    errors: [{ pointer: '/view', code: 'unknown_view', message: 'there is no view of this name' }],
  });
}

/** The refusals of an impersonating builder beyond those of the user. */
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

const takenNames: readonly string[] = [
  ...described.operations.map(({ operationId }) => operationId),
  ...Object.keys({ ...problemSchemas, ...sharedSchemas }),
];

interface DocumentOf {
  readonly orgCode: string;
  readonly env: Environment;
  readonly part?: DocumentedPart;
  readonly view?: string | undefined;
}

interface CachedDocument extends DocumentText {
  readonly version: number;
  readonly view: string;
}

/**
 * The documents of all orgs' apps, each made once for a version of its configuration.
 * @param charactersMax how much is kept of all documents together.
 */
export function createAppDocuments(charactersMax = 64 * 1024 * 1024) {
  const kept = new BoundedMap<string, CachedDocument>(charactersMax, ({ characters }) => characters);
  const flights = singleFlight<string, CachedDocument>();
  return {
    of: async ({ orgCode, env, part, view = 'default' }: DocumentOf, set: ConfigSet): Promise<DocumentText> => {
      // Beside the usual view one more is kept, the last that was asked for: no caller takes the room of others by views.
      const key = JSON.stringify([orgCode, env, part, view === 'default']);
      const known = kept.get(key);
      if (known?.version === set.version && known.view === view) return known;
      return flights(JSON.stringify([key, view, set.version]), async () => {
        const names = [...set.entityNames, ...systemEntities.keys()];
        const found = await Promise.all(names.map((name) => set.entity(name)));
        const entities = found.filter((entity) => entity !== undefined);
        const { version } = set;
        const text = await documentText(appDocument({ orgCode, env, version, entities, part, view }));
        const made = { ...text, version, view };
        kept.set(key, made);
        return made;
      });
    },
  };
}
