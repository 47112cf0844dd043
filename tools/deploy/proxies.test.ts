/** The proxies of `deploy/` end idle connections before the platform does, and their programs take the files. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';

const folder = join(import.meta.dirname, '..', '..', 'deploy');
const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
const settings = readFileSync(join(folder, '..', 'packages', 'server', 'src', 'settings.ts'), 'utf8');
const keepAlive = Number(/name: 'FREEHOLD_KEEP_ALIVE',\s+fallback: '(\d+)'/.exec(settings)?.[1]);

/** Where each file says for how many seconds an idle connection to the platform is kept. */
const idleTimes: Readonly<Record<string, RegExp>> = {
  'nginx.conf': /^ {4}keepalive_timeout (\d+)s;$/gm,
  'proxies/haproxy.cfg': /\bpool-purge-delay (\d+)s$/gm,
  'proxies/Caddyfile': /^\t+keepalive (\d+)s$/gm,
  'proxies/apache.conf': /^ +ProxyPass .* ttl=(\d+)\b/gm,
  'proxies/varnish.vcl': /-p backend_idle_timeout=(\d+)\b/g,
  'proxies/envoy.yaml': /^ +idle_timeout: (\d+)s$/gm,
  'proxies/traefik.yaml': /^ +idleConnTimeout: (\d+)s$/gm,
};

for (const [path, pattern] of Object.entries(idleTimes))
  test(`${path} keeps idle connections for less than FREEHOLD_KEEP_ALIVE`, () => {
    const times = [...read(path).matchAll(pattern)].map(([, seconds]) => Number(seconds));
    assert.equal(times.length, path === 'nginx.conf' ? 2 : 1);
    for (const seconds of times) assert.ok(seconds > 0 && seconds < keepAlive, `${seconds} is not below ${keepAlive}`);
  });

test('Traefik gets the transport with the idle time', () => {
  const { http } = parse(read('proxies/traefik.yaml'));
  const transport = http.services[http.routers.freehold.service].loadBalancer.serversTransport;
  assert.equal(http.serversTransports[transport].forwardingTimeouts.idleConnTimeout, '60s');
});

test('Envoy gets the idle time for its cluster', () => {
  const [cluster] = parse(read('proxies/envoy.yaml')).static_resources.clusters;
  const [options] = Object.values<{ common_http_protocol_options: unknown }>(cluster.typed_extension_protocol_options);
  assert.deepEqual(options?.common_http_protocol_options, { idle_timeout: '60s' });
});

const modules = '/usr/lib/apache2/modules';
const apache = ['mpm_event', 'proxy', 'proxy_http', 'authz_core'].flatMap((name) => [
  '-C',
  `LoadModule ${name}_module ${modules}/mod_${name}.so`,
]);

/** The words by which each program checks its file. */
const checks: Readonly<Record<string, readonly [path: string, words: (file: string) => readonly string[]]>> = {
  haproxy: ['proxies/haproxy.cfg', (file) => ['-c', '-f', file]],
  caddy: ['proxies/Caddyfile', (file) => ['validate', '--adapter', 'caddyfile', '--config', file]],
  apache2: [
    'proxies/apache.conf',
    (file) => ['-t', '-f', file, '-C', 'ServerName localhost', '-C', 'ErrorLog /dev/null', ...apache],
  ],
  varnishd: ['proxies/varnish.vcl', (file) => ['-C', '-f', file]],
};

for (const [program, [path, words]] of Object.entries(checks)) {
  const found = ['/usr/sbin', '/usr/bin', '/usr/local/bin'].map((place) => join(place, program));
  const installed = found.find((file) => spawnSync(file, [program === 'caddy' ? 'version' : '-v']).error === undefined);
  const skip = installed === undefined && `not run: ${program} is not installed`;
  test(`${program} takes ${path}`, { skip }, (t) => {
    const home = mkdtempSync(join(tmpdir(), 'freehold-proxy-'));
    t.after(() => rmSync(home, { recursive: true, force: true }));
    const env = { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
    const { status, stdout, stderr } = spawnSync(installed ?? '', words(join(folder, path)), { env, encoding: 'utf8' });
    assert.equal(status, 0, `${stdout}${stderr}`);
  });
}
