import { Type } from '@sinclair/typebox';
import { reply, route } from '../../route.ts';
import { count, named, oneOf } from '../../schema.ts';

export const Diagnosis = named(
  'Diagnosis',
  Type.Object({
    at: Type.String({ format: 'date-time', description: 'When the look began.' }),
    complete: Type.Boolean({
      description: 'False if the look was ended after 25 s, or failed: findings are missing then.',
    }),
    faults: count,
    items: Type.Array(
      Type.Object({
        kind: oneOf(['good', 'note', 'fault']),
        says: Type.String({ description: 'A sentence. A fault says what to do about it.' }),
      }),
    ),
  }),
);

export const platformDoctorApi = {
  readDiagnosis: route({
    method: 'GET',
    path: '/platform/doctor',
    access: 'operator',
    tag: 'platform',
    summary: 'The findings of `freehold doctor`',
    description:
      'Beside the running platform: settings, clock, disk, stores, keys and the mail server. One look is under way at a time, and a result is kept for 30 s. Ports, which this platform has taken, are left out. Nothing is changed.',
    replies: { 200: reply('The findings, in the order in which they were made.', Diagnosis) },
    problems: ['rate_limited'],
  }),
};
