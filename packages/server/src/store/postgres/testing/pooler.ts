/** PgBouncer in front of a server. Only tests may use it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { freePort, runOn } from './test-server.ts';

const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path));

/** Why tests cannot run here; `false` where they can. */
export const whyNotPooler: string | false = program === undefined && 'not run: no PgBouncer here';

export interface Pooler {
  readonly url: string;
  stop(): Promise<void>;
}

/** @param settings further lines of its file. */
export async function startPooler(server: string, settings: readonly string[]): Promise<Pooler> {
  const folder = mkdtempSync(join(tmpdir(), 'freehold-pooler-'));
  const { hostname, port: serverPort, username, password, pathname } = new URL(server);
  const port = await freePort();
  writeFileSync(join(folder, 'users'), `"${username}" "${password}"\n`);
  const lines = [
    '[databases]',
    `* = host=${hostname} port=${serverPort} user=${username} password=${password}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = plain',
    `auth_file = ${join(folder, 'users')}`,
    'default_pool_size = 60',
    ...settings,
  ];
  writeFileSync(join(folder, 'settings'), `${lines.join('\n')}\n`);
  const owner = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
  const running = spawn(program ?? '', [join(folder, 'settings')], { ...owner, stdio: 'ignore' });
  const url = Object.assign(new URL(server), { port: String(port), pathname }).href;
  await eventually('the start of PgBouncer', () =>
    runOn(url, 'select 1').then(
      () => true,
      () => running.exitCode !== null && Promise.reject(new Error('PgBouncer did not start')),
    ),
  );
  return {
    url,
    stop: async () => {
      const ended = once(running, 'exit');
      running.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
