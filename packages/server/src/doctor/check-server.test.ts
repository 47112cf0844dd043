import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerState } from '../store/postgres/ask-server.ts';
import { judgeServer } from './check-server.ts';

const sound: ServerState = {
  version: '16.2',
  now: 0,
  isStandby: false,
  keepsSessions: true,
  hearsSignals: true,
  isReadOnly: false,
  settingsOff: [],
  encoding: 'UTF8',
  user: 'freehold',
  database: 'freehold',
  schemas: [{ name: 'freehold_test', hasTables: false, missing: undefined }],
};

function faultsOf(server: Partial<ServerState>, apart = 0): readonly string[] {
  const findings = judgeServer({ ...sound, ...server }, { setting: 'FREEHOLD_STORE', apart });
  return findings.filter(({ kind }) => kind === 'fault').map(({ says }) => says);
}

test('a server that can hold a platform has no fault, and every other has its own', () => {
  assert.deepEqual(faultsOf({}), []);
  assert.deepEqual(faultsOf({ version: '15.0' }), []);
  for (const [server, sentence] of [
    [{ version: '14.11' }, /^PostgreSQL 14\.11 is too old: use 15/],
    [{ encoding: 'SQL_ASCII' }, /encoded in SQL_ASCII/],
    [{ isStandby: true, isReadOnly: true }, /is a standby/],
    [{ keepsSessions: false }, /set it to session mode/],
    [{ hearsSignals: false }, /NOTIFY does not come back/],
    [{ settingsOff: ['fsync'] }, /`fsync` is off on the server/],
    [{ isReadOnly: true }, /are read-only there/],
    [
      { schemas: [{ name: 's', hasTables: true, missing: 'use tables' as const }] },
      /may not read and write the tables/,
    ],
  ] as const) {
    const [first = '', ...others] = faultsOf(server);
    assert.match(first, sentence);
    assert.deepEqual(others, []);
  }
});

test('clocks that are more than two seconds apart, either way, are a fault', () => {
  for (const apart of [2001, -2001, 3_600_000]) {
    const seconds = Math.round(Math.abs(apart) / 1000);
    assert.ok(
      faultsOf({}, apart)[0]?.startsWith(`the clocks of this machine and of the server are ${seconds} seconds`),
    );
  }
  for (const apart of [0, 2000, -2000]) assert.deepEqual(faultsOf({}, apart), []);
});

test('a server of a cluster that does not answer, or may lose writes, is named in a fault', () => {
  const cluster = [
    { name: 'db1:5432', faults: [] },
    { name: 'db2:5432', faults: ['fsync is off', 'it is a standby'] },
  ];
  const findings = judgeServer(sound, { setting: 'FREEHOLD_STORE', apart: 0, cluster });
  const [says = '', ...others] = findings.filter(({ kind }) => kind === 'fault').map((finding) => finding.says);
  assert.match(says, /^the server db2:5432 of the cluster: fsync is off, it is a standby: /);
  assert.deepEqual(others, []);
});
