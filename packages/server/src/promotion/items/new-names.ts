import { type ConfigItem, itemKey } from '../../config/port.ts';
import type { ConfigKinds } from '../config-kind.ts';
import type { Bodies } from '../differences/compare.ts';
import type { MistakenItem } from './expression-errors.ts';

/** Those of the items that are not there yet and have a name that no new one may have. */
export function newNameErrors(
  kinds: ConfigKinds,
  before: Bodies,
  wanted: readonly ConfigItem[],
): readonly MistakenItem[] {
  return wanted.flatMap((item) => {
    const errors = before.has(itemKey(item)) ? [] : (kinds[item.kind].newNameErrors?.(item.name) ?? []);
    return errors.length === 0 ? [] : [{ item, errors }];
  });
}
