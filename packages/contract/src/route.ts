/**
 * A route is described once. Its types, the check of what is sent, both OpenAPI documents and the tables of the docs
 * follow from the description.
 */
import type { TObject, TSchema } from '@sinclair/typebox';
import type { ProblemCode } from './problem.ts';
import type { Read } from './schema.ts';
import type { Tag } from './tags.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A description that documents know by the name that generated clients call it by. It stays once it is out. */
export interface Route {
  readonly method: Method;
  /** A segment after `:` is a parameter. */
  readonly path: `/${string}`;
  /** Who may call: anybody, a role of org users, a scope of deploy keys, the operator; or what an app's policies decide. */
  readonly access: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** The query parameters; a route without them refuses every one. */
  readonly query?: TObject;
  readonly headers?: readonly HeaderParameter[];
  /** The JSON body; a route without one takes at most `{}`. */
  readonly body?: TSchema;
  /** Whether the body may be left out. */
  readonly isBodyOptional?: true;
  /** The media types of a body that is read as a stream, in place of a JSON body. */
  readonly takesStreamOf?: readonly string[];
  /** By status: what a call that succeeds is answered. The first is that of the usual case. */
  readonly replies: Readonly<Record<number, ReplyDescription>>;
  /** Refusals beside those that follow from the rest of the description. */
  readonly problems?: readonly ProblemCode[];
  /** Whether `If-Match` and `If-None-Match` are held to what is changed. */
  readonly takesTags?: true;
  /** How the audit log calls a call that was refused. Every route has it that changes production, keys or plans. */
  readonly refusedAs?: `${string}_refused`;
  /** A POST counts once under an `Idempotency-Key`, by the gateway unless its handler does it, or for a reason not at all. */
  readonly repeats?: 'by handler' | { readonly notRemembered: string };
  /**
   * A reply of 16 KB or more is compressed for a client that takes it, but not for a session by cookie; a `document` also
   * for that, and it is kept compressed. Left out of replies that carry a credential, a code or a link, and of streams: the
   * length of a compressed text tells what it repeats.
   */
  readonly compressed?: 'reply' | 'document';
  /** Counts as a call of the org where it succeeds, though its caller has no token yet. */
  readonly isMetered?: true;
  /** Refused where the plan of the org is used up. */
  readonly isGated?: true;
  /** Also for callers who are no person. */
  readonly takesAnyone?: true;
  /** Also for a builder without the second factor that the org requires. */
  readonly takesUnprotected?: true;
  /** Changes nothing, for all that it takes a body. */
  readonly isRead?: true;
  /** Left out of a route that shows no value of a record of production, and whose reply tells of none. */
  readonly production?: ProductionRule;
}

/** A value of a production record is for `org_admin` alone: what callers without that role get of production. */
export interface ProductionRule {
  /** 403 `role_required` for each call about production, or for one that sends any of these members, such as `record.id`. */
  readonly refused?: 'always' | readonly string[];
  /** What their reply lacks, for documents. In its schema the members are marked by `ofRecords`. */
  readonly leftOut?: string;
}

export interface HeaderParameter {
  readonly name: string;
  readonly description: string;
  readonly schema: TSchema;
  readonly isRequired?: true;
}

export interface ReplyDescription {
  readonly description: string;
  /** That of the JSON body. */
  readonly schema?: TSchema;
  /** Bodies that are no JSON, by their media types. */
  readonly content?: Readonly<Record<string, TSchema>>;
  readonly headers?: readonly ReplyHeader[];
}

export type ReplyHeader =
  | 'ETag'
  | 'Content-Disposition'
  | 'Location'
  | 'Idempotency-Replayed'
  | 'Preference-Applied'
  | 'x-service-token';

interface ReplyWithBody<S extends TSchema> extends Omit<ReplyDescription, 'schema'> {
  readonly schema: S;
}

/** Keeps the types of a description as they are written. */
export function route<const R extends Route>(description: R): R {
  return description;
}

export function reply(description: string, headers?: readonly ReplyHeader[]): ReplyDescription;
export function reply<S extends TSchema>(
  description: string,
  schema: S,
  headers?: readonly ReplyHeader[],
): ReplyWithBody<S>;
export function reply(
  description: string,
  second?: TSchema | readonly ReplyHeader[],
  third?: readonly ReplyHeader[],
): ReplyDescription {
  const schema = isHeaders(second) ? undefined : second;
  const headers = isHeaders(second) ? second : third;
  return { description, ...(schema === undefined ? {} : { schema }), ...(headers === undefined ? {} : { headers }) };
}

function isHeaders(given: TSchema | readonly ReplyHeader[] | undefined): given is readonly ReplyHeader[] {
  return Array.isArray(given);
}

/** The body that a handler of the route receives. */
export type BodyOf<R extends Route> = R extends {
  readonly isBodyOptional: true;
  readonly body: infer S extends TSchema;
}
  ? Read<S> | undefined
  : R extends { readonly body: infer S extends TSchema }
    ? Read<S>
    : undefined;

export type QueryOf<R extends Route> = R extends { readonly query: infer S extends TSchema }
  ? Read<S>
  : Readonly<Record<string, never>>;

/** The names after `:` in a path. */
export type ParamsOf<R extends Route> = Readonly<Record<ParamNames<R['path']>, string>>;

type ParamNames<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<`/${Rest}`>
  : P extends `${string}:${infer Name}`
    ? Name
    : never;

/** What a handler of the route gives: the JSON of any of its replies; nothing where none has a body. */
export type ReplyOf<R extends Route> = {
  [S in keyof R['replies']]: R['replies'][S] extends { readonly schema: infer B extends TSchema } ? Read<B> : undefined;
}[keyof R['replies']];

/** What a client says in a call of the route: only the parts that the route has. Parameters with a default may be left out. */
export type CallParts<R extends Route> = (keyof ParamsOf<R> extends never
  ? { readonly params?: undefined }
  : { readonly params: ParamsOf<R> }) &
  (undefined extends BodyOf<R> ? { readonly body?: BodyOf<R> } : { readonly body: BodyOf<R> }) & {
    readonly query?: Partial<QueryOf<R>>;
  };
