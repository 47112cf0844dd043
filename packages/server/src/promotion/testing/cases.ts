/** Contents of each kind of config items, with what is to be said of changes of them. For tests. */

import { crewCases } from '../../automation/kinds/testing/crew-cases.ts';
import { eventCases } from '../../automation/kinds/testing/event-cases.ts';
import { logicBlockCases } from '../../automation/kinds/testing/logicblock-cases.ts';
import type { ConfigItemKind } from '../../config/config-set.ts';
import type { SettingType } from '../../config/setting.ts';
import { entityCases } from '../../entities/kind/testing/entity-cases.ts';
import { settingsCases } from '../../people/settings/testing/settings-cases.ts';
import { kindsWith } from '../../testing/config-kinds.ts';
import type { Json, KindCases } from './kind-cases.ts';

/** A setting that lets more in the longer it is, and refers to another where it is long. */
const door: SettingType<number> = {
  key: 'house.door',
  description: 'How wide the door stands open.',
  byDefault: 1,
  schema: { type: 'integer' },
  parse: (input) =>
    typeof input === 'number' && Number.isInteger(input)
      ? { value: input }
      : { errors: [{ pointer: '', code: 'wrong_type', message: 'must be a whole number' }] },
  inProduction: (value) => Math.min(value, 50),
  needs: (value) => (value > 5 ? [{ key: 'house.frame', reason: 'hangs in it' }] : []),
  widens: (before, after) => (after > before ? [`the door is open by ${after - before} more`] : []),
};

export const kinds = kindsWith([door]);

/** A kind without cases is a mistake in its types. */
export const kindCases: Readonly<Record<ConfigItemKind, KindCases>> = {
  entity: entityCases,
  logicblock: logicBlockCases,
  event: eventCases,
  settings: settingsCases,
  crew: crewCases,
};

/** A content with another value at a JSON pointer; `undefined` takes it out. The same where there is no such place. */
export function put(content: Json, at: string, value: Json): Json {
  if (at === '') return value;
  const copy: unknown = structuredClone(content);
  const path = at.split('/').slice(1);
  const last = path.pop() ?? '';
  let holder = copy as Record<string, unknown>;
  for (const step of path) {
    if (typeof holder[step] !== 'object') return content;
    holder = holder[step] as Record<string, unknown>;
  }
  if (value !== undefined) holder[last] = value;
  else if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete holder[last];
  return copy;
}
