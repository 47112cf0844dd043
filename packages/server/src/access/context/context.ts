import type { FieldNaming } from './field-naming.ts';

/**
 * What a request may leave open when it is ruled on: its body is not read yet, or the record, or which record it is, or
 * how it leaves the record.
 */
export type Pending = 'body' | 'record' | 'id' | 'after';

/** How a write finds a record, and how it leaves it. */
export type RecordState = 'before' | 'after';

/** What conditions, and variables in patterns, may look at. Plain data; nothing in it is looked up in a prototype. */
export interface AccessContext {
  readonly request: RequestContext;
  readonly user: { readonly id: string; readonly email: string };
  readonly tenant: { readonly id: string; readonly code: string };
  /** The claims of the caller's token. */
  readonly jwt: Readonly<Record<string, unknown>>;
  /** The record concerned. */
  readonly record?: Readonly<Record<string, unknown>>;
  /** The states of it, as far as a write has them. They are called like fields, and a field of that name takes the place. */
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
  /** How the fields of its entity are called, where one of them has several names. */
  readonly naming?: FieldNaming | undefined;
  /** Whether a name of a field is one whose values no explanation shows. Only explanations ask. */
  readonly isSecret?: (field: string) => boolean;
  /** What is not known yet. What is neither here nor there is absent. */
  readonly pending?: readonly Pending[];
  /** Of a call that was made before: what is left of its record, body, query and token. */
  readonly kept?: Kept;
}

export interface Kept {
  /** What the call had under a key; undefined where the context has it. */
  find(text: string): { readonly value: unknown } | undefined;
  isUnknown(text: string): boolean;
}

export interface RequestContext {
  readonly method: string;
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** As the platform reads them: what a field is compared with has the type of the field. */
  readonly queryParameters: ReadonlyMap<string, unknown>;
  /** What is sent, each value as it would be stored. */
  readonly body?: unknown;
  /** Undefined where the address is not known: then each condition on it holds for a Deny, and for no Allow. */
  readonly ip: string | undefined;
  /** Milliseconds since 1970, by the server's clock. */
  readonly time: number;
  readonly origin?: string;
}

/** For callers whose statements never use a context. Using it throws, and never leads to an allow. */
export function noContext(): never {
  throw new TypeError('a decision asked for a context where there is none');
}
