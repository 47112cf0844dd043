import type { InputError } from '@freehold/contract/problem';
import { invalidBody } from '../../lib/problem.ts';
import { readBody } from '../people/read-body.ts';
import { nameErrors } from '../workspaces/read-workspace.ts';
import { expiryErrors, readExpiry } from './read-expiry.ts';

/** What a deploy key is for. */
export type DeployKeyScope = 'publish' | 'activate';

export interface AskedDeployKey {
  readonly name: string;
  readonly scope: DeployKeyScope;
  readonly expires_at: string | null;
}

const shape = { name: 'required', scope: 'required', expires_at: 'optional' } as const;

/** @throws Problem `validation_failed`, `unknown_field`. */
export function readDeployKey(input: unknown, now: number): AskedDeployKey {
  const { name, scope, expires_at } = readBody(input, shape);
  const expiry = readExpiry(expires_at);
  const errors: InputError[] = [...nameErrors(name), ...expiryErrors(expiry, now)];
  if (scope !== 'publish' && scope !== 'activate') {
    const message = '`scope` has to be `publish` or `activate`';
    throw invalidBody([...errors, { pointer: '/scope', code: 'invalid_value', message }]);
  }
  if (errors.length > 0 || expiry === undefined) throw invalidBody(errors);
  return { name: name.trim(), scope, expires_at: expiry };
}
