/** An operator at the console. */
import type { Page } from 'playwright-core';
import { operatorKey } from '../../plans.ts';

/** Types the operator key into the form that is shown. */
export async function unlock(page: Page, key = operatorKey): Promise<void> {
  await page.getByRole('textbox', { name: 'Operator key' }).fill(key);
  await page.getByRole('button', { name: 'Unlock' }).click();
}

/** Opens a screen of the operations by its path, and unlocks it. */
export async function operateAt(page: Page, path: string): Promise<void> {
  await page.goto(`/operations${path}`);
  await unlock(page);
  await page.getByRole('button', { name: 'Lock' }).waitFor();
}
