import { settingOf } from '../entities/setting.ts';
import { type Environment, orgScopeName } from '../entities/workspace.ts';
import { notFound, Problem } from '../lib/problem.ts';
import type { Scope } from '../store/port.ts';
import { type AppUsersParts, logInWithPassword } from './app-users.ts';
import { environmentOf, findOrg, type Org } from './org-directory.ts';
import { passwordLogin } from './settings/plain-settings.ts';
import { type ExchangedToken, exchangeToken, type TokenExchangeParts } from './token-exchange.ts';

/** How an app's users come in: a password or a provider's token, and the app JWT in exchange. */
export interface AppSignIn {
  logIn(orgCode: string, request: LogInRequest): Promise<{ readonly token: string; readonly expires_at: string }>;
  exchange(
    orgCode: string,
    headers: { readonly clientId: string; readonly oauthToken: string },
  ): Promise<ExchangedToken>;
}

export interface LogInRequest {
  readonly clientId: string;
  readonly body: unknown;
  readonly ip: string;
}

export interface AppSignInParts extends TokenExchangeParts, AppUsersParts {
  readonly platform: Scope;
}

export function createAppSignIn(parts: AppSignInParts): AppSignIn {
  return {
    logIn: async (orgCode, { clientId, body, ip }) => {
      const org = await requireOrg(parts.platform, orgCode);
      const env = requireEnvironment(org, clientId);
      const orgScope = parts.stores[env].scope(orgScopeName(org.code));
      const policy = settingOf(await parts.configs[env].current(org.code), env, passwordLogin);
      return logInWithPassword(parts, orgScope, { env, body, ip, policy });
    },
    exchange: async (orgCode, headers) => exchangeToken(parts, await requireOrg(parts.platform, orgCode), headers),
  };
}

async function requireOrg(platform: Scope, orgCode: string): Promise<Org> {
  const org = await findOrg(platform, orgCode);
  if (org === undefined) throw notFound();
  return org;
}

function requireEnvironment(org: Org, clientId: string): Environment {
  const env = environmentOf(org, clientId);
  if (env === undefined) throw new Problem('client_unknown', 'the client id is not one of this app');
  return env;
}
