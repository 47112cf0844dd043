import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** A dialog that opens has its title one frame after its content. */
const twoFrames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))';

/** What axe finds on the page as it is now that is serious or critical, a sentence each. */
export async function findingsOn(page: Page): Promise<readonly string[]> {
  // By the debugger, which the policy of the page does not bind.
  await page.evaluate(twoFrames);
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe.source);
  const violations = await page.evaluate<readonly Violation[]>(
    'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations)',
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html}`));
}

/** Holds the page, as it is now, to having no serious or critical finding, in light and in dark. */
export async function assertAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    assert.deepEqual(await findingsOn(page), [], `${page.url()} in ${colorScheme}`);
  }
}
