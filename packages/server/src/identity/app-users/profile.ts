import type { InputError } from '@freehold/contract/problem';
import { pointerTo } from '../../lib/json-pointer.ts';
import { invalidBody } from '../../lib/problem.ts';
import { unknownNames } from '../../lib/unknown-names.ts';
import { readCreate } from '../../records/port.ts';
import { systemEntity } from '../../schema/port.ts';
import type { AppUser } from './app-user.ts';

/** What a person may say of himself; `null` clears. What a workspace may hold of its members sets the bounds. */
export type ProfileChange = Readonly<Partial<Record<ProfileMember, string | null>>>;

const members = ['fn', 'ln', 'picture'] as const;
type ProfileMember = (typeof members)[number];

/** @throws Problem `validation_failed`, `unknown_field`. */
export function readProfile(input: unknown): ProfileChange {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw invalidBody([{ pointer: '', code: 'wrong_type', message: 'a profile is a JSON object' }]);
  const errors: InputError[] = [];
  const told: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) if (isMember(name)) told[name] = value;
  errors.push(...unknownNames(input, isMember).map(notOnesOwn));
  // A member of every workspace has an email, which is not the person's to change here.
  const read = readCreate(systemEntity('user'), { ...told, email: 'a@b.example' });
  errors.push(...read.errors);
  if (errors.length > 0) throw invalidBody(errors);
  const change: Partial<Record<ProfileMember, string | null>> = {};
  for (const name of members) if (Object.hasOwn(told, name)) change[name] = textOf(read.changes.get(name));
  return change;
}

export function withProfile(user: AppUser, change: ProfileChange): AppUser {
  const { picture: held, ...rest } = user;
  const picture = change.picture === undefined ? held : change.picture;
  return {
    ...rest,
    fn: change.fn === undefined ? user.fn : (change.fn ?? ''),
    ln: change.ln === undefined ? user.ln : (change.ln ?? ''),
    ...(picture === undefined || picture === null ? {} : { picture }),
  };
}

function isMember(name: string): name is ProfileMember {
  return members.some((member) => member === name);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function notOnesOwn(name: string): InputError {
  const message = `\`${name.slice(0, 100)}\` is not a person’s own to change, only \`fn\`, \`ln\` and \`picture\` are`;
  return { pointer: pointerTo(name), code: 'unknown_field', message };
}
