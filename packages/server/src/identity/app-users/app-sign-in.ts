import type { signInApi } from '@freehold/contract/app/sign-in';
import type { BodyOf, ReplyOf } from '@freehold/contract/route';
import { settingOf } from '../../config/port.ts';
import { domainKey } from '../../lib/formats/email-key.ts';
import type { Scope } from '../../store/port.ts';
import { type IssuerEntry, issuers } from '../settings/issuers.ts';
import { passwordLogin } from '../settings/plain-settings.ts';
import {
  type ExchangedToken,
  type ExchangeHeaders,
  exchangeToken,
  type TokenExchangeDeps,
} from '../tokens/token-exchange.ts';
import { appOf, openAppClient, requireOrg } from './app-client.ts';
import { type EmailVerificationDeps, offerMerge, welcome } from './app-mails.ts';
import { type AppUsersDeps, logInWithPassword } from './password-log-in.ts';

/** How an app's users come in: a password or a provider's token, and the app JWT in exchange. */
export interface AppSignIn {
  logIn(orgCode: string, request: LogInRequest): Promise<{ readonly token: string; readonly expires_at: string }>;
  exchange(orgCode: string, headers: Omit<ExchangeHeaders, 'onSuspension'>): Promise<ExchangedToken>;
  /** How an app's users may come in, for one with this email where it is said. */
  offers(
    orgCode: string,
    asked: { readonly clientId: string; readonly email?: string | undefined },
  ): Promise<SignInOffers>;
}

export type SignInOffers = ReplyOf<typeof signInApi.listProviders>;

/** What a front end needs to send a user there: the issuer's discovery document tells the rest. */
export type OfferedProvider = SignInOffers['items'][number];

export interface LogInRequest {
  readonly clientId: string;
  readonly body: BodyOf<typeof signInApi.logIn>;
  readonly ip: string;
}

export interface AppSignInDeps extends TokenExchangeDeps, AppUsersDeps, EmailVerificationDeps {
  readonly platform: Scope;
}

export function createAppSignIn(deps: AppSignInDeps): AppSignIn {
  return {
    logIn: async (orgCode, { clientId, body, ip }) => {
      const app = await openAppClient(deps, orgCode, clientId);
      const policy = settingOf(app.config, app.env, passwordLogin);
      const request = { env: app.env, body, ip, policy };
      return logInWithPassword(deps, app.orgScope, {
        ...request,
        welcome: (user) => welcome(deps, app, { user, ip }),
      });
    },
    exchange: async (orgCode, headers) =>
      exchangeToken(deps, await requireOrg(deps.platform, orgCode), {
        ...headers,
        onSuspension: async (env, user) => offerMerge(deps, await appOf(deps, { org: orgCode, env }), user),
      }),
    offers: async (orgCode, { clientId, email }) => {
      const { config, env } = await openAppClient(deps, orgCode, clientId);
      const { enabled, allow_signup } = settingOf(config, env, passwordLogin);
      const offered = offeredIssuers(settingOf(config, env, issuers), email);
      return { items: offered.map(shownProvider), password_login: { enabled, allow_signup } };
    },
  };
}

/** Those for the email's domain where there are any; else those that are for everybody. */
function offeredIssuers(all: readonly IssuerEntry[], email: string | undefined): readonly IssuerEntry[] {
  if (email === undefined) return all;
  const domain = domainKey(email.slice(email.lastIndexOf('@') + 1));
  const own = all.filter(({ email_domains }) => email_domains?.some((one) => domainKey(one) === domain) === true);
  return own.length > 0 ? own : all.filter(({ email_domains = [] }) => email_domains.length === 0);
}

function shownProvider({ issuer, name = issuer, audiences }: IssuerEntry): OfferedProvider {
  return { issuer, name, client_ids: audiences };
}
