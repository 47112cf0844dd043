import type { InputError } from '@freehold/contract/problem';
import { invalidBody } from '../../lib/problem.ts';
import { readBody } from '../people/read-body.ts';
import { defaultWorkspaceCode } from './resolve-workspace.ts';
import { isWorkspaceCode } from './workspace-code.ts';

/** A workspace that is asked for. @throws Problem `validation_failed`, `unknown_field`. */
export function readNewWorkspace(input: unknown): { readonly name: string; readonly code: string | undefined } {
  const { name, code } = readBody(input, { name: 'required', code: 'optional' } as const);
  const errors: InputError[] = [...nameErrors(name)];
  if (code !== undefined && !isWorkspaceCode(code))
    errors.push(wrong('code', 'has to be 1 to 63 of `a-z`, `0-9`, `-`, with no hyphen at an end'));
  if (code === defaultWorkspaceCode) errors.push(wrong('code', `\`${code}\` is kept for the default workspace`));
  if (errors.length > 0) throw invalidBody(errors);
  return { name: name.trim(), code };
}

/** @throws Problem `validation_failed`, `unknown_field`. */
export function readWorkspaceChange(input: unknown): {
  readonly name: string | undefined;
  readonly default_member_access: string | undefined;
} {
  const change = readBody(input, { name: 'optional', default_member_access: 'optional' } as const);
  const errors: InputError[] = change.name === undefined ? [] : [...nameErrors(change.name)];
  if (change.name === undefined && change.default_member_access === undefined)
    errors.push({
      pointer: '',
      code: 'required',
      message: 'there is nothing to change: send `name` or `default_member_access`',
    });
  if (errors.length > 0) throw invalidBody(errors);
  return { ...change, name: change.name?.trim() };
}

/** The workspace that a person names, by id or by code. @throws Problem `validation_failed`, `unknown_field`. */
export function readTenant(input: unknown): { readonly tenant_id: string } | { readonly tenant_code: string } {
  const { tenant_id, tenant_code } = readBody(input, { tenant_id: 'optional', tenant_code: 'optional' } as const);
  if (tenant_id !== undefined && tenant_code === undefined) return { tenant_id };
  if (tenant_code !== undefined && tenant_id === undefined) return { tenant_code };
  throw invalidBody([{ pointer: '', code: 'required', message: 'send either `tenant_id` or `tenant_code`' }]);
}

const nameCharactersMax = 128;

export function nameErrors(name: string): readonly InputError[] {
  const length = [...name.trim()].length;
  const hasControls = /\p{Cc}/u.test(name);
  if (length >= 1 && length <= nameCharactersMax && !hasControls) return [];
  const code = length === 0 ? 'too_short' : length > nameCharactersMax ? 'too_long' : 'invalid_value';
  return [wrong('name', `has to be 1 to ${nameCharactersMax} characters, no controls among them`, code)];
}

function wrong(member: string, sentence: string, code = 'invalid_value'): InputError {
  return { pointer: `/${member}`, code, message: `\`${member}\` ${sentence}` };
}
