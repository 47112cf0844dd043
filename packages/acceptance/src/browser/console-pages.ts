import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { assertBecomes } from '../eventually.ts';
import { manage, type Org, password, signUp } from '../org.ts';
import type { Gateways } from '../platform.ts';

/** Signs the builder in on the page, and waits for Home. */
export async function signInAs(page: Page, { email }: { readonly email: string }, secret = password): Promise<void> {
  await page.goto('/sign-in');
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
}

/** A new org, whose builder is signed in on the page. */
export async function newOrgOn(page: Page, gateways: Gateways): Promise<Org> {
  const org = await signUp(gateways);
  await signInAs(page, org.builder);
  return org;
}

/**
 * Puts a text in place of that of an editor of JSON or of expressions. The editor empties itself first: where text is
 * inserted over a bracket or word that is marked, the browser copies the mark as an inline style, which the policy of the
 * page refuses.
 */
export async function retype(editor: Locator, text: string): Promise<void> {
  await editor.press('ControlOrMeta+a');
  await editor.press('Delete');
  await editor.page().keyboard.insertText(text);
}

/** Waits until an alert has the focus and lies within the window, from its top to its first button. */
export async function assertSeen(alert: Locator): Promise<void> {
  const button = alert.getByRole('button').first();
  await button.waitFor();
  await assertBecomes(async () => {
    const [whole, end] = [await alert.boundingBox(), await button.boundingBox()];
    const height = alert.page().viewportSize()?.height ?? 0;
    return whole !== null && end !== null && whole.y >= 0 && end.y + end.height <= height;
  }, true);
  await assertBecomes(() => alert.page().evaluate('document.activeElement?.getAttribute("role")'), 'alert');
}

/** A logic block `greet`, which reads nothing. */
export async function defineGreeting(org: Org): Promise<void> {
  const steps = [{ id: 'text', type: 'transform', value: 'hello' }];
  const block = { name: 'greet', content: { name: 'greet', steps } };
  const { status, body } = await manage(org, 'POST', '/config/logicblock', { body: block });
  assert.equal(status, 201, JSON.stringify(body));
}
