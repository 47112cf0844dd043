import { systemEntityNames } from '@freehold/contract/system-entities';
import {
  type AccessContext,
  type AttachedPolicy,
  type CompiledAccess,
  compilePolicies,
  enforcedOf,
  routeOfVerb,
  type Verb,
  verbs,
} from '../../access/port.ts';
import type { ConfigSet } from '../../config/port.ts';
import { lintBlocks } from '../linted-config.ts';

type RenamedFields = ReturnType<CompiledAccess['renamedFields']>;

/** The permissions of a person, by entity and verb, and the statements that it comes from, as they are stored. */
export interface Permissions {
  readonly entities: Readonly<Record<string, Readonly<Record<Verb, boolean>>>>;
  /** The names of the blocks that may be run, and of no others. */
  readonly logicblocks: readonly string[];
  readonly statements: readonly unknown[];
  /** The fields that these call by a name other than the present one, by entity. */
  readonly renamed?: Readonly<Record<string, RenamedFields>>;
}

/** The person who asks, and the address and time. */
export interface PermissionsCaller extends Pick<AccessContext, 'user' | 'tenant' | 'jwt'> {
  readonly request: Pick<AccessContext['request'], 'ip' | 'time' | 'origin'>;
}

/**
 * Answers whether a verb may be allowed: with some record, and some body. Which ones is in the statements.
 * @param config has the entities of the org; system entities are in every workspace.
 * @param pause is asked between two decisions.
 */
export async function permissionsOf(
  held: readonly AttachedPolicy[],
  config: ConfigSet,
  caller: PermissionsCaller,
  pause: () => Promise<void> | undefined,
): Promise<Permissions> {
  const access = compilePolicies(held);
  const may = (verb: Verb, entityName: string): boolean => {
    const action = verb + entityName;
    const { method, resource } = routeOfVerb({ verb, entityName }, '');
    const parts = { method, path: resource, pathParameters: { entity: entityName }, queryParameters: new Map() };
    const context = (): AccessContext => ({
      ...caller,
      request: { ...caller.request, ...parts },
      pending: [...(verb === 'browse' ? [] : ['record' as const]), ...(method === 'GET' ? [] : ['body' as const])],
    });
    const isAboutOne = aboutOne.includes(verb);
    const ruling = isAboutOne ? access.ruleOnSome(action, resource, context) : access.rule(action, resource, context);
    return ruling.outcome === 'allowed' || ruling.outcome === 'undecided';
  };
  const names = [...new Set([...config.entityNames, ...systemEntityNames])].sort();
  const renamed: Record<string, RenamedFields> = {};
  const enforced = held.map((policy) => ({ ...policy, statements: enforcedOf(policy.statements) }));
  const mayNameFields = enforced.some(({ statements }) =>
    /"Fields"|record\.|request\./i.test(JSON.stringify(statements)),
  );
  const entities: Record<string, Record<Verb, boolean>> = {};
  for (const name of names) {
    const allowed = { ...nothing };
    for (const verb of verbs) {
      await pause();
      allowed[verb] = may(verb, name);
    }
    entities[name] = allowed;
    const naming = mayNameFields ? (await config.entity(name))?.naming : undefined;
    const found = naming === undefined ? [] : renamedIn(access, name, { ...caller, naming });
    if (found.length > 0) renamed[name] = found;
  }
  const logicblocks: string[] = [];
  for (const name of lintBlocks(config).toSorted()) {
    await pause();
    if (mayRun(access, name, caller)) logicblocks.push(name);
  }
  const statements = new Map(enforced.map((policy) => [policy.policyId, policy.statements]));
  const isRenamed = Object.keys(renamed).length > 0;
  return { entities, logicblocks, statements: [...statements.values()].flat(), ...(isRenamed ? { renamed } : {}) };
}

/** With some input, and something or nothing in the path after the name. */
function mayRun(access: CompiledAccess, name: string, caller: PermissionsCaller): boolean {
  const action = `run${name}`;
  const path = `/logicblocks/${name}`;
  const parts = { method: 'POST', path, pathParameters: { name }, queryParameters: new Map() };
  const context = (): AccessContext => ({ ...caller, request: { ...caller.request, ...parts }, pending: ['body'] });
  const rulings = [access.rule(action, path, context), access.ruleOnSome(action, `${path}/`, context)];
  return rulings.some(({ outcome }) => outcome === 'allowed' || outcome === 'undecided');
}

function renamedIn(
  access: CompiledAccess,
  entityName: string,
  { request, ...caller }: PermissionsCaller & Pick<AccessContext, 'naming'>,
): RenamedFields {
  const sent = { method: '', path: '', pathParameters: {}, queryParameters: new Map() };
  const context = { ...caller, request: { ...request, ...sent } };
  const found = verbs.flatMap((verb) => access.renamedFields(verb + entityName, () => context));
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}

const nothing: Readonly<Record<Verb, boolean>> = {
  get: false,
  list: false,
  count: false,
  create: false,
  update: false,
  delete: false,
  browse: false,
};

/** Verbs whose route names a record. */
const aboutOne: readonly Verb[] = ['get', 'update', 'delete'];
