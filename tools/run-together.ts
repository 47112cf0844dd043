import { describe } from 'node:test';

/**
 * Runs test files one after another in this process. Each is a suite, named by its path: what it sets up and takes down
 * around its tests happens around the suite.
 */
export function runTogether(files: readonly (readonly [name: string, url: string])[]): void {
  for (const [name, url] of files)
    describe(name, async () => {
      await import(url);
    });
}
