import { Problem } from '../lib/problem.ts';
import type { ApiAction } from './api-configs.ts';
import type { AuthorizedCall } from './caller-access.ts';
import { findItems } from './find-record.ts';
import { readRecord, recordText, type StoredText } from './record.ts';
import type { LookupSource, UnreadRecord } from './views/load-lookups.ts';
import type { Projection, ShownRecord } from './views/project.ts';
import { showRecords } from './views/show-records.ts';

/** A view that a reply is to be made by. */
export interface Presentation {
  readonly projection: Projection | 'stored';
  /** Whether the reply shows other records too, so that the record's version does not say whether it has changed. */
  readonly isEnriched: boolean;
}

/** @param name what the request says, `default` where it says nothing. @throws Problem `invalid_request`. */
export function presentationOf(call: AuthorizedCall, action: ApiAction, name = 'default'): Presentation {
  const { entity } = call;
  const projection = entity.views.of(action, name);
  if (projection === 'stored') return asStored;
  if (projection === undefined)
    throw new Problem('invalid_request', `entity \`${entity.name}\` has no view \`${name.slice(0, 100)}\``, {
      errors: [{ pointer: '/view', code: 'unknown_view', message: 'there is no view of this name' }],
    });
  return { projection, isEnriched: projection.some((member) => 'entity' in member) };
}

const asStored: Presentation = { projection: 'stored', isEnriched: false };

/** The JSON texts of records by a view. What they point to is read at once, and shown where the caller may get it. */
export async function presentRecords(
  call: AuthorizedCall,
  { projection }: Presentation,
  items: readonly StoredText[],
): Promise<readonly string[]> {
  if (projection === 'stored') return items.map(recordText);
  const { config, access } = call;
  const fetch = roomyFetch(call);
  return showRecords(items.map(shownRecord), projection, {
    mayRead: (entityName, id) => access.may('get', entityName, `/item/${entityName}/${id}`),
    fetch,
    projection: async (entityName, view) => {
      const entity = await config.entity(entityName);
      const shown = entity?.views.of('get', view);
      return shown === 'stored' ? entity?.views.whole() : shown;
    },
  });
}

/** What the records that one reply looks up may have together, in characters, and how many are read at once. */
const lookedUpMax = 4 * 1024 * 1024;
const readAtOnce = 20;

/** Reads what is looked up until it is too much for one reply. */
function roomyFetch({ config, workspace }: AuthorizedCall): LookupSource['fetch'] {
  let left = lookedUpMax;
  return async (entityName, ids) => {
    const entity = await config.entity(entityName);
    if (entity === undefined) return [];
    const found: (ShownRecord | UnreadRecord)[] = [];
    for (let start = 0; start < ids.length; start += readAtOnce) {
      const asked = ids.slice(start, start + readAtOnce);
      const items = left > 0 ? await findItems({ workspace, entity }, asked) : asked.map((id) => ({ id }));
      for (const one of items) {
        if ('value' in one) left -= one.value.length;
        found.push('value' in one ? readRecord(one) : one);
      }
    }
    return found;
  };
}

function shownRecord({ value, version }: StoredText) {
  return { data: JSON.parse(value), version };
}
