import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isInstalled } from './apart.ts';

const folder = mkdtempSync(join(tmpdir(), 'freehold-apart-'));
const lock = join(folder, 'package-lock.json');
const installed = join(folder, 'node_modules', 'near', 'package.json');

/** The program and not its function, which writes to the output of this process. */
function install(where = folder): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const program = join(import.meta.dirname, '..', 'install-apart.ts');
  return spawnSync(process.execPath, [program, where], { encoding: 'utf8' });
}

describe('a folder of packages', () => {
  before(() => {
    mkdirSync(join(folder, 'near'));
    const near = { name: 'near', version: '1.0.0' };
    const dependencies = { near: 'file:near' };
    writeFileSync(join(folder, 'near', 'package.json'), JSON.stringify(near));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'far', dependencies }));
    const packages = {
      '': { name: 'far', dependencies },
      near: { version: '1.0.0' },
      'node_modules/near': { resolved: 'near', link: true },
    };
    writeFileSync(lock, JSON.stringify({ name: 'far', lockfileVersion: 3, requires: true, packages }));
  });
  after(() => rmSync(folder, { recursive: true }));

  it('is installed where it is missing, and not a second time', () => {
    assert.equal(isInstalled(folder), false);
    const first = install();
    assert.equal(first.status, 0, first.stderr);
    assert.ok(existsSync(installed) && isInstalled(folder));
    assert.equal(first.stdout, '');
    assert.equal(install().stderr, '');
  });

  it('is installed again where its lock file is newer, or where an install was cut off', () => {
    utimesSync(lock, new Date(), new Date(Date.now() + 60_000));
    assert.equal(isInstalled(folder), false);
    utimesSync(lock, new Date(0), new Date(0));
    assert.equal(isInstalled(folder), true);
    rmSync(join(folder, 'node_modules', '.package-lock.json'));
    assert.equal(isInstalled(folder), false);
    assert.match(install().stderr, /npm ci/);
    assert.ok(isInstalled(folder));
  });

  it('is named where it cannot be installed', () => {
    const { status, stderr } = install(join(folder, 'nowhere'));
    assert.equal(status, 1);
    assert.match(stderr, /the packages of .*nowhere could not be installed/);
  });
});
