import type { InputError } from '@freehold/contract/problem';
import { linksPerUserMax } from '../../iam/port.ts';
import { invalidBody } from '../../lib/problem.ts';
import type { Environment } from '../../tenancy/port.ts';
import { readBody } from '../people/read-body.ts';
import { nameErrors } from '../workspaces/read-workspace.ts';
import { expiryErrors, readExpiry } from './read-expiry.ts';

/** A key that is asked for. */
export interface AskedKey {
  readonly env: Environment;
  readonly tenant_code: string;
  readonly name: string;
  /** Names of policies, each once. */
  readonly policies: readonly string[];
  readonly expires_at: string | null;
}

const shape = { env: 'required', tenant_code: 'required', name: 'required', expires_at: 'optional' } as const;

/** @throws Problem `validation_failed`, `unknown_field`. */
export function readServiceKey(input: unknown, now: number): AskedKey {
  const { policies, rest } = takePolicies(input);
  const { env, tenant_code, name, expires_at } = readBody(rest, shape);
  const expiry = readExpiry(expires_at);
  const errors: InputError[] = [...nameErrors(name)];
  if (!Array.isArray(policies) || !policies.every((one) => typeof one === 'string'))
    errors.push(wrong('policies', 'has to be an array of names of policies'));
  else if (policies.length > linksPerUserMax)
    errors.push(wrong('policies', `may have at most ${linksPerUserMax} names`));
  errors.push(...expiryErrors(expiry, now));
  if (env !== 'test' && env !== 'prod') throw invalidBody([...errors, wrong('env', 'has to be `test` or `prod`')]);
  if (errors.length > 0 || expiry === undefined) throw invalidBody(errors);
  return { env, tenant_code, name: name.trim(), policies: [...new Set(policies as string[])], expires_at: expiry };
}

function takePolicies(input: unknown): { readonly policies: unknown; readonly rest: unknown } {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return { policies: [], rest: input };
  const { policies = [], ...rest } = input as Readonly<Record<string, unknown>>;
  return { policies, rest };
}

function wrong(member: string, sentence: string): InputError {
  return { pointer: `/${member}`, code: 'invalid_value', message: `\`${member}\` ${sentence}` };
}
