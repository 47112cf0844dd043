import type { Environment } from '../tenancy/port.ts';

/** What has failed without a caller who was told. */
export interface Failed {
  readonly kind: 'event' | 'run' | 'schedule';
  /** Of the event or the block. */
  readonly name: string;
  readonly code?: string;
}

/** Raises the org's alert, once an hour for each name. `count` is of what was seen to fail since, at least. */
export type Tell = (
  place: { readonly env: Environment; readonly orgCode: string },
  failed: Failed,
  count: number,
) => Promise<void>;
