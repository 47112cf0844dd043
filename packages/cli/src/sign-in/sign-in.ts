import type { Context } from '../frame/context.ts';
import type { Profile } from '../profiles/profile-store.ts';

/** Where to sign in. */
export interface SignInPlace {
  readonly url: string;
  /** Left out, the way of signing in finds it. */
  readonly org: string | undefined;
  readonly appUrl: string | undefined;
}

/** A way to a credential. `freehold login` chooses one and keeps what it gives. @throws CommandError. */
export type SignIn = (context: Context, place: SignInPlace) => Promise<Profile>;
