import { FreeholdError } from '@freehold/client/management';
import { CommandError } from '../frame/command-error.ts';
import type { Context } from '../frame/context.ts';
import { connect } from '../management/connect.ts';
import type { Profile } from '../profiles/profile-store.ts';
import type { SignInPlace } from './sign-in.ts';

/** Signs in a builder, who types email address and password, and the code of a second factor where the account has one. */
export async function signInByPassword(context: Context, { url, org, appUrl }: SignInPlace): Promise<Profile> {
  const email = (await context.ask.text('Email')).trim();
  const password = await context.ask.password('Password');
  const first = await connect({ url }).call('logIn', {
    body: { email, password, ...(org === undefined ? {} : { org }) },
  });
  const reply = 'second_factor' in first ? await proveFactor(context, url, first.second_factor) : first;
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

interface Step {
  readonly methods: readonly string[];
  readonly token: string;
  readonly codes_locked?: true | undefined;
}

const triesMax = 3;

async function proveFactor(context: Context, url: string, { methods, token, codes_locked }: Step) {
  if (!methods.includes('totp') && !methods.includes('recovery_code'))
    throw new CommandError('the account has a passkey, which a terminal cannot use', {
      code: 'wrong_usage',
      next: 'sign in by a browser: `freehold login` without `--password`',
    });
  const question = methods.includes('totp') ? 'Code of your authenticator app, or a recovery code' : 'Recovery code';
  if (codes_locked === true)
    context.out.note(
      'too many wrong codes were entered: codes of the authenticator app work again after another factor',
    );
  for (let tries = 1; ; tries++) {
    const typed = (await context.ask.text(question)).trim();
    const proof = /^\d{6}$/.test(typed.replaceAll(' ', '')) ? { code: typed } : { recovery_code: typed };
    try {
      return await connect({ url }).call('completeSignIn', { body: { token, ...proof } });
    } catch (error) {
      const isWrong = error instanceof FreeholdError && error.code === 'credentials_invalid';
      if (!isWrong || tries === triesMax) throw error;
      context.out.note(`${error.message}. Try again.`);
    }
  }
}
