import { Problem } from '../lib/problem.ts';
import { entityTag } from '../records/port.ts';
import { apiName, type EntityDefinition, hasIndex } from '../schema/port.ts';
import type { EntityAdminDeps } from './admin-deps.ts';
import { changeApi } from './definition/change-api.ts';
import { type EntityJob, type FoundJob, findEntityJob } from './showing/entity-jobs.ts';

/**
 * Ends the build of an index by taking the index out of the definition, for which it is built.
 * @throws Problem `not_found`; `conflict` for other jobs; `version_mismatch` where the definition was changed meanwhile.
 */
export async function cancelEntityJob(deps: EntityAdminDeps, orgCode: string, id: string): Promise<EntityJob> {
  const found = await findEntityJob(deps, orgCode, id);
  const { job, entity, version } = found;
  if (job.state === 'done') throw new Problem('conflict', 'the job is over');
  const body = withoutIndex(entity.definition, found);
  if (body === undefined) throw new Problem('conflict', howToEnd(job));
  await changeApi(deps, orgCode, { api: apiName('create', entity.name), body, ifMatch: [entityTag(version)] });
  return { ...job, state: 'cancelled' };
}

/** The change of a definition that takes out no more than this index; undefined where there is none. */
function withoutIndex(definition: EntityDefinition, { kind, job: { name } }: FoundJob): object | undefined {
  const { UpdateParams, UniqueIndexes = [], indexes = [] } = definition;
  if (kind === 'unique') return { UniqueIndexes: UniqueIndexes.filter(({ indexName }) => indexName !== name) };
  if (kind === 'compound') return { indexes: indexes.filter(({ fields }) => fields.join() !== name) };
  const field = kind === 'field' ? UpdateParams.find((one) => one.name === name) : undefined;
  return field === undefined || hasIndex({ ...field, index: false })
    ? undefined
    : { UpdateParams: [{ name, index: false }] };
}

function howToEnd({ kind, entity, name }: EntityJob): string {
  const put = `by \`PUT /api/create-${entity}\``;
  if (kind === 'index')
    return `index \`${name}\` belongs to what the definition says of its entity: change that ${put}`;
  if (kind === 'fill') return `field \`${name}\` is filled as long as the definition says by what: change that ${put}`;
  return `field \`${name}\` is read by its new type already: convert it back, or to another type, ${put}`;
}
