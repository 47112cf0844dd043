/** Fields that come to an entity with records, and what becomes of them. */
import assert from 'node:assert/strict';
import type { Reply } from './call.ts';
import { eventually } from './eventually.ts';
import { manage, type Org } from './org.ts';

export interface Fill {
  readonly field: string;
  readonly state: string;
  readonly done?: number;
  readonly total?: number;
  readonly failed?: { readonly records: number; readonly examples: readonly object[] };
}

export interface Builds {
  readonly indexes: readonly { readonly name: string; readonly state: string }[];
  readonly fills?: readonly Fill[];
}

export const fields = [{ name: 'title' }, { name: 'minutes', colType: 'integer' }];
export const status = {
  name: 'status',
  colType: 'enum',
  enumValues: ['open', 'done'],
  validate: true,
  default: 'open',
};
export const hours = { name: 'hours', colType: 'number', backfill: 'minutes / 60.0', index: true };
export const cost = { name: 'cost', colType: 'formula', formula: { cel: 'minutes * 2', type: 'integer' }, index: true };

export function put(org: Org, body: object, query = ''): Promise<Reply<Builds>> {
  return manage<Builds>(org, 'PUT', `/api/create-entry${query}`, { body });
}

export async function change(org: Org, UpdateParams: readonly object[], more: object = {}): Promise<Builds> {
  const reply = await put(org, { UpdateParams, ...more });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** The outcome of fills and indexes once the platform is done with them. */
export async function settled(org: Org, env: 'test' | 'prod' = 'test'): Promise<readonly Fill[]> {
  return eventually('the end of fills and indexes', async () => {
    const { body } = await manage<Builds>(org, 'GET', `/api/entity?entityName=entry&env=${env}`);
    const { indexes, fills = [] } = body;
    return [...fills, ...indexes].every(({ state }) => state === 'failed' || state === 'ready') && fills;
  });
}
