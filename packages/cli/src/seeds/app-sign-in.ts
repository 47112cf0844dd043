/** A user of the app, who signs in by password; an email without an account makes one. */
import { appUrlOf } from '../app/app-calls.ts';
import { jsonObjectOf, refusedReply } from '../app/read-reply.ts';
import { CommandError } from '../frame/command-error.ts';
import type { Context } from '../frame/context.ts';
import type { JsonObject } from '../json-object.ts';
import { fetchFrom } from '../management/connect.ts';
import type { SeedUser } from './read-people.ts';

export interface SeededUser {
  readonly id: string;
  /** The code of the workspace of the token; undefined outside all of them. */
  readonly workspace: string | undefined;
  call(method: 'GET' | 'POST' | 'PUT', path: string, body?: JsonObject): Promise<JsonObject>;
}

/** @throws CommandError */
export async function signInUser(
  context: Context,
  clientId: string,
  { email, password, place }: SeedUser,
): Promise<SeededUser> {
  const base = `${appUrlOf(context)}/app/${encodeURIComponent(context.target().org)}`;
  const client = { client_id: clientId };
  const login = await ask(`${base}/login`, { method: 'POST', headers: client, body: { email, password } }).catch(
    (error: unknown) => {
      if (!(error instanceof CommandError) || error.details.code !== 'credentials_invalid') throw error;
      throw new CommandError(`${place}: \`${email}\` has an account with another password`, {
        code: 'seeds_refused',
        next: 'write the password of the account, or take another email',
      });
    },
  );
  const session = await ask(`${base}/token`, {
    method: 'GET',
    headers: { ...client, oauthtoken: String(login.token) },
  });
  const headers = { Authorization: `Bearer ${String(session.token)}` };
  return {
    id: String(session.user_id),
    workspace: typeof session.tenant_code === 'string' ? session.tenant_code : undefined,
    call: (method, path, body) => ask(`${base}${path}`, { method, headers, ...(body === undefined ? {} : { body }) }),
  };
}

interface RequestOptions {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
}

async function ask(url: string, { method, headers, body }: RequestOptions): Promise<JsonObject> {
  const response = await fetchFrom(new URL(url).origin)(url, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw await refusedReply(response);
  return jsonObjectOf(response, method !== 'GET');
}
