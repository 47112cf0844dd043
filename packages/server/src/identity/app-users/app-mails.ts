import type { mailsApi } from '@freehold/contract/app/mails';
import type { BodyOf } from '@freehold/contract/route';
import type { AppCaller } from '../sessions/app-sessions.ts';
import { type AppClientDeps, appOf, openAppClient } from './app-client.ts';
import { requireAppUser } from './app-user.ts';
import { type EmailVerificationDeps, sendJoinLink, sendVerification, verifyEmail } from './email-verification.ts';
import { forgotPassword, type PasswordResetDeps, resetPassword } from './password-reset.ts';

/** What an app's users do by codes that are mailed to them. */
export interface AppMails {
  /** The same answer, in the same time, for every address. */
  forgotPassword(
    orgCode: string,
    request: ClientRequest<BodyOf<typeof mailsApi.forgotPassword>> & { readonly ip: string },
  ): Promise<void>;
  resetPassword(
    orgCode: string,
    request: CodeRequest<BodyOf<typeof mailsApi.resetPassword>> & { readonly ip: string },
  ): Promise<void>;
  /** Mails the caller a code for `verifyEmail`, once more. */
  sendVerification(caller: AppCaller, ip: string): Promise<void>;
  /** Mails the caller the link that joins the account which waits under the same address, once more. */
  sendJoinLink(caller: AppCaller, ip: string): Promise<void>;
  verifyEmail(orgCode: string, request: CodeRequest<BodyOf<typeof mailsApi.verifyEmail>>): Promise<void>;
}

interface ClientRequest<Body> {
  readonly clientId: string;
  readonly body: Body;
}

/** By a code, which says who asks. */
interface CodeRequest<Body> extends ClientRequest<Body> {
  readonly requestId: string;
}

export interface AppMailsDeps extends AppClientDeps, PasswordResetDeps, EmailVerificationDeps {}

export function createAppMails(deps: AppMailsDeps): AppMails {
  return {
    forgotPassword: async (orgCode, { clientId, body, ip }) =>
      forgotPassword(deps, await openAppClient(deps, orgCode, clientId), { body, ip }),
    resetPassword: async (orgCode, { clientId, ...request }) =>
      resetPassword(deps, await openAppClient(deps, orgCode, clientId), request),
    sendVerification: async ({ claims }, ip) => {
      const app = await appOf(deps, claims);
      sendVerification(deps, app, { user: await requireAppUser(app.orgScope, claims.sub), ip });
    },
    sendJoinLink: async ({ claims }, ip) => {
      const app = await appOf(deps, claims);
      await sendJoinLink(deps, app, { user: await requireAppUser(app.orgScope, claims.sub), ip, claims });
    },
    verifyEmail: async (orgCode, { clientId, ...request }) =>
      verifyEmail(deps, await openAppClient(deps, orgCode, clientId), request),
  };
}
