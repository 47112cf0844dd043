import { Problem } from '../lib/problem.ts';
import type { Item } from '../store/port.ts';
import type { ApiAction } from './api-configs.ts';
import type { AuthorizedCall } from './caller-access.ts';
import { findItems } from './find-record.ts';
import { readRecord, recordText, type StoredText } from './record.ts';
import type { Projection } from './views/project.ts';
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
  const { config, access, workspace } = call;
  return showRecords(items.map(shownRecord), projection, {
    mayRead: (entityName, id) => access.may('get', entityName, `/item/${entityName}/${id}`),
    fetch: async (entityName, ids) => {
      const entity = await config.entity(entityName);
      const found: readonly Item[] = entity === undefined ? [] : await findItems({ workspace, entity }, ids);
      return found.map(readRecord);
    },
    projection: async (entityName, view) => {
      const entity = await config.entity(entityName);
      const shown = entity?.views.of('get', view);
      return shown === 'stored' ? entity?.views.whole() : shown;
    },
  });
}

function shownRecord({ value, version }: StoredText) {
  return { data: JSON.parse(value), version };
}
