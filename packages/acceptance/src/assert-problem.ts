import assert from 'node:assert/strict';
import { type InputError, type ProblemBody, type ProblemCode, problemStatus } from '@freehold/contract/problem';
import type { Reply } from './call.ts';

/** What no refusal may let out: SQL, a stack, a stored key, a path of the server. */
const leaks = [
  /\bselect\b.*\bfrom\b/i,
  /sqlite/i,
  /\bat .+:\d+:\d+/,
  /\.ts\b/,
  /node:/,
  /org#[a-z]/,
  /\bdata#[a-z]/,
  /\/(?:tmp|home|root|usr)\//,
];

/** Holds a refusal to the one shape that all refusals have, and to the code that was expected. */
export function assertProblem(reply: Reply<unknown>, code: ProblemCode): ProblemBody {
  const body = assertRefusal(reply);
  assert.equal(body.code, code, reply.text);
  return body;
}

/** The same, where more than one code is a fair answer. */
export function assertRefusal(reply: Reply<unknown>, statuses?: readonly number[]): ProblemBody {
  const body = reply.body as ProblemBody | undefined;
  assert.ok(body !== undefined, `no problem body but ${reply.status} ${reply.text}`);
  assert.match(reply.headers.get('content-type') ?? '', /^application\/problem\+json/);
  assert.ok(body.code in problemStatus, `unknown code in ${reply.text}`);
  assert.equal(reply.status, problemStatus[body.code], reply.text);
  if (statuses !== undefined) assert.ok(statuses.includes(reply.status), reply.text);
  assert.equal(body.status, reply.status);
  assert.equal(body.request_id, reply.headers.get('x-request-id'));
  for (const member of ['type', 'title', 'detail'] as const) assert.ok(body[member].length > 0, member);
  if (reply.status === 401) assert.ok(reply.headers.get('www-authenticate'), 'a 401 names its challenge');
  for (const leak of leaks) assert.doesNotMatch(reply.text, leak);
  return body;
}

/** The JSON pointers of a refusal's mistakes, in order. */
export function pointers(problem: ProblemBody): readonly string[] {
  return (problem.errors ?? []).map((error: InputError) => error.pointer).sort();
}
