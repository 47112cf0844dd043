/** Batches as a client writes them, and what it finds in the answers. */
import assert from 'node:assert/strict';
import type { ProblemBody } from '@freehold/contract/problem';
import type { Reply } from './call.ts';
import { type AppUser, act, type StoredRecord } from './org.ts';

export interface Operation {
  readonly action: string;
  readonly entity: string;
  readonly id?: string;
  readonly data?: unknown;
  readonly if_match?: unknown;
}

export interface Result {
  readonly status: number;
  readonly id?: string;
  readonly etag?: string;
  readonly record?: StoredRecord;
  readonly error?: ProblemBody;
}

export interface Results {
  readonly results: readonly Result[];
}

export function creating(entity: string, data: unknown): Operation {
  return { action: 'create', entity, data };
}

export function updating(entity: string, { id }: { readonly id: string }, data: unknown): Operation {
  return { action: 'update', entity, id, data };
}

export function deleting(entity: string, { id }: { readonly id: string }): Operation {
  return { action: 'delete', entity, id };
}

export function atomic(user: AppUser, operations: readonly unknown[]): Promise<Reply<Results>> {
  return act<Results>(user, 'POST', '/batch', { body: { mode: 'atomic', operations } });
}

/** The results of an atomic batch that must be accepted. */
export async function together(user: AppUser, operations: readonly unknown[]): Promise<readonly Result[]> {
  const { status, text, body } = await atomic(user, operations);
  assert.equal(status, 200, text);
  return body.results;
}

/** The results of a batch that is not atomic, which is answered 200 whatever the results of its operations are. */
export async function apart(user: AppUser, operations: readonly unknown[]): Promise<readonly Result[]> {
  const reply = await act<Results>(user, 'POST', '/batch', { body: { mode: 'independent', operations } });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.results;
}
