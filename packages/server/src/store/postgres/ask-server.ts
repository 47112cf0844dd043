import pg from 'pg';
import { parseAddress } from './address.ts';

export interface AskedServer {
  readonly version: string;
  /** The server's clock, in milliseconds since 1970. */
  readonly now: number;
  readonly isStandby: boolean;
  readonly encoding: string;
  /** Whether a platform has been here. */
  readonly hasPlatform: boolean;
}

/** What a server is, for whoever looks for a fault. Changes nothing. Rejects without the address. */
export async function askServer(url: string): Promise<AskedServer> {
  const { client: options, schema } = parseAddress(url);
  const client = new pg.Client({ ...options, connectionTimeoutMillis: 5000 });
  try {
    await client.connect();
    const { rows } = await client.query<Record<string, string>>(
      `select current_setting('server_version') as version, (extract(epoch from clock_timestamp()) * 1000)::bigint::text as now,
       pg_is_in_recovery()::text as standby, current_setting('server_encoding') as encoding,
       (to_regnamespace($1) is not null)::text as platform`,
      [`${schema}_platform`],
    );
    const { version = '', now, standby, encoding = '', platform } = rows[0] ?? {};
    return { version, now: Number(now), isStandby: standby === 'true', encoding, hasPlatform: platform === 'true' };
  } finally {
    await client.end().catch(() => undefined);
  }
}
