/** The image of `deploy/`, built and run. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { call } from '../call.ts';
import { freePort } from '../free-port.ts';
import { create, defineEntity, definition, list, signIn, signUp } from '../org.ts';
import type { Gateways } from '../platform.ts';
import { buildImage, type Container, podman, removeAll, startContainer, whyNoImage } from './container.ts';

const skip = whyNoImage();
const env = {
  FREEHOLD_HOST: '127.0.0.1',
  FREEHOLD_PUBLIC_URL: 'https://api.example.com',
  FREEHOLD_MANAGEMENT_URL: 'https://manage.example.com',
  FREEHOLD_OPERATOR_KEY: randomBytes(32).toString('hex'),
};

if (skip === false) after(removeAll);

test('the image is built by its Dockerfile, and serves, keeps its data in its volume and drains', {
  skip,
}, async () => {
  buildImage();
  const first = await started('first');
  assert.equal((await call('GET', `${first.app}/readyz`)).status, 200);
  await assertConsole(first);
  const ids = podman('exec', 'first', 'node', '-p', '[process.getuid(), process.getgid(), process.ppid].join()');
  assert.equal(ids.trim().replace(/,\d+$/, ''), '1000,1000');
  assert.throws(() => podman('exec', 'first', 'touch', '/opt/freehold/file'), /Read-only|Permission denied/);
  assertHealthCheck(first);
  const org = await signUp(first);
  await defineEntity(org, definition('note', [{ name: 'text', colType: 'string' }]));
  const user = await signIn(org);
  const { id } = await create(user, 'note', { text: 'kept' });
  await stopped('first', first.container);
  const second = await started('second');
  assert.deepEqual(
    (await list(await signIn({ ...org, app: second.app }, user.email), 'note')).items.map((item) => [
      item.id,
      item.text,
    ]),
    [[id, 'kept']],
  );
  await stopped('second', second.container);
});

interface Started extends Gateways {
  readonly container: Container;
}

/** At ports of its own: connections to a container that has ended may be kept for a while. */
async function started(name: string): Promise<Started> {
  const [app, management] = [await freePort(), await freePort()];
  const ports = { FREEHOLD_APP_PORT: String(app), FREEHOLD_MANAGEMENT_PORT: String(management) };
  const container = startContainer(name, 'freehold-data', { ...env, ...ports });
  await container.ready;
  return { container, app: `http://127.0.0.1:${app}`, management: `http://127.0.0.1:${management}` };
}

/** `podman stop` sends what the image names as its signal, and kills after the time. */
async function stopped(name: string, container: Container): Promise<void> {
  podman('stop', '--time', '60', name);
  assert.equal((await container.ended).code, 0, container.stderr());
  assert.match(`${container.stdout()}${container.stderr()}`, /"signal":"SIGTERM","msg":"draining"/);
}

async function assertConsole({ management }: Gateways): Promise<void> {
  const page = await call('GET', `${management}/`, { headers: { accept: 'text/html' } });
  assert.equal(page.status, 200, page.text);
  const [, script = ''] = /src="([^"]+\.js)"/.exec(page.text) ?? [];
  const asset = await call('GET', new URL(script, `${management}/`).href);
  assert.deepEqual([asset.status, asset.headers.get('content-type')?.split(';')[0]], [200, 'text/javascript']);
}

/** What the image asks itself, at the port of this test. */
function assertHealthCheck({ app }: Gateways): void {
  const [inspected] = JSON.parse(podman('image', 'inspect', 'localhost/freehold:test'));
  const probe = inspected.Healthcheck.Test.at(-1);
  podman('exec', 'first', 'node', '-e', String(probe).replace('http://127.0.0.1:4000', app));
  assert.throws(() => podman('exec', 'first', 'node', '-e', String(probe).replace(':4000', ':1')));
}
