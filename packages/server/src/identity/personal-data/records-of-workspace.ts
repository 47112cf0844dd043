/** The records of a workspace that name a person, a bounded number at a time. */
import { type EntityRow, entityRows } from '../../config/port.ts';
import { loadRemoved, walkRecords } from '../../maintenance/port.ts';
import { countersOfWorkspace, readRecord } from '../../records/port.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { openWorkspace } from '../workspaces/workspace-head.ts';
import { type AccountIds, mayName, type NamedRecord, type RecordsPage, relationOf } from './named-records.ts';
import type { WorkspaceCursor } from './person-job.ts';
import type { Run } from './run.ts';

const recordsPerRead = 500;
const bytesPerRead = 1024 * 1024;
/** So many records that do not name the person are looked at before the place is noted. */
const readsPerPage = 40;
const namedPerPage = 100;

/** The records behind the cursor that name the person. A page with none says how far it has looked. */
export async function nextRecords(
  run: Run,
  workspace: Workspace,
  { cursor, ids }: { readonly cursor: WorkspaceCursor; readonly ids: AccountIds },
): Promise<RecordsPage> {
  const names = Object.keys((await countersOfWorkspace(workspace.scope)).byEntity).sort();
  let { entity: name, after } = cursor;
  name ??= names[0];
  for (let reads = 0; name !== undefined && reads < readsPerPage; reads++) {
    await run.renewLease();
    const found = await findEntity(run, name);
    const page = found === undefined ? [] : await firstPage(found.entity, workspace, after);
    const last = page.at(-1);
    if (found === undefined || last === undefined) {
      const done: string = name;
      name = names.find((other) => other > done);
      after = undefined;
      continue;
    }
    const named = page
      .filter(({ item }) => mayName(item.value, ids))
      .slice(0, namedPerPage)
      .map(({ place, item }): NamedRecord => {
        const record = readRecord(found.entity, item);
        return { ...found, record, relation: relationOf(found.entity, record.data, ids), place };
      });
    const isCut = named.length === namedPerPage;
    after = isCut ? named.at(-1)?.place : last.place;
    if (named.length > 0) return { named, next: { entity: name, ...(after === undefined ? {} : { after }) } };
  }
  const next = name === undefined ? undefined : { entity: name, ...(after === undefined ? {} : { after }) };
  return { named: [], next };
}

async function firstPage(entity: CompiledEntity, workspace: Workspace, after: string | undefined) {
  const cursor = { after, limit: recordsPerRead, bytesMax: bytesPerRead };
  for await (const page of walkRecords(entity, workspace, cursor)) return page;
  return [];
}

/** Undefined where the entity is gone, or its records are being removed as a whole. */
async function findEntity(
  { config, orgScope }: Run,
  name: string,
): Promise<Pick<NamedRecord, 'entity' | 'isRetired'> | undefined> {
  const entity = await config.entity(name);
  if (entity !== undefined) return { entity, isRetired: false };
  const row: EntityRow | undefined = (await entityRows.read(orgScope, name))?.value;
  if (row?.state !== 'retired') return undefined;
  const retired = await loadRemoved(orgScope, name, row);
  return retired === undefined ? undefined : { entity: retired, isRetired: true };
}

/** The workspace that a cursor is in, as the org has it. */
export function workspaceAt({ deps, work: { env, orgCode } }: Run, { code, id }: WorkspaceCursor): Workspace {
  return openWorkspace(deps, { env, orgCode }, { id, code });
}
