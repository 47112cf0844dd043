import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { parseAddress } from './address.ts';

const secret = 'sesame';

describe('the address of a PostgreSQL store', () => {
  test('says host, port, user, password, database and schema', () => {
    assert.deepEqual(
      parseAddress(
        'postgresql://me:p%40ss@[::1]:6432/my%20base?schema=mine&citus=true&reads=3&commits=64&read_timeout=2500',
      ),
      {
        client: {
          application_name: 'freehold',
          ssl: false,
          host: '::1',
          port: 6432,
          user: 'me',
          password: 'p@ss',
          database: 'my base',
        },
        schema: 'mine',
        wantsCitus: true,
        counts: { reads: 3, commits: 64 },
        readTimeout: 2500,
      },
    );
    assert.deepEqual(parseAddress('postgres:///base?host=/var/run/postgresql'), {
      client: { application_name: 'freehold', ssl: false, host: '/var/run/postgresql', database: 'base' },
      schema: 'freehold',
      wantsCitus: undefined,
      counts: {},
      readTimeout: undefined,
    });
  });

  test('takes several hosts, with a port of each, as libpq does', () => {
    const several = 'postgres://me:a,b@one:5432,[::1]:6432,three/base?target_session_attrs=read-write&sslmode=disable';
    const { client, others } = parseAddress(several);
    assert.deepEqual([client.host, client.port, client.password, client.database], ['one', 5432, 'a,b', 'base']);
    assert.deepEqual(others, [{ host: '::1', port: 6432 }, { host: 'three' }]);
  });

  const sslCases: readonly (readonly [options: string, ssl: unknown])[] = [
    ['sslmode=disable', false],
    ['sslmode=require', { rejectUnauthorized: false }],
    ['sslmode=verify-full', {}],
  ];
  for (const [options, ssl] of sslCases) {
    test(`takes ${options}`, () => assert.deepEqual(parseAddress(`postgres://host/base?${options}`).client.ssl, ssl));
  }

  test('checks the certificate, but not its name, for verify-ca', () => {
    const { ssl } = parseAddress('postgres://host/base?sslmode=verify-ca').client;
    assert.ok(typeof ssl === 'object' && ssl.rejectUnauthorized === undefined && ssl.checkServerIdentity !== undefined);
  });

  const mistakes: readonly (readonly [url: string, sentence: RegExp])[] = [
    ['not an address with sesame', /must be a URL such as `postgres:/],
    [`http://me:${secret}@host/base`, /must be a URL such as `postgres:/],
    [`postgres://me:${secret}@host:99999/base`, /must be a URL such as `postgres:/],
    [`postgres://me:${secret}%@host/base`, /write `%25`/],
    [`postgres://me:${secret}@host/base?sslmode=prefer`, /`sslmode` of the PostgreSQL store is/],
    [`postgres://me:${secret}@host/base?schema=A"b`, /`schema` of the PostgreSQL store takes/],
    [`postgres://me:${secret}@host/base?citus=maybe`, /`citus` of the PostgreSQL store is `true` or `false`/],
    [`postgres://me:${secret}@host/base?reads=0`, /`reads` of the PostgreSQL store is a whole number from 1 to 64/],
    [`postgres://me:${secret}@host/base?commits=65`, /`commits` of the PostgreSQL store is a whole number/],
    [
      `postgres://me:${secret}@host/base?target_session_attrs=any`,
      /`target_session_attrs` .+ is `read-write` or `primary`/,
    ],
    [`postgres://me:${secret}@host,:5432/base`, /has a host that is none/],
    [`postgres://me:${secret}@host,other:x/base`, /has a host that is none/],
    [`postgres://me:${secret}@host/base?read_timeout=4s`, /`read_timeout` .+ is a whole number from 500 to 25000/],
    [`postgres://me:${secret}@host/base?options=-c%20fsync%3Doff`, /an option `options`, which is not known/],
  ];
  for (const [url, sentence] of mistakes) {
    test(`refuses ${url.replaceAll(secret, '…')}, and does not repeat it`, () => {
      assert.throws(
        () => parseAddress(url),
        (error) => {
          assert.match(String(error), sentence);
          assert.doesNotMatch(inspect(error, { depth: 20, showHidden: true }), /sesame/);
          return true;
        },
      );
    });
  }
});
