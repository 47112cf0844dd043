/** The client of an app: `createApp`, and all that its callers name. */
import { type Batch, type BatchMode, batch } from './batch.ts';
import { Caller, type CallOptions, type RequestOptions } from './caller.ts';
import { type EntityClient, entityClient } from './entity.ts';
import { FreeholdError } from './errors.ts';
import { type LogicBlockOptions, type LogicBlockResult, runBlock } from './logic-blocks.ts';
import { objectOf } from './reply.ts';
import type { AnySchema, BlockName, EntityName, InputOf } from './schema-types.ts';
import { type ExchangedToken, type Session, SessionHolder, type SessionStorage } from './session.ts';
import { type Credentials, hasToken, isOver, type SignIn, signIn } from './sign-in.ts';
import { type Transport, transport } from './transport.ts';
import { type Workspaces, workspacesOf } from './workspaces.ts';

export type { AggregateQuery, Group, GroupPage } from './aggregates.ts';
export type { Batch, BatchMode, BatchResult, Reference, Referring, RefOptions } from './batch.ts';
export type { CallOptions, RequestOptions } from './caller.ts';
export type { EntityClient, Job, Page } from './entity.ts';
export { FreeholdError, VersionConflictError } from './errors.ts';
export type { LogicBlockResult } from './logic-blocks.ts';
export { type CelValue, type CountQuery, cel, type ListQuery } from './query.ts';
export type {
  AnyRecord,
  AnySchema,
  BlockName,
  CreateOf,
  EntityName,
  EntityTypes,
  ExpandName,
  FieldName,
  InputOf,
  RecordOf,
  RelatedPage,
  Shows,
  Sort,
  UpdateOf,
  ViewName,
  Where,
} from './schema-types.ts';
export type { Session, SessionStorage } from './session.ts';
export type { Credentials } from './sign-in.ts';
export { etagOf, type IfMatch } from './tags.ts';
export type { Workspace, Workspaces } from './workspaces.ts';

export interface AppOptions {
  /** The address of the app gateway, such as `https://api.example.com`. */
  readonly url: string;
  /** The code of the org. */
  readonly org: string;
  /** The client id of the org's environment, which chooses between test and production. */
  readonly clientId: string;
  /** Keeps the session beyond the program, as `localStorage` does. Left out, it ends with the program. */
  readonly storage?: SessionStorage | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** The number of times that a call is sent again at most, where that is safe: 3. */
  readonly retries?: number | undefined;
  /** Called when the platform takes the session's token no longer, and there is none in its place. */
  readonly onSignedOut?: ((error: FreeholdError) => void) | undefined;
}

export interface TokenSignInOptions extends CallOptions {
  /**
   * Called before the session begins, if another account waits under the address of the user. The sign-in goes on when
   * the promise is fulfilled: with the other account if the user has followed the link by then. It fails if the promise does.
   */
  readonly onJoin?: ((offer: JoinOffer) => Promise<void>) | undefined;
}

/** An account under the address of the user, which the user may have by the link that was mailed. */
export interface JoinOffer {
  /** Since when its password is suspended, as RFC 3339. */
  readonly since: string;
  /** Mails the link again. @throws FreeholdError `rate_limited`, `unavailable`; `access_denied` an hour after the sign-in. */
  sendLink(options?: CallOptions): Promise<void>;
}

/** An app as one user has it, in one workspace. */
export interface App<S = AnySchema> {
  /** The arguments of `createApp`: the app and its environment. */
  readonly options: Readonly<Pick<AppOptions, 'url' | 'org' | 'clientId'>>;
  readonly session: Session | undefined;
  /** Also called for what happens in other tabs, if they share a storage. @returns what ends it. */
  onSessionChange(listener: (session: Session | undefined) => void): () => void;
  signIn(credentials: Credentials, options?: CallOptions): Promise<Session>;
  /** By an identity token of a provider that the org allows. */
  signInWithToken(token: string, options?: TokenSignInOptions): Promise<Session>;
  /** Ends the token, and those of the apps of `inWorkspace`; with `everywhere` every token of the user. */
  signOut(options?: { readonly everywhere?: boolean }): Promise<void>;
  /** Ends every other token of the user. */
  changePassword(passwords: { readonly current: string; readonly next: string }): Promise<void>;
  readonly workspaces: Workspaces;
  /**
   * The app of the same user in another workspace, with a token of its own, side by side with this one; the same app each
   * time. If its token ends, only its own listeners hear of that.
   */
  inWorkspace(code: string, options?: CallOptions): Promise<App<S>>;
  entity<E extends EntityName<S>>(name: E): EntityClient<S, E>;
  batch(mode: BatchMode): Batch<S>;
  permissions(options?: CallOptions): Promise<Permissions>;
  /** Whether the caller may do something: with a record, or without an id with some record. `run` is for logic blocks. */
  can(action: string, entity: string, id?: string): Promise<boolean>;
  run<B extends BlockName<S>>(name: B, input?: InputOf<S, B>, options?: LogicBlockOptions): Promise<LogicBlockResult>;
  /** Any other call of the app gateway, by its path behind `/app/{org}`. */
  request<Reply = unknown>(method: string, path: string, options?: RequestOptions): Promise<Reply>;
}

type Verb = 'get' | 'list' | 'count' | 'create' | 'update' | 'delete' | 'browse';

export interface Permissions {
  readonly entities: Readonly<Record<string, Readonly<Record<Verb, boolean>>>>;
  /** The logic blocks that the caller may run. */
  readonly logicblocks: readonly string[];
  readonly statements: readonly unknown[];
}

export function createApp<S = AnySchema>(options: AppOptions): App<S> {
  const base = `${options.url.replace(/\/+$/, '')}/app/${encodeURIComponent(options.org)}`;
  const sender = transport(options);
  const key = `freehold:${base}:${options.clientId}`;
  const signIns = signIn(sender, { base, clientId: options.clientId });
  return appWith({ options, base, sender, key, signIns, storage: options.storage, onSignedOut: options.onSignedOut });
}

interface Parts {
  readonly options: App['options'];
  readonly base: string;
  readonly sender: Transport;
  readonly key: string;
  readonly signIns: SignIn;
  readonly storage?: SessionStorage | undefined;
  readonly first?: ExchangedToken;
  readonly onSignedOut?: AppOptions['onSignedOut'];
}

function appWith<S>(parts: Parts): App<S> {
  const { options, base, sender, key, signIns, storage, first, onSignedOut } = parts;
  const holder = new SessionHolder({
    ...{ storage, key, first, onSignedOut, now: sender.now },
    exchange: (token, tenantCode) => signIns.exchange(token, { tenantCode }),
  });
  const caller = new Caller({ base, transport: sender, session: holder });
  /** By the code of their workspace. */
  const others = new Map<string, App<S>>();
  const enter = async (token: Promise<ExchangedToken>): Promise<Session> => {
    holder.set(await token);
    return signedIn(holder);
  };
  const exchanged = async (tenantCode: string, signal: AbortSignal | undefined) => {
    signedIn(holder);
    return signIns.exchange(holder.token()?.token ?? '', { tenantCode, signal });
  };
  const { url, org, clientId } = options;
  return {
    options: { url, org, clientId },
    get session() {
      return holder.session;
    },
    onSessionChange: (listener) => holder.listen(listener),
    signIn: (credentials, { signal } = {}) => enter(signIns.withPassword(credentials, signal)),
    signInWithToken: async (token, { signal, onJoin } = {}) => {
      const first = await signIns.exchange(token, { signal });
      const arrived = appWith<S>({ options, base, sender, key, signIns, first });
      const offer = onJoin && (await joinOffer(arrived, signal));
      if (offer === undefined) return enter(Promise.resolve(first));
      await onJoin?.(offer);
      const stays = signIns.exchange(first.token, { signal });
      // The link that was followed meanwhile has ended the token.
      return enter(
        stays.catch((error) => (isOver(error) ? signIns.exchange(token, { signal }) : Promise.reject(error))),
      );
    },
    signOut: async ({ everywhere = false } = {}) => {
      const held = await holder.end();
      const ends = [...others.values()].map((other) => other.signOut());
      others.clear();
      if (held !== undefined) ends.push(signIns.end(held.token, everywhere));
      await Promise.all(ends);
    },
    changePassword: async ({ current, next }) => {
      const body = { current_password: current, new_password: next };
      const answer = await caller.call('POST', '/user/password', { body });
      holder.set(objectOf<ExchangedToken>(answer, { has: hasToken, isChange: true }));
    },
    workspaces: workspacesOf(caller, (code, signal) => enter(exchanged(code, signal))),
    inWorkspace: async (code, { signal } = {}) => {
      const known = others.get(code);
      const { userId } = signedIn(holder);
      if (known?.session?.userId === userId && known.session.tenantCode === code) return known;
      const other = appWith<S>({ options, base, sender, key, signIns, first: await exchanged(code, signal) });
      others.set(code, other);
      return other;
    },
    entity: (name) => entityClient(caller, name),
    batch: (mode) => batch(caller, mode),
    permissions: async (options) => objectOf<Permissions>(await caller.call('GET', '/user/permissions', options)),
    can: (action, entity, id) => mayDo(caller, signedIn(holder), { action, entity, id }),
    run: (name, input, options) => runBlock(caller, { name, input }, options),
    request: async <Reply>(method: string, path: string, options?: RequestOptions) =>
      (await caller.call(method, path, options)).body as Reply,
  };
}

async function joinOffer<S>(app: App<S>, signal: AbortSignal | undefined): Promise<JoinOffer | undefined> {
  const { join } = await app.request<{ readonly join?: { readonly since: string } }>('GET', '/user/me', { signal });
  const sendLink = async (options?: CallOptions): Promise<void> => app.request('POST', '/user/join', options);
  return join && { since: join.since, sendLink };
}

/** @throws FreeholdError `token_missing`. */
function signedIn({ session }: SessionHolder): Session {
  if (session === undefined) throw new FreeholdError({ code: 'token_missing', status: 401, detail: 'not signed in' });
  return session;
}

interface Question {
  readonly action: string;
  readonly entity: string;
  readonly id: string | undefined;
}

/** By the AuthZEN Authorization API 1.0. */
async function mayDo(caller: Caller, { userId }: Session, { action, entity, id }: Question): Promise<boolean> {
  const resource = action === 'run' ? { type: 'logicblock', id: entity } : { type: entity, ...(id && { id }) };
  const body = { subject: { type: 'user', id: userId }, action: { name: action }, resource };
  const answer = await caller.call('POST', '/access/v1/evaluation', { body });
  const has = ({ decision }: { readonly decision?: unknown }) => typeof decision === 'boolean';
  return objectOf<{ readonly decision: boolean }>(answer, { has }).decision;
}
