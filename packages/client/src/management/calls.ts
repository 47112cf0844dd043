import type { managementApi } from '@freehold/contract/management';
import type { CallParts, Route } from '@freehold/contract/route';
import type { Read, TSchema } from '@freehold/contract/schema';

type Api = typeof managementApi;

/** What each route of the management API takes and answers. The published package has this type written out. */
export type Calls = {
  readonly [N in keyof Api]: { readonly parts: CallParts<Api[N]>; readonly reply: ReplyTo<Api[N]> };
};

/** Without 304, which has no body, and which only a call with `If-None-Match` is answered. */
type ReplyTo<R extends Route> = Bodies<Omit<R['replies'], 304>>;

type Bodies<Replies> = {
  [S in keyof Replies]: Replies[S] extends { readonly schema: infer B extends TSchema } ? Read<B> : undefined;
}[keyof Replies];
