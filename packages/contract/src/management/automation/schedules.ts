import { Type } from '@sinclair/typebox';
import { environment } from '../../parameters.ts';
import { reply, route } from '../../route.ts';
import { closed, guid, named, oneOf, orNull, text, time } from '../../schema.ts';

export const Schedule = named(
  'Schedule',
  Type.Object({
    name: Type.String({ description: 'The name of the logic block.' }),
    cron: text,
    timezone: text,
    missed: oneOf(['skip', 'once']),
    workspaces: oneOf(['main', 'all']),
    paused: Type.Boolean(),
    next: Type.Array(time, { description: 'The next five due times.' }),
    last: orNull(
      Type.Object({
        due: time,
        state: oneOf(['started', 'skipped', 'refused']),
        run: Type.Optional(guid),
        code: Type.Optional(Type.String({ description: 'Why a run was refused.' })),
      }),
    ),
  }),
);

const byEnvironment = closed({ env: environment });

const turned = {
  method: 'POST',
  access: 'developer',
  tag: 'automation',
  query: byEnvironment,
  problems: ['not_found', 'conflict'],
  production: { refused: 'always' },
} as const;

export const schedulesApi = {
  listSchedules: route({
    method: 'GET',
    path: '/schedules',
    access: 'developer',
    tag: 'automation',
    summary: 'The schedules of the live logic blocks',
    description: 'A schedule is listed within a second or so after its block is published.',
    query: byEnvironment,
    replies: { 200: reply('The schedules, by name.', Type.Object({ items: Type.Array(Schedule) })) },
  }),
  pauseSchedule: route({
    ...turned,
    path: '/schedules/:name/pause',
    summary: 'Has a schedule begin no run until it is resumed',
    description: 'A publication does not resume it.',
    replies: { 204: reply('It is paused.') },
    refusedAs: 'schedule.pause_refused',
  }),
  resumeSchedule: route({
    ...turned,
    path: '/schedules/:name/resume',
    summary: 'Has a paused schedule begin runs again',
    description: 'From its next due time on. What was due while it was paused is not made up for.',
    replies: { 204: reply('It is resumed.') },
    refusedAs: 'schedule.resume_refused',
  }),
};
