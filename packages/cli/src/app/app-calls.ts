/** Calls of an org's app, in the name of the builder, of a user, or of a server with a key. */
import { CommandError } from '../frame/command-error.ts';
import type { Context } from '../frame/context.ts';
import type { JsonObject } from '../json-object.ts';
import { fetchFrom } from '../management/connect.ts';
import { assertReaches } from '../profiles/target.ts';
import { memberByEmail } from './members.ts';
import { onlyWorkspace } from './only-workspace.ts';
import { assertOfType, jsonObjectOf, refusedReply } from './read-reply.ts';

/** In whose name, and where. */
export interface Actor {
  readonly env: 'test' | 'prod';
  /** The code of the workspace; undefined for the only one. */
  readonly workspace: string | undefined;
  /** The email or id of a member; undefined for the builder, which production refuses. */
  readonly as: string | undefined;
}

export interface AppCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, as it comes. */
  readonly stream?: { readonly type: string; readonly bytes: ReadableStream<Uint8Array> };
  readonly accept?: string;
}

export interface AppCalls {
  readonly workspace: string;
  /** A success of the type that the call accepts, as it arrives. @throws CommandError. */
  send(path: string, call?: AppCall): Promise<Response>;
  /** The JSON of a reply. @throws CommandError. */
  json(path: string, call?: AppCall): Promise<JsonObject>;
}

/** The number of times that a call is sent again that the platform refuses because there are too many. */
const attemptsMax = 6;
const waitSecondsMax = 30;

/** @throws CommandError where the app, the workspace or the user is not known. */
export async function openApp(context: Context, actor: Actor): Promise<AppCalls> {
  const target = context.target();
  const base = `${appUrlOf(context)}/app/${encodeURIComponent(target.org)}`;
  assertReaches(target, actor.env);
  const { workspace, tokenOf } = await credentialOf(context, actor);
  const send = async (path: string, call: AppCall = {}): Promise<Response> => {
    for (let attempt = 1; ; attempt += 1) {
      const response = await sendOnce(`${base}${path}`, call, await tokenOf());
      if (response.ok) {
        assertOfType(response, call.accept ?? 'application/json', isChange(call));
        return response;
      }
      const canRepeat = response.status === 429 && call.stream === undefined && attempt < attemptsMax;
      const seconds = Number(response.headers.get('retry-after') ?? '1');
      if (!canRepeat || !(seconds <= waitSecondsMax)) throw await refusedReply(response);
      await response.body?.cancel();
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }
  };
  return {
    workspace,
    send,
    json: async (path, call = {}) => jsonObjectOf(await send(path, call), isChange(call)),
  };
}

function isChange({ method = 'GET' }: AppCall): boolean {
  return method !== 'GET';
}

export function appUrlOf(context: Context): string {
  const given = context.target().appUrl ?? context.env.FREEHOLD_APP_URL;
  if (given !== undefined && given !== '') return given.replace(/\/+$/, '');
  throw new CommandError('the address of the app gateway is not known', {
    code: 'wrong_target',
    next: 'add `app_url` to freehold.yaml, or set FREEHOLD_APP_URL',
  });
}

interface Credential {
  readonly workspace: string;
  readonly tokenOf: () => Promise<string>;
}

async function credentialOf(context: Context, { env, workspace, as }: Actor): Promise<Credential> {
  const { kind, token } = context.target();
  if (kind === 'deploy key')
    throw new CommandError('a deploy key reads and writes no records', {
      code: 'wrong_target',
      next: 'sign in with `freehold login`, or with a service key',
    });
  if (kind === 'service key') {
    if (as !== undefined || workspace !== undefined)
      throw new CommandError('a service key acts for itself, in the workspace that it was made for', {
        code: 'wrong_usage',
        next: 'leave `--as` and `--workspace` out',
      });
    return { workspace: '', tokenOf: async () => token };
  }
  if (env === 'prod' && as === undefined)
    throw new CommandError('production is read in the name of one of its users', {
      code: 'wrong_usage',
      next: 'add `--as EMAIL`',
    });
  const code = workspace ?? (await onlyWorkspace(context, env));
  const user = as === undefined ? undefined : await memberByEmail(context, { env, workspace: code }, as);
  return { workspace: code, tokenOf: impersonated(context, { env, workspace: code, user }) };
}

interface Impersonated {
  readonly env: 'test' | 'prod';
  readonly workspace: string;
  readonly user: string | undefined;
}

const spareMilliseconds = 60_000;

/** The token of an actor, which is good for a quarter of an hour, and asked for once however many calls wait for it. */
function impersonated(context: Context, { env, workspace, user }: Impersonated): () => Promise<string> {
  let held: Promise<{ readonly token: string; readonly until: number }> | undefined;
  const issue = async () => {
    const body = { env, tenant_code: workspace, ...(user === undefined ? {} : { user_id: user }) };
    const { token, expires_at } = await context.management().call('impersonate', { body });
    return { token, until: Date.parse(expires_at) - spareMilliseconds };
  };
  return async () => {
    held ??= issue();
    const { token, until } = await held.catch((error: unknown) => {
      held = undefined;
      throw error;
    });
    if (Date.now() < until) return token;
    held = issue();
    return (await held).token;
  };
}

async function sendOnce(url: string, call: AppCall, token: string): Promise<Response> {
  const { method = 'GET', query = {}, body, stream, accept = 'application/json' } = call;
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, String(value));
  const type = stream?.type ?? (body === undefined ? undefined : 'application/json');
  const sent = stream?.bytes ?? (body === undefined ? undefined : JSON.stringify(body));
  return fetchFrom(new URL(url).origin)(search.size === 0 ? url : `${url}?${search}`, {
    method,
    headers: {
      Accept: accept,
      Authorization: `Bearer ${token}`,
      ...(type === undefined ? {} : { 'Content-Type': type }),
    },
    ...(sent === undefined ? {} : { body: sent }),
    ...(stream === undefined ? {} : { duplex: 'half' as const }),
  });
}
