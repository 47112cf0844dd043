/** A command as its operator runs it, and the data folder that it is run on. Only tests may use it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { OpenedStore } from '../store/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import { SteppedClock } from './record-bench.ts';

interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const { NODE_COMPILE_CACHE } = process.env;

/** No settings of the shell that runs the tests, but for what is compiled. */
export const bareEnvironment: Readonly<Record<string, string>> =
  NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };

/** @param program the file of the command. */
export function runProgram(program: string, words: readonly string[]): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program, ...words],
      { env: bareEnvironment },
      (_error, stdout, stderr) => {
        resolve({ code: child.exitCode ?? -1, stdout, stderr });
      },
    );
  });
}

export function temporaryFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'freehold-command-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Has the store in a file for as long as the work takes. */
export async function usingStore<T>(path: string, work: (opened: OpenedStore) => Promise<T>): Promise<T> {
  const onFatal = (error: unknown) => assert.fail(String(error));
  const opened = await openStore({ kind: 'sqlite', path, clock: new SteppedClock(), onFatal });
  try {
    return await work(opened);
  } finally {
    await opened.store.close();
  }
}

type RunWith = (...words: readonly string[]) => Promise<CommandResult>;

/** The command lets a folder be that a platform has open. `path` is that of a store in it. */
export async function assertLeavesRunning(
  run: RunWith,
  { folder, path }: { readonly folder: string; readonly path: string },
): Promise<void> {
  await usingStore(path, async () => {
    const { code, stdout, stderr } = await run('--data-dir', folder);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /is the platform still running.*is open already/);
  });
}

/** The command refuses folders without data, and words that it does not know, and makes nothing. */
export async function assertRefusesNonsense(run: RunWith, context: TestContext): Promise<void> {
  const folder = temporaryFolder(context);
  const missing = join(folder, 'missing');
  for (const words of [['--data-dir', folder], ['--data-dir', missing], ['--nothing'], ['word']]) {
    const { code, stdout, stderr } = await run(...words);
    assert.deepEqual([code, stdout], [2, ''], words.join(' '));
    assert.match(stderr, /there is no data|Unknown option|Unexpected argument/);
  }
  assert.deepEqual([readdirSync(folder), existsSync(missing)], [[], false]);
}
