import type { Page } from 'playwright-core';
import { unlock } from './operations/operator-pages.ts';

interface Picture {
  readonly name: string;
  readonly path: (demo: { readonly org: string }) => string;
  readonly isBeforeSignIn?: true;
  /** On a phone. */
  readonly isNarrow?: true;
  /** What is opened before the picture is taken. */
  readonly show?: (page: Page) => Promise<void>;
}

async function openFirstRecord(page: Page): Promise<void> {
  // What is known of the records is shown first, and drawn again once they are read.
  await page.waitForLoadState('networkidle');
  await page.getByRole('row').nth(1).click();
  await page.getByRole('tab', { name: 'Fields' }).waitFor();
}

/** The policy of new members, replayed on the calls of the demo. */
async function replayPolicy(page: Page): Promise<void> {
  await page.getByRole('combobox', { name: 'Policy to change' }).fill('acl');
  await page.getByRole('option').first().click();
  await page.getByRole('button', { name: 'Replay the recorded calls' }).click();
  await page.getByText(/This rests on|No calls are recorded yet/).waitFor();
}

/** A logic block that is not saved, with a step that is open. */
async function typeBlock(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Name of the logic block' }).fill('close-ticket');
  for (const type of ['get', 'raise', 'update', 'condition']) {
    await page.getByRole('button', { name: 'Add to steps', exact: true }).click();
    await page.getByRole('menuitem', { name: type }).first().click();
  }
  await page.getByRole('textbox', { name: 'If' }).fill('steps.get.status == "open"');
}

/** The screens, in the order of the navigation. */
export const pictures: readonly Picture[] = [
  { name: 'sign-in', path: () => '/sign-in', isBeforeSignIn: true },
  { name: 'sign-up', path: () => '/sign-up', isBeforeSignIn: true },
  { name: 'home', path: ({ org }) => `/o/${org}/test` },
  { name: 'home-narrow', path: ({ org }) => `/o/${org}/test`, isNarrow: true },
  { name: 'entities', path: ({ org }) => `/o/${org}/test/entities` },
  { name: 'entity', path: ({ org }) => `/o/${org}/test/entities/ticket` },
  { name: 'records', path: ({ org }) => `/o/${org}/test/records/ticket?w=lumen` },
  { name: 'records-narrow', path: ({ org }) => `/o/${org}/test/records/ticket?w=lumen`, isNarrow: true },
  { name: 'record', path: ({ org }) => `/o/${org}/test/records/ticket?w=lumen`, show: openFirstRecord },
  {
    name: 'record-narrow',
    path: ({ org }) => `/o/${org}/test/records/ticket?w=lumen`,
    isNarrow: true,
    show: openFirstRecord,
  },
  { name: 'api', path: ({ org }) => `/o/${org}/test/api?entity=ticket&op=listTicket&w=lumen` },
  {
    name: 'deploy',
    path: ({ org }) => `/o/${org}/test/deploy`,
    show: async (page) => {
      const first = page.getByRole('checkbox', { name: /^Select/ }).first();
      await first.waitFor();
      if (await first.isEnabled()) {
        await first.check();
        await page.getByRole('button', { name: 'Publish 1 item' }).click();
      }
      await page.getByRole('button', { name: 'Activate' }).waitFor();
    },
  },
  { name: 'app-users', path: ({ org }) => `/o/${org}/test/app-users` },
  {
    name: 'app-user',
    path: ({ org }) => `/o/${org}/test/app-users`,
    show: async (page) => {
      await page.getByRole('link', { name: 'tom@demo.example' }).click();
      await page.getByRole('region', { name: 'Tokens' }).waitFor();
    },
  },
  {
    name: 'personal-data',
    path: ({ org }) => `/o/${org}/test/app-users`,
    show: async (page) => {
      await page.getByRole('link', { name: 'tom@demo.example' }).click();
      await page.getByRole('link', { name: 'Personal data' }).click();
      await page.getByRole('button', { name: 'Preview the erase' }).click();
      await page.getByRole('article', { name: 'Preview of an erase, done' }).waitFor();
    },
  },
  { name: 'workspaces', path: ({ org }) => `/o/${org}/test/workspaces` },
  { name: 'workspace', path: ({ org }) => `/o/${org}/test/workspaces/lumen` },
  {
    name: 'suspend-workspace',
    path: ({ org }) => `/o/${org}/test/workspaces/lumen`,
    show: async (page) => {
      await page.getByRole('button', { name: 'Suspend' }).click();
      await page.getByRole('dialog').getByRole('textbox', { name: 'Type lumen to confirm it' }).waitFor();
    },
  },
  { name: 'releases', path: ({ org }) => `/o/${org}/test/deploy?tab=releases` },
  { name: 'configuration', path: ({ org }) => `/o/${org}/test/config` },
  {
    name: 'user-access',
    path: ({ org }) => `/o/${org}/test/users?w=harbour`,
    show: async (page) => {
      await page.getByRole('link', { name: 'tom@demo.example' }).click();
      await page.getByRole('button', { name: 'update ticket: Allowed with conditions' }).click();
      await page.getByRole('dialog').getByText('OwnTickets').first().waitFor();
    },
  },
  {
    name: 'denials',
    path: ({ org }) => `/o/${org}/test/decisions`,
    show: async (page) => {
      await page.getByRole('link', { name: 'deleteticket' }).first().click();
      await page.getByRole('dialog').getByText('KeepClosed').first().waitFor();
    },
  },
  {
    name: 'simulator',
    path: ({ org }) => `/o/${org}/test/decisions`,
    show: async (page) => {
      await page.getByRole('link', { name: 'createcomment' }).first().click();
      await page.getByRole('link', { name: 'Simulate a draft that allows it' }).click();
      await page.getByRole('region', { name: 'Decision' }).getByText('Allowed', { exact: true }).waitFor();
    },
  },
  { name: 'policies', path: ({ org }) => `/o/${org}/test/policies?w=lumen` },
  { name: 'groups', path: ({ org }) => `/o/${org}/test/groups?w=lumen` },
  { name: 'policy-lab', path: ({ org }) => `/o/${org}/test/policy-lab?w=lumen`, show: replayPolicy },
  { name: 'usage', path: ({ org }) => `/o/${org}/test/usage` },
  { name: 'audit', path: ({ org }) => `/o/${org}/test/audit` },
  { name: 'team', path: ({ org }) => `/o/${org}/test/team` },
  { name: 'keys', path: ({ org }) => `/o/${org}/test/keys` },
  { name: 'events', path: ({ org }) => `/o/${org}/test/events` },
  { name: 'hooks', path: ({ org }) => `/o/${org}/test/hooks` },
  { name: 'secrets', path: ({ org }) => `/o/${org}/test/secrets` },
  { name: 'logic-block', path: ({ org }) => `/o/${org}/test/new-logic-block`, show: typeBlock },
  { name: 'runs', path: ({ org }) => `/o/${org}/test/runs` },
  { name: 'schedules', path: ({ org }) => `/o/${org}/test/schedules` },
  { name: 'production', path: ({ org }) => `/o/${org}/prod` },
  {
    name: 'command-palette',
    path: ({ org }) => `/o/${org}/test`,
    show: async (page) => {
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('textbox', { name: 'Go to' }).waitFor();
    },
  },
  { name: 'settings', path: ({ org }) => `/o/${org}/test/settings` },
  { name: 'settings-providers', path: ({ org }) => `/o/${org}/test/settings/providers` },
  { name: 'settings-origins', path: ({ org }) => `/o/${org}/test/settings/origins` },
  { name: 'settings-mail', path: ({ org }) => `/o/${org}/test/settings/mail/reset_password` },
  { name: 'settings-templates', path: ({ org }) => `/o/${org}/test/settings/templates` },
  { name: 'account', path: ({ org }) => `/o/${org}/test/account` },
  { name: 'operations', path: () => '/operations' },
  { name: 'operations-orgs', path: () => '/operations/orgs', show: unlock },
  { name: 'operations-org', path: ({ org }) => `/operations/orgs/${org}`, show: unlock },
  { name: 'operations-accounts', path: () => '/operations/accounts', show: unlock },
  { name: 'operations-health', path: () => '/operations/health', show: unlock },
  { name: 'operations-doctor', path: () => '/operations/doctor', show: unlock },
  { name: 'operations-errors', path: () => '/operations/errors', show: unlock },
  { name: 'operations-keys', path: () => '/operations/keys', show: unlock },
  {
    name: 'operations-backups',
    path: () => '/operations/backups',
    show: async (page) => {
      await unlock(page);
      await page.getByRole('button', { name: 'Make a backup' }).click();
      await page.getByText('Not tested yet.').first().waitFor();
    },
  },
  { name: 'operations-audit', path: () => '/operations/audit', show: unlock },
];
