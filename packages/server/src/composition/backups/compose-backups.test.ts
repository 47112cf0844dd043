import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../config.ts';
import { systemClock } from '../../lib/clock.ts';
import { createMetrics } from '../../telemetry/metrics.ts';
import { composeBackups } from './compose-backups.ts';

const elsewhere: readonly (readonly [what: string, env: Readonly<Record<string, string>>, sentence: RegExp])[] = [
  ['no folder', {}, /^no folder for backups is set: set FREEHOLD_BACKUP_DIR/],
  [
    'PostgreSQL',
    { FREEHOLD_BACKUP_DIR: '/backups', FREEHOLD_STORE: 'postgres://u:p@127.0.0.1/d', FREEHOLD_DEMO: 'off' },
    /^FREEHOLD_STORE names PostgreSQL: back it up and restore it with PostgreSQL’s own tools$/,
  ],
  [
    'prod in another place',
    { FREEHOLD_BACKUP_DIR: '/backups', FREEHOLD_STORE: 'sqlite:', FREEHOLD_STORE_PROD: 'sqlite:/other' },
    /^FREEHOLD_STORE_PROD names another place/,
  ],
];

for (const [what, env, sentence] of elsewhere)
  test(`with ${what} the list, a backup, a test, a download and a removal say the same sentence`, async () => {
    const read = readConfig(env);
    assert.ok('config' in read, JSON.stringify(read));
    const metrics = createMetrics();
    const { backups, close } = await composeBackups({
      ...{
        config: read.config,
        clock: systemClock,
        metrics,
        onFault: (error: unknown) => assert.fail(String(error)),
      },
      ...{ secrets: { cursor_key: 'AAAA' }, operatorLog: { record: async () => assert.fail('nothing was done') } },
    });
    const list = await backups.list({ pagesize: 10 });
    assert.match(list.unavailable ?? '', sentence);
    assert.doesNotMatch(metrics.text(), /backup/);
    assert.deepEqual([list.items, list.schedule, list.room], [[], null, null]);
    const record = async () => assert.fail('nothing was done');
    const calls = [
      backups.begin(record),
      backups.test('a.backup', record),
      backups.download('a.backup', record),
      backups.remove('a.backup', record),
    ];
    for (const call of calls) await assert.rejects(call, { code: 'conflict', message: list.unavailable });
    await close();
  });
