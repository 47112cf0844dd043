import { Type } from '@sinclair/typebox';
import { reply, route } from '../route.ts';
import { count, guid, named, text } from '../schema.ts';

export const Job = named(
  'Job',
  Type.Object({
    id: guid,
    kind: Type.Literal('removal'),
    state: Type.Union(['queued', 'running', 'done', 'failed', 'cancelled'].map((state) => Type.Literal(state))),
    done: count,
    total: Type.Integer({ minimum: 0, description: 'In records. It grows while they are looked for.' }),
    failed: Type.Array(Type.Object({ entity: text, id: guid, code: text, message: text }), {
      description: 'The records that the job failed at.',
    }),
  }),
);

export const jobsApi = {
  readJob: route({
    method: 'GET',
    path: '/app/:org/jobs/:id',
    access: 'self',
    tag: 'jobs',
    summary: 'How far a job is',
    description:
      'For the user who started it, and for those who may `updateworkspace`; for everybody else it is not there. A job can be read for seven days after its end.',
    replies: { 200: reply('The job.', Job) },
    problems: ['workspace_required', 'not_found'],
    takesAnyone: true,
  }),
  cancelJob: route({
    method: 'DELETE',
    path: '/app/:org/jobs/:id',
    access: 'self',
    tag: 'jobs',
    summary: 'Cancels a job',
    description:
      'What was removed by then stays removed, and the rest can be written again in a moment. A job that is over answers 409.',
    replies: { 200: reply('The job, which is cancelled.', Job) },
    problems: ['workspace_required', 'not_found', 'conflict'],
    takesAnyone: true,
  }),
};
