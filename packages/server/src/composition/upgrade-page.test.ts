import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUpgradePage } from './upgrade-page.ts';

const page = '/problems/plan_limit_exceeded';
const app = 'http://127.0.0.1:4000';

test('the upgrade page is the address that was set, wherever the gateways are', () => {
  const upgrade = createUpgradePage({ upgradeUrl: 'https://x.example/more', managementUrl: 'https://m.example' });
  upgrade.listening('http://127.0.0.1:4001');
  assert.equal(upgrade.address(app), 'https://x.example/more');
});

test('without one it is a page of the management gateway, by the address that was set or where it listens', () => {
  const set = createUpgradePage({ upgradeUrl: undefined, managementUrl: 'https://m.example' });
  set.listening('http://127.0.0.1:4001');
  assert.equal(set.address(app), `https://m.example${page}`);
  for (const [url, shown] of [
    ['http://127.0.0.1:4001', 'http://127.0.0.1:4001'],
    ['http://0.0.0.0:4001', 'http://localhost:4001'],
    ['http://[::]:4001', 'http://localhost:4001'],
    ['http://[::1]:4001', 'http://[::1]:4001'],
  ] as const) {
    const upgrade = createUpgradePage({ upgradeUrl: undefined, managementUrl: undefined });
    assert.equal(upgrade.address(app), `${app}${page}`, 'a process without a management gateway has the page too');
    upgrade.listening(url);
    assert.equal(upgrade.address(app), `${shown}${page}`);
  }
});
