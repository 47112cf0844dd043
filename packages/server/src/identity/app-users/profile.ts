import type { selfApi } from '@freehold/contract/app/self';
import type { BodyOf } from '@freehold/contract/route';
import { invalidBody } from '../../lib/problem.ts';
import { readCreate } from '../../records/port.ts';
import { systemEntity } from '../../schema/port.ts';
import type { AppUser } from './app-user.ts';

/** What a person may say of himself; `null` clears. */
export type ProfileChange = BodyOf<typeof selfApi.updateMe>;

/** What a workspace may hold of its members sets the bounds. @throws Problem `validation_failed`. */
export function requireProfile(change: ProfileChange): void {
  // A member of every workspace has an email, which is not the person's to change here.
  const { errors } = readCreate(systemEntity('user'), { ...change, email: 'a@b.example' });
  if (errors.length > 0) throw invalidBody(errors);
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
