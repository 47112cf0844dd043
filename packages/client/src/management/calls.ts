import type { managementApi } from '@freehold/contract/management';
import type { CallParts, ReplyOf } from '@freehold/contract/route';

type Api = typeof managementApi;

/** What each route of the management API takes and answers. The published package has this type written out. */
export type Calls = {
  readonly [N in keyof Api]: { readonly parts: CallParts<Api[N]>; readonly reply: ReplyOf<Api[N]> };
};
