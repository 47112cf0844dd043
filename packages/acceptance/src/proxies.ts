/** Real proxies with the files of `deploy/`, where they are installed; only ports and what the machine asks for are others. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { call } from './call.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { runNginx, whyNoNginx } from './nginx.ts';
import { temporaryDirectory } from './platform.ts';

export interface Proxy {
  /** Why no test with it is run; false where one is. */
  readonly skip: string | false;
  /** Runs it in front of an app gateway, nginx also of several, until the tests of this file have ended. Gives its address. */
  start(app: string, ...others: readonly string[]): Promise<string>;
}

interface Started {
  readonly port: number;
  /** The file of `deploy/` for these ports. */
  readonly file: string;
  readonly folder: string;
}

const deploy = join(import.meta.dirname, '..', '..', '..', 'deploy');
const isRoot = process.getuid?.() === 0;

const apacheModules = ['mpm_event', 'proxy', 'proxy_http', 'authz_core'].flatMap((name) => [
  '-C',
  `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
]);

export const proxies: Readonly<Record<string, Proxy>> = {
  nginx: { skip: whyNoNginx, start: startNginx },
  haproxy: proxyOf('proxies/haproxy.cfg', ['haproxy', '-v'], ({ file }) => ['-db', '-f', file]),
  caddy: proxyOf('proxies/Caddyfile', ['caddy', 'version'], ({ file, folder }) => {
    // Its own interface has a fixed port.
    writeFileSync(file, `{\n\tadmin off\n}\n${readFileSync(file, 'utf8')}`);
    return ['run', '--adapter', 'caddyfile', '--config', file, '--pidfile', join(folder, 'pid')];
  }),
  apache: proxyOf('proxies/apache.conf', ['apache2', '-v'], ({ file, folder }) => {
    const own = ['ServerName localhost', `ErrorLog ${folder}/errors`, `PidFile ${folder}/pid`];
    const users = isRoot ? ['User www-data', 'Group www-data'] : [];
    return ['-D', 'FOREGROUND', '-f', file, ...[...own, ...users].flatMap((line) => ['-C', line]), ...apacheModules];
  }),
  varnish: proxyOf('proxies/varnish.vcl', ['varnishd', '-V'], ({ file, folder, port }) => [
    ...['-F', '-j', 'none', '-f', file, '-n', join(folder, 'varnish')],
    ...['-a', `127.0.0.1:${port}`, '-p', 'backend_idle_timeout=60'],
  ]),
};

function proxyOf(
  path: string,
  [name, version]: readonly [string, string],
  wordsFor: (started: Started) => readonly string[],
): Proxy {
  const found = ['/usr/sbin', '/usr/bin', '/usr/local/bin'].map((place) => join(place, name));
  const program = found.find((file) => spawnSync(file, [version]).error === undefined);
  return {
    skip: program === undefined && `not run: ${name} is not installed`,
    start: async (app) => {
      const [folder, port] = [temporaryDirectory(), await freePort()];
      const { hostname, port: appPort } = new URL(app);
      const replaced = readFileSync(join(deploy, path), 'utf8')
        .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
        .replaceAll('127.0.0.1:4000', `${hostname}:${appPort}`)
        .replace('"4000"', `"${appPort}"`);
      const file = join(folder, 'settings');
      writeFileSync(file, replaced);
      const words = wordsFor({ file, folder, port });
      const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
      // Some have processes of their own, which end with the group.
      const proxy = spawn(program ?? '', words, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
      let reported = '';
      for (const output of [proxy.stdout, proxy.stderr])
        output.setEncoding('utf8').on('data', (text) => (reported += text));
      let isOver = false;
      proxy.once('exit', () => {
        isOver = true;
      });
      const end = (): void => {
        if (proxy.pid !== undefined && !isOver) process.kill(-proxy.pid, 'SIGKILL');
        isOver = true;
      };
      after(end);
      process.once('exit', end);
      const url = `http://127.0.0.1:${port}`;
      await whenReady(url, () => assert.equal(proxy.exitCode, null, `${name} has ended: ${reported}`));
      return url;
    },
  };
}

/** `deploy/nginx.conf` without TLS, which `deployed-nginx.test.ts` looks at. */
async function startNginx(...apps: readonly string[]): Promise<string> {
  const port = await freePort();
  const settings = readFileSync(join(deploy, 'nginx.conf'), 'utf8')
    .replace(/^ *server 127\.0\.0\.1:4000 .*$/m, (line) =>
      apps.map((app) => line.replace('127.0.0.1:4000', new URL(app).host)).join('\n'),
    )
    .replaceAll('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replaceAll('listen 80;', `listen unix:${temporaryDirectory()}/plain.sock;`)
    .replaceAll(/^ *ssl_.*$/gm, '');
  await runNginx(temporaryDirectory(), settings);
  const url = `http://127.0.0.1:${port}`;
  await whenReady(url, () => undefined);
  return url;
}

async function whenReady(url: string, check: () => void): Promise<void> {
  await eventually(`an answer through ${url}`, () => {
    check();
    return call('GET', `${url}/healthz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  });
}
