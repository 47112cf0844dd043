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

/** The rules whose answer depends on colours. */
const colourRules: readonly string[] = ['color-contrast', 'link-in-text-block'];

/**
 * What axe finds on the page as it is now that is serious or critical, a sentence each.
 * @param rules by their ids in axe; left out, all of them.
 */
export async function findingsOn(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  // By the debugger, which the policy of the page does not bind.
  await page.evaluate(twoFrames);
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe.source);
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) });
  const violations = await page.evaluate<readonly Violation[]>(
    `axe.run(${options}).then(({ violations }) => violations)`,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html}`));
}

/** Holds the page, as it is now, to having no serious or critical finding, in light and in dark. */
export async function assertAccessible(page: Page): Promise<void> {
  for (const [colorScheme, rules] of [['light'], ['dark', colourRules]] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    assert.deepEqual(await findingsOn(page, rules), [], `${page.url()} in ${colorScheme}`);
  }
}
