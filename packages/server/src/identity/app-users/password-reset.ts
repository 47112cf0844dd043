import { settingOf } from '../../config/port.ts';
import { type AccessEpochs, auditCallerOf, thenBump } from '../../iam/port.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { appMail } from '../mails/app-mail.ts';
import type { PasswordHasher } from '../people/passwords.ts';
import type { PasswordRealm } from '../people/realm.ts';
import {
  type Forgotten,
  forgotPassword as forgot,
  type MailDeps,
  type PasswordReset,
  resetPassword as reset,
} from '../people/set-password.ts';
import { tokensKeyOf, withNextEpoch } from '../sessions/ended-tokens.ts';
import { requireAppLinks } from '../settings/app-url.ts';
import { passwordLogin } from '../settings/plain-settings.ts';
import type { AppClient } from './app-client.ts';
import { type AppUser, appRealm } from './app-user.ts';
import { requirePasswords } from './password-log-in.ts';
import { withVerifiedEmail } from './prove-email.ts';

export interface RevokingDeps {
  readonly clock: Clock;
  /** See `SessionDeps`. */
  readonly revocations: AccessEpochs;
}

export interface PasswordResetDeps extends MailDeps, RevokingDeps {
  readonly hasher: PasswordHasher;
}

export function forgotPassword(deps: PasswordResetDeps, app: AppClient, request: Forgotten): void {
  forgot(deps, appPasswords(deps, app), request);
}

/** See `reset` of the realm: the code also shows that the address is the person's own. */
export function resetPassword(
  deps: PasswordResetDeps,
  app: AppClient,
  { requestId, ...request }: PasswordReset & { readonly requestId: string },
): Promise<void> {
  return reset(deps, appPasswords(deps, app, requestId), request);
}

/** What an app says of its users' passwords; each new one ends every token. */
export function appPasswords(
  { clock, revocations }: RevokingDeps,
  app: AppClient,
  requestId?: string,
): PasswordRealm<AppUser> {
  const { env, orgScope, org, config } = app;
  const policy = settingOf(config, env, passwordLogin);
  const tokensOf = (sub: string): string => tokensKeyOf({ env, org: org.code, sub });
  return {
    ...appRealm(app),
    passwordLengthMin: policy.min_length,
    requirePasswords: () => requirePasswords(policy),
    noPassword: () => new Problem('invalid_request', 'the account has no password: a provider signs the person in'),
    overtaken: { message: 'the password has just been changed', isFinal: false },
    resetMail: () => {
      const link = requireAppLinks(config, env);
      return (user, code) => {
        const name = user.suspended_for === undefined ? 'reset_password' : 'reset_suspended_password';
        return appMail(app, name, { app: org.name, email: user.email, link: link('reset-password', code) });
      };
    },
    changed: async (user) => ({ holder: withNextEpoch(user, timestamp(clock.now())), along: [] }),
    reset: (user) => {
      const proof = { orgScope, clock, auditCaller: auditCallerOf(user.id, requestId) };
      return withVerifiedEmail(proof, withNextEpoch(user, timestamp(clock.now())));
    },
    revoking: async (id, work) => {
      const user = await thenBump(revocations, tokensOf(id), work);
      if (user.unsettled !== undefined) revocations.bump(tokensOf(user.unsettled.user_id));
      return user;
    },
  };
}
