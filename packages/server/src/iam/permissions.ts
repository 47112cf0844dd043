import { noContext } from '../access/context.ts';
import { compilePolicies } from '../access/decide.ts';
import { type Verb, verbs } from '../access/verbs.ts';
import { systemEntityNames } from '../entities/system-entity-names.ts';
import type { Workspace } from '../entities/workspace.ts';
import { heldPolicies } from './held-policies.ts';

/** What a person may do, by entity and verb, and the statements that it comes from, as they are stored. */
export interface Permissions {
  readonly entities: Readonly<Record<string, Readonly<Record<Verb, boolean>>>>;
  readonly statements: readonly unknown[];
}

/**
 * Answers for a record that no policy names by its id; statements about single records are the app's to read.
 * @param entityNames those of the org; system entities are in every workspace.
 */
export async function permissionsOf(
  workspace: Workspace,
  userId: string,
  entityNames: readonly string[],
): Promise<Permissions> {
  const held = await heldPolicies(workspace, userId);
  const access = compilePolicies(held);
  const may = (verb: Verb, entity: string): boolean =>
    access.rule(verb + entity, resourceOf(verb, entity), noContext).outcome === 'allowed';
  const names = [...new Set([...entityNames, ...systemEntityNames])].sort();
  const entities = names.map((name) => [name, Object.fromEntries(verbs.map((verb) => [verb, may(verb, name)]))]);
  const statements = new Map(held.map((policy) => [policy.policyId, policy.statements]));
  return { entities: Object.fromEntries(entities), statements: [...statements.values()].flat() };
}

/** The path after `/app/{orgCode}` of the route that a verb is asked for on. */
function resourceOf(verb: Verb, entity: string): string {
  switch (verb) {
    case 'get':
      return `/item/${entity}/${anyRecord}`;
    case 'update':
    case 'delete':
      return `/${verb}/${entity}/${anyRecord}`;
    case 'browse':
      return `/list/${entity}`;
    case 'list':
    case 'count':
    case 'create':
      return `/${verb}/${entity}`;
  }
}

/** A UUID that no record has (RFC 9562, 5.9). */
const anyRecord = '00000000-0000-0000-0000-000000000000';
