import type { deployApi } from '@freehold/contract/management/deploy';
import type { InputError } from '@freehold/contract/problem';
import type { BodyOf } from '@freehold/contract/route';
import { type ConfigItem, itemKey } from '../config/port.ts';
import { isObject } from '../lib/unknown-names.ts';

export interface PublishRequest {
  readonly items: readonly ConfigItem[] | 'all';
  readonly note?: string;
}

export interface ActivateRequest {
  readonly note?: string;
  /** Makes it live also where records of production contradict it. */
  readonly force: boolean;
  /** The `base` of the staged items that were reviewed; if it is left out, all staged items go live. */
  readonly base?: string;
}

export interface RollbackRequest {
  /** The release to restore; the default is the one before the live one. */
  readonly version?: number;
  /** The release that was live when the change was reviewed; if it is left out, any. */
  readonly live?: number;
  readonly note?: string;
}

/** The mistake of a body with both or neither of `items` and `all`. */
export function publishMistakes(body: unknown): readonly InputError[] {
  if (!isObject(body)) return [];
  const { items, all } = body;
  if ((all === true) !== (items !== undefined)) return [];
  const message = 'send either `items` or `all: true`';
  return [{ pointer: '/items', code: 'required', message }];
}

export function readPublish({ items, note }: SentPublish): PublishRequest {
  const noted = note === undefined ? {} : { note };
  if (items === undefined) return { items: 'all', ...noted };
  return { items: [...new Map(items.map((item) => [itemKey(item), item])).values()], ...noted };
}

export function readActivate({ note, force = false, base }: SentActivate = {}): ActivateRequest {
  return { force, ...(base === undefined ? {} : { base }), ...(note === undefined ? {} : { note }) };
}

export function readRollback({ version, live, note }: SentRollback = {}): RollbackRequest {
  return {
    ...(version === undefined ? {} : { version }),
    ...(live === undefined ? {} : { live }),
    ...(note === undefined ? {} : { note }),
  };
}

export type SentPublish = BodyOf<typeof deployApi.publish>;
export type SentActivate = NonNullable<BodyOf<typeof deployApi.activate>>;
export type SentRollback = NonNullable<BodyOf<typeof deployApi.rollback>>;
