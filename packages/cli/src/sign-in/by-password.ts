import { CommandError } from '../frame/command-error.ts';
import type { Context } from '../frame/context.ts';
import { connect } from '../management/connect.ts';
import type { Profile } from '../profiles/profile-store.ts';
import type { SignInPlace } from './sign-in.ts';

/** Signs in a builder, who types email address and password. */
export async function signInByPassword(context: Context, { url, org, appUrl }: SignInPlace): Promise<Profile> {
  const email = (await context.ask.text('Email')).trim();
  const password = await context.ask.password('Password');
  const reply = await connect({ url }).call('logIn', {
    body: { email, password, ...(org === undefined ? {} : { org }) },
  });
  if (reply.token === undefined) throw new CommandError('the platform gave no token', { code: 'no_platform' });
  return {
    url,
    org: reply.org.code,
    kind: 'session',
    token: reply.token,
    email: reply.user.email,
    expiresAt: reply.expires_at,
    ...(appUrl === undefined ? {} : { appUrl }),
  };
}
