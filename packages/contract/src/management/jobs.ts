import { Type } from '@sinclair/typebox';
import { environment, nexttoken, pagesize } from '../parameters.ts';
import { reply, route } from '../route.ts';
import { closed, guid, named, ofRecords, oneOf, pageOf, text } from '../schema.ts';

export const EntityJob = named(
  'EntityJob',
  Type.Object({
    id: Type.String({ description: 'It follows from what the job is for.' }),
    kind: oneOf(['index', 'fill', 'conversion'], {
      description: 'An index that is built, a field that is given values, or a field whose values get another type.',
    }),
    state: oneOf(['queued', 'running', 'done', 'failed', 'cancelled']),
    done: Type.Integer({
      minimum: 0,
      description: 'Records. In a list 0 of a job that no record was gone through for yet, or that is over.',
    }),
    total: Type.Integer({ minimum: 0, description: 'The same.' }),
    failed: ofRecords(
      Type.Array(Type.Object({ tenant_code: text, entity: text, id: guid, code: text, message: text }), {
        description: 'Some of the records that the job failed at.',
      }),
    ),
    entity: text,
    name: Type.String({ description: 'The index, as `indexes` of the entity names it, or the field.' }),
  }),
);

export const orgJobsApi = {
  listEntityJobs: route({
    method: 'GET',
    path: '/jobs',
    access: 'developer',
    tag: 'jobs',
    summary: 'The background work on entities',
    description:
      'In an environment, that goes on or has failed. By entity. They follow from the states that `GET /api/entity` shows, and nothing else is stored.',
    query: closed({
      env: environment,
      pagesize: Type.Integer({ ...pagesize, maximum: 50, default: 20 }),
      nexttoken,
    }),
    compressed: 'reply',
    replies: { 200: reply('A page.', pageOf(EntityJob)) },
    problems: ['invalid_cursor'],
    production: { leftOut: 'which records the job failed at' },
  }),
  readEntityJob: route({
    method: 'GET',
    path: '/jobs/:id',
    access: 'developer',
    tag: 'jobs',
    summary: 'How far a job on an entity is',
    description:
      'It is `done` as long as what it was for stands, and not there once that is taken out of the definition.',
    query: closed({ env: environment }),
    replies: { 200: reply('The job.', EntityJob) },
    problems: ['not_found'],
    production: { leftOut: 'which records the job failed at' },
  }),
  cancelEntityJob: route({
    method: 'DELETE',
    path: '/jobs/:id',
    access: 'developer',
    tag: 'jobs',
    summary: 'Cancels a job on an entity',
    description:
      'The build of an index is cancelled in test, also a failed build, by taking the index out of the definition. Other jobs answer 409 with a sentence about the change that ends them.',
    query: closed({ env: environment }),
    replies: { 200: reply('The job, which is cancelled.', EntityJob) },
    problems: ['not_found', 'conflict', 'version_mismatch', 'plan_limit_exceeded'],
    production: { leftOut: 'which records the job failed at' },
  }),
};
