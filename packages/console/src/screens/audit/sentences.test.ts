/** Every action that the server writes to the audit log has a sentence. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Entry, sentenceOf } from './described-entry.ts';
import { predicates } from './sentences.ts';

const packages = join(import.meta.dirname, '..', '..', '..', '..');

/** The sources that may name an action. */
const sources = globSync(['server/src/**/*.ts', 'contract/src/{features,management}/**/*.ts'], {
  cwd: packages,
  exclude: (path) => /\.test\.ts$|[\\/]testing[\\/]/.test(path),
});

/** What stands around the name of an action: a member, or a call that makes an entry. */
const literal =
  /(?:\baction\b|\brefusedAs\b|(?:[aA]udited|[eE]ntry|\brecord|\brecordChange)\()[^\n;]*?'([a-z]+(?:_[a-z]+)*\.[a-z]+(?:_[a-z]+)*)'(?:[^\n;]*?'([a-z]+(?:_[a-z]+)*\.[a-z]+(?:_[a-z]+)*)')?/g;

/** Names that are made from parts, by the file that makes them. */
const made: Readonly<Record<string, readonly string[]>> = {
  'server/src/workspaces/invitations/invitation.ts': actionsOf(
    ['invitation'],
    ['created', 'resent', 'removed', 'accepted'],
  ),
  'server/src/people/org-users/org-directory.ts': actionsOf(['environment'], ['provisioned', 'founder_named']),
  'server/src/privacy/personal-data.ts': actionsOf(
    ['app_user'],
    ['export_begun', 'erase_previewed', 'erase_begun', 'merge_previewed', 'merge_begun'],
  ),
  'server/src/promotion/items/change-items.ts': actionsOf(
    ['setting', 'logicblock', 'event', 'crew'],
    ['defined', 'changed', 'removed'],
  ),
  'server/src/entities/plan-migration.ts': actionsOf(['entity'], ['defined', 'changed', 'removed']),
  'server/src/iam/audited-changes.ts': [
    ...actionsOf(['policy', 'group', 'policy_link', 'group_link'], ['created', 'changed', 'removed']),
    ...actionsOf(['member'], ['joined', 'removed', 'suspended', 'reactivated', 'role_changed']),
  ],
};

/** A template of an action, as `invitation.${done}`. */
const template = /\baction\s*[:=]\s*`(?=[^`]*\.)(?=[^`]*\$\{)/;
/** Files with a type of such names alone, whose names are literals too. */
const others = new Set(['server/src/people/routes/org.ts']);

function actionsOf(objects: readonly string[], verbs: readonly string[]): readonly string[] {
  return objects.flatMap((object) => verbs.map((verb) => `${object}.${verb}`));
}

/** Every action with the file that writes it. */
function writtenActions(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const source of sources.map((path) => path.replaceAll('\\', '/'))) {
    const text = readFileSync(join(packages, source), 'utf8');
    const literals = [...text.matchAll(literal)].flatMap(([, ...names]) => names.filter((name) => name !== undefined));
    for (const action of [...literals, ...(made[source] ?? [])]) if (!found.has(action)) found.set(action, source);
  }
  return found;
}

const written = writtenActions();

test('every action that the server writes has a sentence', () => {
  assert.ok(written.size > 90, `only ${written.size} actions were found`);
  for (const known of ['org.created', 'service_key.removed', 'app_user.merged', 'schedule.resumed', 'plan.limit_near'])
    assert.ok(written.has(known), `${known} was not found in the sources`);
  const missing = [...written].filter(([action]) => !Object.hasOwn(predicates, action));
  assert.deepEqual(
    missing.map(([action, source]) => `${action} (${source}): add it to predicates in sentences.ts`),
    [],
  );
});

test('every sentence is of an action that the server writes', () => {
  assert.deepEqual(
    Object.keys(predicates).filter((action) => !written.has(action)),
    [],
  );
});

test('a name that is made from parts is made in a file that this test knows', () => {
  const making = sources
    .map((path) => path.replaceAll('\\', '/'))
    .filter((source) => template.test(readFileSync(join(packages, source), 'utf8')) && !others.has(source));
  assert.deepEqual(making.toSorted(), Object.keys(made).toSorted());
});

const names = new Map([
  ['u1', 'Ada'],
  ['d1', 'pipeline'],
]);

function entry(rest: Pick<Entry, 'action'> & Partial<Entry>): Entry {
  return { at: '2026-01-01T00:00:00Z', actor: { kind: 'org_user', id: 'u1' }, request_id: 'r', ...rest };
}

test('an entry is told as a person tells it', () => {
  const cases: readonly (readonly [Entry, string])[] = [
    [
      entry({ action: 'deploy.published', env: 'prod', target: { kind: 'release', id: 'r3' }, detail: { items: 3 } }),
      'Ada published 3 items to production.',
    ],
    [entry({ action: 'deploy.published', env: 'prod', detail: { items: 1 } }), 'Ada published 1 item to production.'],
    [
      entry({
        action: 'service_key.created',
        env: 'test',
        tenant_code: 'main',
        target: { kind: 'service_key', id: 'k', name: 'Sync' },
      }),
      'Ada created the service key Sync for the workspace main in test.',
    ],
    [
      entry({ action: 'org_user.removed', target: { kind: 'org_user', id: '01890a5d-ac96-774b-bcce-b302099a8057' } }),
      'Ada removed a member from the org.',
    ],
    [
      entry({
        action: 'deploy.activation_refused',
        actor: { kind: 'deploy_key', id: 'd1' },
        detail: { code: 'conflict', reason: 'nothing is staged' },
      }),
      'The deploy key pipeline tried to activate in production and was refused: nothing is staged.',
    ],
    [
      entry({
        action: 'plan.changed',
        actor: { kind: 'operator', id: 'operator' },
        target: { kind: 'plan', id: 'pro' },
      }),
      'The operator set the plan pro.',
    ],
    [
      entry({ action: 'org.created', actor: { kind: 'org_user', id: 'gone' }, target: { kind: 'org', id: 'acme' } }),
      'A former member created the org acme.',
    ],
  ];
  for (const [given, sentence] of cases) assert.equal(sentenceOf(given, names), sentence);
});

test('an action that is not known has a sentence all the same', () => {
  const cases: readonly (readonly [Entry, string])[] = [
    [
      entry({ action: 'app_user.blocked', env: 'test', tenant_code: 'main', target: { kind: 'app_user', id: 'carl' } }),
      'Ada blocked the app user carl in the workspace main in test.',
    ],
    [
      entry({ action: 'second_factor.removal_refused', detail: { code: 'role_required' } }),
      'Ada tried the removal of the second factor and was refused: role required.',
    ],
    [entry({ action: 'odd' }), 'Ada did “odd”.'],
    [entry({ action: 'constructor' }), 'Ada did “constructor”.'],
  ];
  for (const [given, sentence] of cases) assert.equal(sentenceOf(given, names), sentence);
});

test('every sentence ends, and holds no name of the code', () => {
  for (const action of Object.keys(predicates)) {
    const target = { kind: 'x', id: 'thing' };
    const full = entry({ action, env: 'prod', tenant_code: 'main', target, detail: { items: 2, role: 'org_admin' } });
    for (const one of [full, entry({ action })]) {
      const sentence = sentenceOf(one, names);
      assert.match(sentence, /^Ada [a-z].*\.$/, action);
      assert.doesNotMatch(sentence, /undefined|null|\[object|_/, action);
    }
  }
});
