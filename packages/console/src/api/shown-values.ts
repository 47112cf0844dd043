/** A developer is answered without the values of production records. What lacks them is called by its id. */

interface User {
  readonly user_id: string;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly role?: string | undefined;
  readonly status?: string | undefined;
}

/** The state of a user is a value of the record too. */
export const hiddenStatus = 'hidden';

interface ShownUser {
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly status: string;
}

export type Shown<U extends User> = Omit<U, keyof ShownUser> & ShownUser;

export function shownUser<U extends User>(user: U): Shown<U> {
  const { user_id, email = user_id, name = '', role = '', status = hiddenStatus } = user;
  return { ...user, email, name, role, status };
}
