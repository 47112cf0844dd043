import { Type } from '@sinclair/typebox';
import { nexttoken, pagesize } from '../../parameters.ts';
import { reply, route } from '../../route.ts';
import { closed, count, named, oneOf, orNull, text, time } from '../../schema.ts';

export const RestoreTest = named(
  'RestoreTest',
  Type.Object({
    result: oneOf(['running', 'passed', 'drifted', 'unverified', 'failed'], {
      description:
        '`passed`: restored, and nothing has drifted. `unverified`: restored, but the data cannot be verified as it is.',
    }),
    at: time,
    problem: orNull(text, { description: 'What is wrong, in a sentence.' }),
  }),
);

export const Backup = named(
  'Backup',
  Type.Object({
    name: Type.String({ examples: ['freehold-20260131T030000000Z.backup'] }),
    state: oneOf(['running', 'complete', 'failed']),
    problem: orNull(text, { description: 'Why it has failed.' }),
    percent: orNull(Type.Integer({ minimum: 0, maximum: 100 }), { description: 'How far a running backup is.' }),
    made_by: orNull(oneOf(['schedule', 'operator']), {
      description: 'Null where the platform did not make the file, as one that was copied into the folder.',
    }),
    made_at: time,
    bytes: orNull(count),
    data_version: orNull(count, { description: 'The version of the data in it.' }),
    test: orNull(RestoreTest, { description: 'The last restore test.' }),
  }),
);

const BackupPage = Type.Object({
  items: Type.Array(Backup),
  nexttoken: orNull(text),
  unavailable: orNull(text, { description: 'Why this platform makes no backups; null where it does.' }),
  schedule: orNull(
    Type.Object({
      cron: text,
      next_at: orNull(time),
      keep: Type.Integer({
        minimum: 1,
        description: 'How many scheduled backups whose restore test passed are kept at least.',
      }),
    }),
  ),
  room: orNull(
    Type.Object({
      free_bytes: count,
      needed_bytes: Type.Integer({ minimum: 0, description: 'What the next backup needs while it is made.' }),
    }),
    { description: 'Of the disk of the folder; null where there is no folder.' },
  ),
});

const operator = { access: 'operator', tag: 'platform' } as const;

export const backupsApi = {
  listBackups: route({
    ...operator,
    method: 'GET',
    path: '/platform/backups',
    summary: 'The backups in the folder for backups, the latest first',
    query: closed({ nexttoken, pagesize }),
    compressed: 'reply',
    replies: { 200: reply('A page.', BackupPage) },
    problems: ['rate_limited', 'invalid_cursor'],
  }),
  makeBackup: route({
    ...operator,
    method: 'POST',
    path: '/platform/backups',
    summary: 'Begins a backup of the whole platform',
    description:
      'The platform serves meanwhile. One backup or restore test runs at a time. The list shows how far it is, and what came of it. The file holds every record and every key.',
    replies: { 202: reply('Begun.', Backup) },
    problems: ['rate_limited', 'conflict', 'unavailable'],
    refusedAs: 'backup.begin_refused',
  }),
  downloadBackup: route({
    ...operator,
    method: 'GET',
    path: '/platform/backups/:name',
    summary: 'A backup as a file',
    replies: {
      200: {
        description:
          'The file, which `freehold restore` puts into an empty folder. It holds `manifest.json`, then the stores `prod.db`, `test.db` and `platform.db`, and the keys in `secrets.json`. The manifest has the length and the SHA-256 of each.',
        content: { 'application/x-tar': Type.Unknown() },
        headers: ['Content-Disposition'],
      },
    },
    problems: ['rate_limited', 'conflict', 'not_found'],
    refusedAs: 'backup.download_refused',
  }),
  testBackup: route({
    ...operator,
    method: 'POST',
    path: '/platform/backups/:name/test',
    summary: 'Begins a restore test of a backup',
    description: 'Restores the backup to a folder of its own, verifies the data and removes the folder.',
    replies: { 202: reply('Begun.', Backup) },
    problems: ['rate_limited', 'conflict', 'not_found', 'unavailable'],
    refusedAs: 'backup.test_refused',
  }),
  removeBackup: route({
    ...operator,
    method: 'DELETE',
    path: '/platform/backups/:name',
    summary: 'Removes a backup, or the note of a failed backup',
    replies: { 204: reply('Removed.') },
    problems: ['rate_limited', 'conflict', 'not_found'],
    refusedAs: 'backup.removal_refused',
  }),
};
